package groupfile

import (
	"fmt"
	"math"
	"strings"
)

// appendRanges appends the partitions that a text names, such as "3-6" or
// "0,2,5-7". It refuses to append more than room.
func appendRanges(to []int32, text string, room int) ([]int32, error) {
	end := len(to) + room
	for part := range strings.SplitSeq(text, ",") {
		first, last, err := oneRange(strings.TrimSpace(part), text)
		if err != nil {
			return nil, err
		}
		if last-first >= int64(end-len(to)) {
			return nil, fmt.Errorf("%s claims too much: no more than %d partitions can be claimed in a file",
				quoted(text), maxClaims)
		}
		for n := first; n <= last; n++ {
			to = append(to, int32(n))
		}
	}
	return to, nil
}

// oneRange reads "3" or "3-6".
func oneRange(part, text string) (first, last int64, err error) {
	low, high, isRange := strings.Cut(part, "-")
	if !isRange {
		high = low
	}
	low, high = strings.TrimSpace(low), strings.TrimSpace(high)
	first, ok := wholeNumber(low)
	last, ok2 := wholeNumber(high)
	switch {
	case !ok || !ok2 || low[0] == '-' || high[0] == '-':
		return 0, 0, fmt.Errorf("%s is not a range of partitions, such as 3-6 or \"0,2,5-7\"",
			quoted(text))
	case last > math.MaxInt32:
		return 0, 0, fmt.Errorf("%s in %s does not fit an int32", quoted(high), quoted(text))
	case first > math.MaxInt32:
		return 0, 0, fmt.Errorf("%s in %s does not fit an int32", quoted(low), quoted(text))
	case first > last:
		return 0, 0, fmt.Errorf("the range %s begins after its end", quoted(part))
	}
	return first, last, nil
}
