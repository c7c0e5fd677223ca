package group

import _ "github.com/holdfast/holdfast/wire"
