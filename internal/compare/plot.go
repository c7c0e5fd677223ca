package main

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// point is one turn: how large the group was, and how long it took.
type point struct{ size, seconds float64 }

// series is one line of a panel.
type series struct {
	name   string
	points []point
}

// panel is one diagram: time against size, both logarithmic.
type panel struct {
	title, axis string
	series      []series
}

// colours of the assignors, told apart also by those who see few colours.
var colours = map[string]string{
	nameHoldfast: "#0b6e4f", nameFranz: "#d1495b", nameSarama: "#5c6f9c",
}

const (
	panelWidth, panelHeight = 446.0, 330.0
	marginLeft, marginRight = 78.0, 96.0
	marginTop, marginBottom = 44.0, 50.0
)

// drawPanels writes an SVG with the panels beside each other.
func drawPanels(w io.Writer, panels []panel) {
	width := panelWidth * float64(len(panels))
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" `+
		`font-family="system-ui, sans-serif" font-size="12">`+"\n", width, panelHeight)
	fmt.Fprintf(w, `<rect width="%g" height="%g" fill="#ffffff"/>`+"\n", width, panelHeight)
	for i, p := range panels {
		fmt.Fprintf(w, `<g transform="translate(%g 0)">`+"\n", panelWidth*float64(i))
		p.draw(w)
		fmt.Fprintln(w, "</g>")
	}
	fmt.Fprintln(w, "</svg>")
}

// scale maps a positive number to a place between from and to, by its logarithm.
type scale struct{ low, high, from, to float64 }

func (s scale) at(v float64) float64 {
	share := (math.Log10(v) - math.Log10(s.low)) / (math.Log10(s.high) - math.Log10(s.low))
	return s.from + share*(s.to-s.from)
}

// decades lists the powers of ten in the scale.
func (s scale) decades() []float64 {
	var list []float64
	for e := math.Ceil(math.Log10(s.low) - 1e-9); e <= math.Log10(s.high)+1e-9; e++ {
		list = append(list, math.Pow(10, e))
	}
	return list
}

// scales fits both axes to whole decades.
func (p *panel) scales() (x, y scale) {
	lowX, highX := math.Inf(1), 0.0
	lowY, highY := math.Inf(1), 0.0
	for _, s := range p.series {
		for _, pt := range s.points {
			lowX, highX = min(lowX, pt.size), max(highX, pt.size)
			lowY, highY = min(lowY, pt.seconds), max(highY, pt.seconds)
		}
	}
	decade := func(v float64, round func(float64) float64) float64 {
		return math.Pow(10, round(math.Log10(v)))
	}
	x = scale{lowX * 0.8, highX * 1.25, marginLeft, panelWidth - marginRight}
	y = scale{decade(lowY, math.Floor), decade(highY, math.Ceil),
		panelHeight - marginBottom, marginTop}
	return x, y
}

func (p *panel) draw(w io.Writer) {
	x, y := p.scales()
	fmt.Fprintf(w, `<text x="%g" y="24" font-weight="600">%s</text>`+"\n", marginLeft, escape(p.title))
	for _, v := range y.decades() {
		fmt.Fprintf(w, `<line x1="%g" x2="%g" y1="%.1f" y2="%.1f" stroke="#dddddd"/>`+"\n",
			x.from, x.to, y.at(v), y.at(v))
		fmt.Fprintf(w, `<text x="%g" y="%.1f" text-anchor="end" fill="#555555">%s</text>`+"\n",
			x.from-6, y.at(v)+4, duration(v))
	}
	for _, v := range x.decades() {
		fmt.Fprintf(w, `<line x1="%.1f" x2="%.1f" y1="%g" y2="%g" stroke="#dddddd"/>`+"\n",
			x.at(v), x.at(v), y.from, y.to)
		fmt.Fprintf(w, `<text x="%.1f" y="%g" text-anchor="middle" fill="#555555">%s</text>`+"\n",
			x.at(v), y.from+17, short(v))
	}
	fmt.Fprintf(w, `<text x="%g" y="%g" text-anchor="middle">%s</text>`+"\n",
		(x.from+x.to)/2, panelHeight-10, escape(p.axis))
	fmt.Fprintf(w, `<text transform="translate(14 %g) rotate(-90)" text-anchor="middle">`+
		"whole turn</text>\n", (y.from+y.to)/2)
	lines := slices.Clone(p.series)
	lines = slices.DeleteFunc(lines, func(s series) bool { return len(s.points) == 0 })
	slices.SortFunc(lines, func(a, b series) int { return cmp.Compare(a.end(y), b.end(y)) })
	below := 0.0 // names do not overlap
	for _, s := range lines {
		below = max(below+14, s.end(y)+4)
		s.draw(w, x, y, below)
	}
}

// end is the height at which the line ends.
func (s *series) end(y scale) float64 { return y.at(s.points[len(s.points)-1].seconds) }

// draw draws a line with its name at its end.
func (s *series) draw(w io.Writer, x, y scale, nameAt float64) {
	colour := colours[s.name]
	var path []string
	for _, pt := range s.points {
		path = append(path, fmt.Sprintf("%.1f,%.1f", x.at(pt.size), y.at(pt.seconds)))
	}
	fmt.Fprintf(w, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n",
		strings.Join(path, " "), colour)
	for _, pt := range s.points {
		fmt.Fprintf(w, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"><title>`+
			"%s: %s, %s</title></circle>\n", x.at(pt.size), y.at(pt.seconds), colour,
			s.name, short(pt.size), duration(pt.seconds))
	}
	last := s.points[len(s.points)-1]
	fmt.Fprintf(w, `<text x="%.1f" y="%.1f" fill="%s">%s</text>`+"\n",
		x.at(last.size)+7, nameAt, colour, escape(s.name))
}

func escape(text string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		return ""
	}
	return b.String()
}

// duration writes seconds with a unit.
func duration(seconds float64) string {
	switch {
	case seconds >= 1:
		return fmt.Sprintf("%.3g s", seconds)
	case seconds >= 1e-3:
		return fmt.Sprintf("%.3g ms", seconds*1e3)
	}
	return fmt.Sprintf("%.3g µs", seconds*1e6)
}

// short writes a count as 10k or 1M.
func short(v float64) string {
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%.3gM", v/1e6)
	case v >= 1e3:
		return fmt.Sprintf("%.3gk", v/1e3)
	}
	return fmt.Sprintf("%.3g", v)
}

// panels makes the diagrams out of the growth cases.
func panels(results []result) []panel {
	list := []panel{
		{title: "equal subscriptions", axis: "partitions"},
		{title: "random subscriptions, half of the topics each", axis: "subscriptions (member, topic)"},
	}
	at := make(map[string]int)
	for _, x := range results {
		family, size, ok := growthSize(x.Case)
		if !ok || x.Assignor == nameMaps {
			continue
		}
		p := &list[family]
		k := fmt.Sprint(family, x.Assignor)
		if _, known := at[k]; !known {
			at[k] = len(p.series)
			p.series = append(p.series, series{name: x.Assignor})
		}
		if x.State == "" {
			s := &p.series[at[k]]
			s.points = append(s.points, point{size: size, seconds: x.Best})
		}
	}
	return list
}
