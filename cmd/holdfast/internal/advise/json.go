package advise

import (
	"github.com/holdfast/holdfast/cmd/holdfast/internal/jsonwriter"
	"github.com/holdfast/holdfast/cmd/holdfast/internal/render"
	"github.com/holdfast/holdfast/group"
)

// JSON writes the advice as one object.
func (a *Advice) JSON(w *jsonwriter.Writer) {
	w.Object(func() {
		w.Key("format_version")
		w.String(render.FormatVersion)
		w.Key("client")
		w.StringOrNull(string(a.Client))
		w.Key("recommendation")
		w.String(a.Recommendation)
		w.Key("because")
		render.WarningsJSON(w, a.Because)
		w.Key("findings")
		w.Array(func() {
			for i := range a.Findings {
				a.Findings[i].json(w)
			}
		})
		w.Key("configuration")
		w.Object(func() {
			for _, c := range a.Configurations {
				w.Key(c.Client)
				w.String(c.Text)
			}
		})
		a.Path.json(w)
		w.Key("warnings")
		render.WarningsJSON(w, a.Warnings)
	})
	w.Newline()
}

func (f *Finding) json(w *jsonwriter.Writer) {
	w.Object(func() {
		w.Key("id")
		w.String(f.ID)
		w.Key("severity")
		w.String(string(f.Severity))
		w.Key("message")
		w.String(f.Message)
		w.Key("figures")
		w.Flat(func() {
			w.Object(func() {
				for _, figure := range f.Figures {
					w.Key(figure.Name)
					figure.json(w)
				}
			})
		})
	})
}

func (f *Figure) json(w *jsonwriter.Writer) {
	switch v := f.Value.(type) {
	case int:
		w.Int(int64(v))
	case float64:
		w.Float(v)
	case string:
		w.StringOrNull(v)
	case []string:
		w.Strings(v)
	default:
		panic("a figure of another type")
	}
}

// json writes the steps, each with the lists of its members and what negotiate
// says of it, and the verdict.
func (p *Path) json(w *jsonwriter.Writer) {
	w.Key("path")
	w.Array(func() {
		for i := range p.Steps {
			w.Object(func() { stepJSON(w, &p.Steps[i], &p.Check.Steps[i]) })
		}
	})
	w.Key("path_verdict")
	w.StringOrNull(string(p.Check.Verdict))
	w.Key("path_why")
	w.StringOrNull(p.Check.Why)
	w.Key("path_remark")
	w.StringOrNull(p.Remark)
}

func stepJSON(w *jsonwriter.Writer, s *Step, n *group.Negotiation) {
	w.Key("do")
	w.String(s.Do)
	w.Key("selected")
	w.StringOrNull(n.Selected)
	w.Key("determinate")
	w.Bool(n.Determinate)
	w.Key("candidates")
	w.Strings(n.Candidates)
	w.Key("votes")
	w.Flat(func() {
		w.Object(func() {
			for _, v := range n.Votes {
				w.Key(v.Protocol)
				w.Int(int64(v.Votes))
			}
		})
	})
	lists := map[string][]string{}
	for _, v := range s.Members {
		lists[v.ID] = v.Protocols
	}
	w.Key("members")
	w.Array(func() {
		for _, m := range n.Members {
			w.Flat(func() { ballotJSON(w, &m, lists[m.ID]) })
		}
	})
	w.Key("error")
	if n.Error == group.None {
		w.Null()
	} else {
		w.String(n.Error.String())
	}
	w.Key("refused")
	w.StringOrNull(n.Refused)
}

func ballotJSON(w *jsonwriter.Writer, m *group.Ballot, list []string) {
	w.Object(func() {
		w.Key("id")
		w.String(m.ID)
		w.Key("protocols")
		w.Strings(list)
		w.Key("vote")
		w.StringOrNull(m.Vote)
		w.Key("rebalance_protocol")
		w.String(m.Protocol.String())
		w.Key("stickiness_lost")
		w.Bool(m.StickinessLost)
	})
}
