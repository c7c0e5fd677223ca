package timeline

import (
	"bufio"
	"bytes"
	"html/template"
	"io"
	"time"

	"github.com/holdfast/holdfast/sim"
)

// page is a file that needs nothing beside itself: it can be attached to a ticket.
var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"clock": func(t sim.Time) string { return t.Round(time.Millisecond).String() },
}).Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{{.Title}}</title>
<style>
body { font-family: sans-serif; font-size: 14px; margin: 2em; color: #222; background: #fff; }
table { border-collapse: collapse; margin: 1em 0 2em; }
th, td { border: 1px solid #ccc; padding: 0.3em 0.6em; text-align: left; }
td.number { text-align: right; }
figure { margin: 0; overflow-x: auto; }
</style>
</head>
<body>
<h1>{{.Title}}</h1>
<figure>
{{.Figure}}</figure>
{{range .Runs}}<h2>{{.Name}}</h2>
<p>Rebalances: {{.Report.Totals.Rebalances}}. Partitions moved: {{.Report.Totals.Moved}}.
Partition-seconds lost: {{printf "%.4g" .Report.Totals.Lost.Sum}} (unowned {{printf "%.4g"
.Report.Totals.Lost.Unowned}}, stopped {{printf "%.4g" .Report.Totals.Lost.Stopped}}, restoring
{{printf "%.4g" .Report.Totals.Lost.Restoring}}). No partition processed for
{{clock .Report.Totals.StopTheWorld}}.</p>
<table>
<tr><th>generation</th><th>start</th><th>end</th><th>strategy</th><th>protocol</th><th>moved</th>
<th>lost</th><th>cause</th></tr>
{{range .Report.Rebalances}}<tr><td class="number">{{.Generation}}</td>
<td class="number">{{clock .Start}}</td><td class="number">{{clock .End}}</td>
<td>{{.Strategy}}</td><td>{{.Protocol}}</td><td class="number">{{.Moved}}</td>
<td class="number">{{printf "%.4g" .LostPartitionSeconds}}</td><td>{{.Cause}}</td></tr>
{{end}}</table>
{{range .Report.Refused}}<p>Refused: {{.Member}} with {{.Error}} at {{clock .At}}.</p>
{{end}}{{end}}</body>
</html>
`))

// HTML writes the figure and its figures in numbers as a page of its own.
func (p *Page) HTML(out io.Writer) error {
	var figure bytes.Buffer
	w := bufio.NewWriter(&figure)
	p.figure(w)
	if err := w.Flush(); err != nil {
		return err
	}
	return page.Execute(out, map[string]any{
		"Title": p.Title,
		// Every name in the figure was escaped as it was written.
		"Figure": template.HTML(figure.String()),
		"Runs":   p.Runs,
	})
}
