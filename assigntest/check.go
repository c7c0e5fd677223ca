package assigntest

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/holdfast/holdfast"
)

// Broken is a promise that a subject does not keep.
type Broken struct {
	Promise Promise
	Name    string // the promise's name, such as "fewest-moves"
	Case    string // where it showed: a scenario's name, or "seed 17"
	Detail  string // what was seen

	// Group shows it. It is the case's group, made smaller as far as it goes.
	Group holdfast.Group
}

// String returns all of it, the group in the form of GroupFile.
func (b Broken) String() string {
	return fmt.Sprintf("%s: %s: %s\n%s", b.Name, b.Case, b.Detail, GroupFile(b.Group))
}

// Check tries every promise of the subject and returns those that it does not
// keep, each once, in the order of their constants. Subjects that answer at
// random may keep a promise in one run and not in the next.
func Check(s Subject) []Broken {
	first := map[Promise]Broken{}
	p := &probe{Subject: s}
	for i := range promises {
		if s.Promises&promises[i].promise == 0 {
			continue
		}
		for _, b := range p.try(i) {
			if _, known := first[b.Promise]; !known {
				first[b.Promise] = b
			}
		}
	}
	var all []Broken
	for i := range promises {
		if b, found := first[promises[i].promise]; found {
			all = append(all, b)
		}
	}
	return all
}

// Run tries every promise of the subject in a subtest of its own, and fails those
// that it does not keep. A failure of a random group names the seed, and the
// command that tries it alone.
func Run(t *testing.T, s Subject) {
	t.Helper()
	p := &probe{Subject: s}
	for i := range promises {
		if s.Promises&promises[i].promise == 0 {
			continue
		}
		t.Run(promises[i].name, func(t *testing.T) {
			for _, b := range p.try(i) {
				t.Errorf("%s does not keep a promise\n%v", s.Name, b)
				var seed uint64
				if _, err := fmt.Sscanf(b.Case, "seed %d", &seed); err == nil {
					t.Errorf("HOLDFAST_SEED=%d go test -run '^%s$' tries it again", seed, t.Name())
				}
			}
		})
	}
}

// cases says which groups a promise is tried on.
type cases struct {
	written []scenario
	random  kind
}

// written gives the scenarios that are fit for a kind of promise.
func written(k kind) []scenario {
	var fit []scenario
	for _, s := range scenarios() {
		switch k {
		case plain:
			if !contradicts(s.group) {
				fit = append(fit, scenario{s.name, withoutRacks(s.group)})
			}
		case racks:
			if !contradicts(s.group) {
				fit = append(fit, s)
			}
		case conflicts:
			fit = append(fit, scenario{s.name, withoutRacks(s.group)})
		default:
			fit = append(fit, s)
		}
	}
	return fit
}

// contradicts reports whether two members claim one partition.
func contradicts(g holdfast.Group) bool {
	f := factsOf(g)
	for _, claimants := range f.claimants {
		if len(claimants) > 1 {
			return true
		}
	}
	return false
}

func withoutRacks(g holdfast.Group) holdfast.Group {
	g = clone(g)
	for i := range g.Topics {
		g.Topics[i].Racks = nil
	}
	return g
}

// each goes through the groups with their names.
func (c cases) each(groups int, yield func(name string, g holdfast.Group) bool) {
	first, last := 0, groups
	if seed, err := strconv.Atoi(os.Getenv("HOLDFAST_SEED")); err == nil && c.random != none {
		first, last, c.written = seed, seed+1, nil
	}
	for _, s := range c.written {
		if !yield(s.name, s.group) {
			return
		}
	}
	for seed := first; seed < last && c.random != none; seed++ {
		if !yield(fmt.Sprintf("seed %d", seed), randomGroup(uint64(seed), c.random)) {
			return
		}
	}
}

func (p *probe) groups() int {
	switch {
	case p.Groups > 0:
		return p.Groups
	case os.Getenv("HOLDFAST_LONG") != "":
		return 5000
	}
	return 200
}

// try tries the promise with the index on one case after the other until one
// breaks it. What else comes to light on the way is returned, too, each promise
// once.
func (p *probe) try(i int) []Broken {
	var found []Broken
	seen := Promise(0)
	promises[i].cases().each(p.groups(), func(name string, g holdfast.Group) bool {
		if p.stuck {
			return false
		}
		promise, detail := p.seen(i, g)
		if promise&^seen != 0 {
			seen |= promise
			found = append(found, p.small(i, Broken{promise, promise.String(), name, detail, g}))
		}
		return seen&promises[i].promise == 0
	})
	return found
}

// small makes the group of a broken promise smaller, unless it is one of those
// whose point is their size or their oddity.
func (p *probe) small(i int, b Broken) Broken {
	if p.stuck || promises[i].cases().random == none {
		return b
	}
	b.Group = shrink(b.Group, func(smaller holdfast.Group) bool {
		again, detail := p.seen(i, smaller)
		if again != b.Promise || p.stuck {
			return false
		}
		b.Detail = detail
		return true
	})
	return b
}

// seen returns which promise the group breaks, if any, and how.
func (p *probe) seen(i int, g holdfast.Group) (Promise, string) {
	err := promises[i].judge(p, g)
	var v *violation
	switch {
	case err == nil:
		return 0, ""
	case errors.As(err, &v):
		return v.promise, v.detail
	}
	return Answers, err.Error()
}
