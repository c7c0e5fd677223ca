package sim

import holdfast "github.com/holdfast/holdfast"

func loops(m holdfast.Named) {
	for range m { // want range over a map
	}
}
