package advise

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/holdfast/holdfast/cmd/holdfast/internal/groupfile"
	"github.com/holdfast/holdfast/group"
)

// Text writes the advice for a person.
func (a *Advice) Text(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "recommendation = %s\n", a.Recommendation)
	for _, reason := range a.Because {
		fmt.Fprintf(&b, "  because %s\n", harmless(reason))
	}
	fmt.Fprintf(&b, "\nfindings = %d\n", len(a.Findings))
	for i := range a.Findings {
		a.Findings[i].text(&b)
	}
	if err := a.Path.text(&b); err != nil {
		return err
	}
	for _, c := range a.Configurations {
		fmt.Fprintf(&b, "\nconfiguration for %s:\n\n", c.Client)
		for line := range strings.Lines(c.Text) {
			if line != "\n" {
				line = "    " + line
			}
			b.WriteString(line)
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (f *Finding) text(b *strings.Builder) {
	fmt.Fprintf(b, "  %s %s: %s\n", f.Severity, f.ID, harmless(f.Message))
	figures := make([]string, len(f.Figures))
	for i, figure := range f.Figures {
		figures[i] = figure.Name + " = " + figure.text()
	}
	for line := range wrapped(figures, 90) {
		fmt.Fprintf(b, "      %s\n", line)
	}
}

// wrapped puts parts on lines of a width, with commas.
func wrapped(parts []string, width int) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		line := ""
		for i, part := range parts {
			if i < len(parts)-1 {
				part += ","
			}
			if line != "" && len(line)+1+len(part) > width {
				if !yield(line) {
					return
				}
				line = ""
			}
			if line != "" {
				line += " "
			}
			line += part
		}
		if line != "" {
			yield(line)
		}
	}
}

func (f *Figure) text() string {
	switch v := f.Value.(type) {
	case int:
		return strconv.Itoa(v)
	case float64:
		return number(v)
	case string:
		if v == "" {
			return "-"
		}
		return groupfile.Printable(v)
	case []string:
		return fewNames(v)
	}
	panic("a figure of another type")
}

// fewNames shows the first names of a list: a line is to be read.
func fewNames(list []string) string {
	const few = 8
	if len(list) > few {
		return fmt.Sprintf("%s and %d more", names(list[:few]), len(list)-few)
	}
	return names(list)
}

// harmless escapes what a terminal would act on: file names and ids come from
// anywhere.
func harmless(text string) string {
	if groupfile.Printable(text) == text {
		return text
	}
	quoted := strconv.Quote(text)
	return quoted[1 : len(quoted)-1]
}

func (p *Path) text(b *strings.Builder) error {
	if len(p.Steps) == 0 {
		return nil
	}
	fmt.Fprintf(b, "\npath, checked as negotiate checks it: %s\n", p.Check.Verdict)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  STEP\tMEMBERS\tSTRATEGY\tDO")
	for i, s := range p.Steps {
		n := &p.Check.Steps[i]
		selected := groupfile.Printable(n.Selected)
		switch {
		case n.Error != group.None:
			selected = n.Error.String()
		case len(s.Members) == 0:
			selected = "-"
		case !n.Determinate:
			selected = "undetermined"
		}
		fmt.Fprintf(w, "  %d\t%d\t%s\t%s\n", i+1, len(s.Members), selected, s.Do)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for i, s := range p.Steps {
		for _, l := range lists(s.Members) {
			fmt.Fprintf(b, "  step %d: %s for %s\n", i+1, l.list, l.who())
		}
	}
	fmt.Fprintf(b, "  %s\n", harmless(p.Check.Why))
	if p.Remark != "" {
		fmt.Fprintf(b, "  %s\n", harmless(p.Remark))
	}
	return nil
}

// listed are the members that have one list.
type listed struct {
	list string
	ids  []string
	all  bool
}

func (l *listed) who() string {
	if l.all {
		return "every member"
	}
	return fewNames(l.ids)
}

// lists groups the members of a step by their lists.
func lists(members []group.Voter) []*listed {
	var found []*listed
	at := map[string]*listed{}
	for _, v := range members {
		text := names(v.Protocols)
		if at[text] == nil {
			at[text] = &listed{list: text}
			found = append(found, at[text])
		}
		at[text].ids = append(at[text].ids, v.ID)
	}
	if len(found) == 1 {
		found[0].all = true
	}
	return found
}
