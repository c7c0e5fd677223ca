package sim

import (
	"fmt"
	"math/rand/v2"
	"time"
)

type counter struct{ n int }

func (c *counter) add()    { c.n++ }
func (c counter) get() int { return c.n }

var (
	table   = []string{"a", "b"}
	total   int
	count   counter
	pointer = &counter{}
	names   = map[string]int{}
)

func init() { // want no init function
	total = 1 // want package variable total changes
}

func impure(ch chan int) { // want no channels
	go func() {}() // want no goroutine
	select {       // want does not select
	case <-ch:
	}
	fmt.Println("a")      // want may not use fmt.Println
	_ = time.Now          // want may not use time.Now
	_ = rand.IntN(3)      // want may not use rand.IntN
	table[0] = "c"        // want package variable table changes
	total++               // want package variable total changes
	count.n = 2           // want package variable count changes
	count.add()           // want may change package variable count
	pointer.n = 2         // want package variable pointer changes
	delete(names, "a")    // want package variable names changes
	_ = &total            // want address of package variable total
	for total = range 3 { // want package variable total changes
	}
}

func pure(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 0))
	total := r.IntN(3) + count.get()
	total++
	local := counter{}
	local.add()
	return fmt.Sprint(table[0], total, time.Second)
}
