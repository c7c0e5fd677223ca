package holdfast

import (
	_ "example.com/check" // want \. may not import "example.com/check"
	_ "os"
)
