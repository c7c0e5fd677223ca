package a

import (
	_ "example.com/client" // want adapter/a may not import "example.com/client"
	_ "example.com/client/pkg"
	_ "example.com/client/pkg/sub"
	_ "github.com/holdfast/holdfast/adapter/a/internal/x"
	_ "github.com/holdfast/holdfast/adapter/b" // want adapter/a may not import ".*adapter/b"
	_ "github.com/holdfast/holdfast/group"     // want adapter/a may not import ".*group"
	_ "os"
)
