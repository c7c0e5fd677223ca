package groupfile

import (
	"fmt"
	"strings"

	"github.com/holdfast/holdfast"
)

// Strategies reads a list as partition.assignment.strategy has it. The error
// names the entry that no strategy has for a name.
func Strategies(list string) ([]holdfast.Assignor, error) {
	found, err := holdfast.ParseStrategies(list)
	if err == nil {
		return found, nil
	}
	for entry := range strings.SplitSeq(list, ",") {
		entry = strings.TrimSpace(entry)
		if _, err := holdfast.ParseStrategies(entry); err != nil {
			return nil, fmt.Errorf("unknown strategy %s (known: %s)", quoted(entry),
				strings.Join(StrategyNames(), ", "))
		}
	}
	return nil, err
}

// StrategyName is what files and plans call a strategy; of weighted the name on
// the wire is longer.
func StrategyName(a holdfast.Assignor) string {
	if a.Name() == holdfast.Weighted.Name() {
		return "weighted"
	}
	return a.Name()
}

// StrategyNames are the names of all strategies.
func StrategyNames() []string {
	all := holdfast.Strategies()
	names := make([]string, len(all))
	for i, a := range all {
		names[i] = StrategyName(a)
	}
	return names
}
