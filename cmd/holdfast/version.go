package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/holdfast/holdfast/cmd/holdfast/internal/jsonwriter"
	"github.com/spf13/cobra"
)

func newVersionCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Which holdfast this is",
		Long: `Which holdfast this is: its version, the commit it was built from and the Go
that built it, as far as the build recorded them.`,
		Example: `  holdfast version
  holdfast version -o json`,
		Args:              maxArgs(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkOutput(cmd, output, "text", "json"); err != nil {
				return err
			}
			info, _ := debug.ReadBuildInfo()
			v := versionOf(info)
			if output == "text" {
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "holdfast %s (commit %s, %s)\n",
					v.version, v.commit, v.goVersion)
				return err
			}
			w := jsonwriter.New(cmd.OutOrStdout(), 0)
			w.Object(func() {
				w.Key("version")
				w.String(v.version)
				w.Key("commit")
				w.String(v.commit)
				w.Key("go")
				w.String(v.goVersion)
			})
			w.Newline()
			return w.Flush()
		},
	}
	outputFlag(cmd, &output, "text", "json")
	return cmd
}

type build struct{ version, commit, goVersion string }

// versionOf reads what the build recorded. A build from a working tree has no
// version of its own; one without version control has no commit.
func versionOf(info *debug.BuildInfo) build {
	b := build{version: "devel", commit: "unknown", goVersion: runtime.Version()}
	if info == nil {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.version = v
	}
	modified := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			b.commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = "+changes"
		}
	}
	b.commit += modified
	return b
}
