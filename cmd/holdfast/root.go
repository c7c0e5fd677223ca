package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// What run returns. Data goes to stdout, words go to stderr.
const (
	exitDone    = 0
	exitError   = 1
	exitUsage   = 2
	exitFinding = 3 // only under --exit-code
)

// usageError is a command line that cannot be understood.
type usageError struct {
	problem string
	command string // whose help tells more
}

func (e *usageError) Error() string { return e.problem }

// usagef is the error that cmd was called in a way that it does not know.
func usagef(cmd *cobra.Command, format string, args ...any) error {
	return &usageError{problem: fmt.Sprintf(format, args...), command: cmd.CommandPath()}
}

// errFinding ends a command that has answered, and whose answer --exit-code is
// to report. What was found is on stderr already.
var errFinding = errors.New("finding")

// errReported ends a command whose errors are on stderr already.
var errReported = errors.New("reported")

// streams are where a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// run is the whole program but for the process around it.
func run(ctx context.Context, args []string, s streams) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	cmd, err := root.ExecuteContextC(ctx)
	var usage *usageError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errFinding):
		return exitFinding
	case errors.Is(err, errReported):
		return exitError
	case errors.As(err, &usage):
		say(cmd, "error", "%v", err)
		fmt.Fprintf(s.err, "%s --help tells more\n", usage.command)
		return exitUsage
	}
	say(cmd, "error", "%v", err)
	return exitError
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "holdfast",
		Short: "Partition assignment for Kafka consumer groups",
		Long: `holdfast divides the partitions of a Kafka consumer group among its members:
balanced first, then keeping what can be kept, and says what moved and why.

It works on files, flags and bytes; it changes no group. Data goes to stdout,
words go to stderr. Exit codes: 0 done, 1 error, 2 wrong usage, 3 a finding
(only under --exit-code).`,
		Example: `  holdfast assign --topic t=9 --member X=3-6 --member Y=7,8 --member Z --departed W=0-2
  holdfast compare group.yaml
  holdfast negotiate upgrade.yaml
  holdfast decode subscription 00010000000100036f6e65ffffffff00000000`,
		SilenceErrors:              true,
		SuggestionsMinimumDistance: 2,
		SilenceUsage:               true,
		Args:                       noSuchCommand,
		RunE:                       func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.PersistentFlags().Bool("no-color", false, "no colour, as with NO_COLOR in the environment")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef(cmd, "%s", strings.ReplaceAll(err.Error(), "\n", " "))
	})
	root.AddCommand(newAssignCommand(), newCompareCommand(), newNegotiateCommand(),
		newAdviseCommand(), newSimulateCommand(), newDecodeCommand(), newDemoCommand(),
		newVersionCommand())
	root.SetHelpTemplate(helpTemplate)
	root.SetUsageTemplate(usageTemplate)
	root.SetHelpCommand(newHelpCommand())
	root.InitDefaultCompletionCmd()
	return root
}

// helpTemplate puts the examples in front: most who ask for help want one of them.
const helpTemplate = `{{.Short}}.

{{if .HasExample}}Examples:
{{.Example}}

{{end}}{{with .Long}}{{. | trimTrailingWhitespaces}}

{{end}}{{.UsageString}}`

// usageTemplate is cobra's without what helpTemplate has shown before.
const usageTemplate = `Usage:{{if not .HasAvailableSubCommands}}
  {{.UseLine}}{{else}}
  {{.CommandPath}} COMMAND{{end}}{{if .HasAvailableSubCommands}}

Commands:{{range .Commands}}{{if or .IsAvailableCommand (eq .Name "help")}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableInheritedFlags}}

Global Flags:
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableSubCommands}}

"{{.CommandPath}} COMMAND --help" tells more about a command.{{end}}
`

// newHelpCommand is cobra's own, but for an answer to what is no command.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		Long:  "help prints what a command does, its flags and examples, as COMMAND --help does.",
		Example: `  holdfast help assign
  holdfast help decode`,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (
			[]cobra.Completion, cobra.ShellCompDirective) {
			var names []cobra.Completion
			for _, c := range cmd.Root().Commands() {
				if len(args) == 0 && c.IsAvailableCommand() {
					names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			of, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usagef(cmd, "unknown command %q", strings.Join(args, " "))
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		},
	}
}

// noSuchCommand refuses what is left of the command line of the bare program.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("unknown command %q", args[0])
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		text += "; is it " + strings.Join(near, " or ") + "?"
	}
	return usagef(cmd, "%s", text)
}

// maxArgs allows up to n arguments.
func maxArgs(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return usagef(cmd, "%d arguments, want at most %d; the first too many is %q",
				len(args), n, args[n])
		}
		return nil
	}
}

// exactArgs wants one argument for each name.
func exactArgs(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < len(names) {
			return usagef(cmd, "%s %s missing", strings.Join(names[len(args):], " and "),
				map[bool]string{true: "are", false: "is"}[len(names)-len(args) > 1])
		}
		return maxArgs(len(names))(cmd, args)
	}
}

// outputFlag adds -o with the forms that a command knows, the first by default.
func outputFlag(cmd *cobra.Command, into *string, forms ...string) {
	cmd.Flags().StringVarP(into, "output", "o", forms[0],
		"form of the output: "+strings.Join(forms, " or "))
	complete(cmd, "output", forms...)
}

// checkOutput refuses a form that the command does not know.
func checkOutput(cmd *cobra.Command, form string, forms ...string) error {
	for _, known := range forms {
		if form == known {
			return nil
		}
	}
	return usagef(cmd, "-o %q is not a form of output (known here: %s)", form,
		strings.Join(forms, ", "))
}

// complete offers fixed words for the value of a flag.
func complete(cmd *cobra.Command, flag string, words ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag,
		cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the flag was never added, or has its words already
	}
}
