package wire

import (
	_ "github.com/holdfast/holdfast"
	_ "strings/x" // want wire may not import "strings/x"
	_ "time"      // want wire may not import "time"
)
