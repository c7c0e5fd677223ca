package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// colour tells whether w may be coloured: it is a terminal that knows colours,
// and neither NO_COLOR nor --no-color is set.
func colour(cmd *cobra.Command, w io.Writer) bool {
	if off, err := cmd.Flags().GetBool("no-color"); err == nil && off {
		return false
	}
	return colourful(w, os.Getenv)
}

func colourful(w io.Writer, env func(string) string) bool {
	if env("NO_COLOR") != "" || env("TERM") == "dumb" {
		return false
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// What stands for what: the label of a line for a person.
var labelColour = map[string]string{
	"error":   "\x1b[1;31m",
	"finding": "\x1b[1;31m",
	"warning": "\x1b[1;33m",
	"note":    "\x1b[1;36m",
}

// say writes a line for a person.
func say(cmd *cobra.Command, label, format string, args ...any) {
	w := cmd.ErrOrStderr()
	text := label + ":"
	if colour(cmd, w) {
		text = labelColour[label] + text + "\x1b[0m"
	}
	fmt.Fprintln(w, text, fmt.Sprintf(format, args...))
}
