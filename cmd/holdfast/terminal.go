package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

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

// say writes a line for a person. What stands in it may come from anywhere, so
// that it is made harmless here, once for all.
func say(cmd *cobra.Command, label, format string, args ...any) {
	w := cmd.ErrOrStderr()
	start := label + ":"
	if colour(cmd, w) {
		start = labelColour[label] + start + "\x1b[0m"
	}
	fmt.Fprintln(w, start, oneLine(fmt.Sprintf(format, args...)))
}

// longest is how long a line for a person may be.
const longest = 800

// oneLine escapes what a terminal would act on or not show, and leaves out the
// middle of a text that nobody would read to the end.
func oneLine(text string) string {
	var line strings.Builder
	for rest := text; len(rest) > 0; {
		r, n := utf8.DecodeRuneInString(rest)
		if r == utf8.RuneError && n == 1 || !strconv.IsPrint(r) {
			quoted := strconv.Quote(rest[:n])
			line.WriteString(quoted[1 : len(quoted)-1])
		} else {
			line.WriteRune(r)
		}
		rest = rest[n:]
	}
	shown := line.String()
	if len(shown) <= longest {
		return shown
	}
	head := strings.ToValidUTF8(shown[:longest*2/3], "")
	tail := strings.ToValidUTF8(shown[len(shown)-longest/4:], "")
	return fmt.Sprintf("%s .. %s (%d bytes)", head, tail, len(text))
}
