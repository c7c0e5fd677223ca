package holdfast

import (
	_ "fmt"
	_ "github.com/holdfast/holdfast/wire" // want \. may not import ".*/wire"
	_ "sync"                              // want \. may not import "sync"
)
