package sizes

import (
	"context"
	"testing"
)

func short(a, b, c, d int) {}

func asked(ctx context.Context, a, b, c, d int) {}

func format(a, b, c int, format string, args ...any) {}

func tested(t *testing.T, a, b, c, d, e int) {} // want tested has 5 parameters

// hook implements client.Hook.
func hook(a, b, c, d, e int) {}

func many(a, b, c, d, e int) {} // want many has 5 parameters

var literal = func(a, b int, c, d, e string) {} // want literal has 5 parameters

func long() { // want long has 71 lines
	_ = 0
	_ = 1
	_ = 2
	_ = 3
	_ = 4
	_ = 5
	_ = 6
	_ = 7
	_ = 8
	_ = 9
	_ = 10
	_ = 11
	_ = 12
	_ = 13
	_ = 14
	_ = 15
	_ = 16
	_ = 17
	_ = 18
	_ = 19
	_ = 20
	_ = 21
	_ = 22
	_ = 23
	_ = 24
	_ = 25
	_ = 26
	_ = 27
	_ = 28
	_ = 29
	_ = 30
	_ = 31
	_ = 32
	_ = 33
	_ = 34
	_ = 35
	_ = 36
	_ = 37
	_ = 38
	_ = 39
	_ = 40
	_ = 41
	_ = 42
	_ = 43
	_ = 44
	_ = 45
	_ = 46
	_ = 47
	_ = 48
	_ = 49
	_ = 50
	_ = 51
	_ = 52
	_ = 53
	_ = 54
	_ = 55
	_ = 56
	_ = 57
	_ = 58
	_ = 59
	_ = 60
	_ = 61
	_ = 62
	_ = 63
	_ = 64
	_ = 65
	_ = 66
	_ = 67
	_ = 68
}

func limit() {
	_ = 0
	_ = 1
	_ = 2
	_ = 3
	_ = 4
	_ = 5
	_ = 6
	_ = 7
	_ = 8
	_ = 9
	_ = 10
	_ = 11
	_ = 12
	_ = 13
	_ = 14
	_ = 15
	_ = 16
	_ = 17
	_ = 18
	_ = 19
	_ = 20
	_ = 21
	_ = 22
	_ = 23
	_ = 24
	_ = 25
	_ = 26
	_ = 27
	_ = 28
	_ = 29
	_ = 30
	_ = 31
	_ = 32
	_ = 33
	_ = 34
	_ = 35
	_ = 36
	_ = 37
	_ = 38
	_ = 39
	_ = 40
	_ = 41
	_ = 42
	_ = 43
	_ = 44
	_ = 45
	_ = 46
	_ = 47
	_ = 48
	_ = 49
	_ = 50
	_ = 51
	_ = 52
	_ = 53
	_ = 54
	_ = 55
	_ = 56
	_ = 57
	_ = 58
	_ = 59
	_ = 60
	_ = 61
	_ = 62
	_ = 63
	_ = 64
	_ = 65
	_ = 66
	_ = 67
}

// A line of prose may not be much longer than what a reader can follow from its end to the next. // want the line is too long

var data = `a raw string holds data, and data has the length that it has, so the limit does not speak of it: not here`
