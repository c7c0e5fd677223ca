package assigntest_test

import (
	"fmt"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/assigntest"
)

// An assignor that gives each topic to the first member that subscribes to it is
// sound, and nothing more.
func ExampleCheck() {
	firstReader := func(g holdfast.Group) (assigntest.Assignment, error) {
		answer := assigntest.Assignment{}
		for _, t := range g.Topics {
			reader := ""
			for _, m := range g.Members {
				for _, topic := range m.Topics {
					if topic == t.Name && (reader == "" || m.ID < reader) {
						reader = m.ID
					}
				}
			}
			for n := range int32(t.Partitions) {
				if reader == "" {
					break
				}
				if answer[reader] == nil {
					answer[reader] = map[string][]int32{}
				}
				answer[reader][t.Name] = append(answer[reader][t.Name], n)
			}
		}
		return answer, nil
	}
	for _, b := range assigntest.Check(assigntest.Subject{
		Name:     "first reader",
		Assign:   firstReader,
		Promises: assigntest.Sound | assigntest.Balanced,
	}) {
		fmt.Print(b)
	}
	// Output:
	// balanced: worked-trace: sum of squared loads 4, 2 is possible; "Y": t[0,1]
	// topics:
	//   t: 2
	// members:
	//   - {id: "Y", subscription: [t]}
	//   - {id: Z, subscription: [t]}
}
