package wire_test

import (
	_ "example.com/check/deep"
	_ "github.com/holdfast/holdfast/group"
	_ "testing"
)
