package assigntest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"

	"github.com/holdfast/holdfast"
)

// promises lists every promise with its name, the groups that it is tried on,
// and how a group is judged. A judge returns a *violation, a *notAnswered or
// nil.
var promises = [...]struct {
	promise Promise
	name    string
	cases   func() cases
	judge   func(p *probe, g holdfast.Group) error
}{
	{Answers, "answers", of(everything), answers},
	{Valid, "valid", of(everything), answersValidly},
	{Idempotent, "idempotent", of(everything), idempotent},
	{Repeatable, "repeatable", of(everything), repeatable},
	{OrderFree, "order-free", of(everything), orderFree},
	{NameFree, "name-free", of(everything), nameFree},
	{Concurrent, "concurrent", of(everything), concurrent},
	{Pure, "pure", of(everything), pure},
	{Robust, "robust", func() cases { return cases{written: hostile()} }, robust},
	{Refuses, "refuses", func() cases { return cases{written: refused()} }, refuses},
	{Balanced, "balanced", of(plain), balanced},
	{FewestMoves, "fewest-moves", of(plain), fewestMoves},
	{Generations, "generations", of(conflicts), generations},
	{RackAware, "rack-aware", of(racks), rackAware},
	{Cooperative, "cooperative", of(everything), cooperative},
	{Accounted, "accounted", of(everything), accounted},
}

// of tries a promise on the written and the random groups of a kind.
func of(k kind) func() cases {
	return func() cases { return cases{written: written(k), random: k} }
}

func answers(p *probe, g holdfast.Group) error {
	_, err := p.answer(g)
	return err
}

// answersValidly judges all rounds: an answer that is valid now but leaves a
// claim behind that leads to an invalid one is no use.
func answersValidly(p *probe, g holdfast.Group) error {
	_, err := p.rounds(g)
	return err
}

func idempotent(p *probe, g holdfast.Group) error {
	played, err := p.rounds(g)
	if err != nil {
		return err
	}
	last := played[len(played)-1]
	again, err := p.answer(after(last.group, last.answer))
	if err != nil {
		return err
	}
	if !same(again, last.answer) {
		return broken(Idempotent, "with %s as the claims the answer is %s",
			text(last.answer), text(again))
	}
	return nil
}

// calls is how often the same question is asked. An answer that hangs on the
// order of a small map changes about every second time.
const calls = 5

func repeatable(p *probe, g holdfast.Group) error {
	first, err := p.answer(g)
	if err != nil {
		return err
	}
	for range calls - 1 {
		again, err := p.answer(g)
		if err != nil {
			return err
		}
		if !same(first, again) {
			return broken(Repeatable, "first %s, then %s", text(first), text(again))
		}
	}
	return nil
}

func orderFree(p *probe, g holdfast.Group) error {
	want, err := p.answer(g)
	if err != nil {
		return err
	}
	for seed := range uint64(3) {
		shuffled := clone(g)
		shuffle(rand.New(rand.NewPCG(seed, 1)), &shuffled)
		got, err := p.answer(shuffled)
		if err != nil {
			return err
		}
		if !same(got, want) {
			return broken(OrderFree, "in this order %s, in another %s", text(want), text(got))
		}
	}
	return nil
}

// shuffle puts everything that the group lists into another order, but for the
// racks and weights of a topic, whose order has a meaning.
func shuffle(r *rand.Rand, g *holdfast.Group) {
	mix(r, g.Topics)
	mix(r, g.Members)
	mix(r, g.Departed)
	for _, m := range slices.Concat(g.Members, g.Departed) {
		mix(r, m.Topics)
		mix(r, m.Owned)
		for _, tp := range m.Owned {
			mix(r, tp.Partitions)
		}
	}
}

func mix[E any](r *rand.Rand, list []E) {
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}

func nameFree(p *probe, g holdfast.Group) error {
	want, err := p.answer(g)
	if err != nil {
		return err
	}
	names := newNames(g)
	got, err := p.answer(names.group(g))
	if err != nil {
		return err
	}
	if renamed := names.answer(want); !same(got, renamed) {
		return broken(NameFree, "under these names %s, under others in the same order %s",
			text(want), text(names.back().answer(got)))
	}
	return nil
}

func concurrent(p *probe, g holdfast.Group) error {
	want, err := p.answer(g)
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	errs := make([]error, 4)
	shared := clone(g)
	probes := make([]probe, len(errs))
	for i := range errs {
		probes[i] = *p
		all.Go(func() {
			got, err := probes[i].call(shared)
			if err == nil && !same(got, want) {
				err = broken(Concurrent, "alone %s, beside others %s", text(want), text(got))
			}
			errs[i] = err
		})
	}
	all.Wait()
	for i := range probes {
		p.stuck = p.stuck || probes[i].stuck
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func pure(p *probe, g holdfast.Group) error {
	given := clone(g)
	if _, err := p.call(given); err != nil {
		return err
	}
	if !reflect.DeepEqual(given, clone(g)) {
		return broken(Pure, "the group has become\n%s", GroupFile(given))
	}
	return nil
}

// robust forgives an error, of which Refuses and Answers are the judges.
func robust(p *probe, g holdfast.Group) error {
	answer, err := p.answer(g)
	var no *notAnswered
	switch {
	case errors.As(err, &no) && (no.panic || no.timeout):
		return broken(Robust, "%v", err)
	case err == nil && g.Check() == nil:
		if err := valid(g, answer, p.Promises&Cooperative != 0); err != nil {
			return broken(Robust, "%v", err)
		}
	}
	return nil
}

// refuses is for the groups that Check refuses.
func refuses(p *probe, g holdfast.Group) error {
	_, err := p.answer(g)
	var no *notAnswered
	if errors.As(err, &no) && !no.panic && !no.timeout {
		return nil
	}
	return broken(Refuses, "it should say: %v; it says: %v", g.Check(), err)
}

func balanced(p *probe, g holdfast.Group) error {
	plan, err := p.end(g)
	if err != nil {
		return err
	}
	if b := plan.Balance(); b.SumOfSquares != b.LeastSumOfSquares {
		return broken(Balanced, "sum of squared loads %d, %d is possible; %s",
			b.SumOfSquares, b.LeastSumOfSquares, text(plan.Assignment()))
	}
	return nil
}

func fewestMoves(p *probe, g holdfast.Group) error {
	if err := balanced(p, g); err != nil {
		return err
	}
	plan, err := p.end(g)
	if err != nil {
		return err
	}
	shed, least := plan.Causes().Shed-forced(p, g, plan), plan.LeastMoves()
	if shed > least {
		return broken(FewestMoves, "%d partitions taken from members that could keep them, "+
			"%d are enough; %s", shed, least, text(plan.Assignment()))
	}
	return nil
}

func generations(p *probe, g holdfast.Group) error {
	err := fewestMoves(p, g)
	if v, ok := errors.AsType[*violation](err); ok && v.promise == FewestMoves {
		v.promise = Generations
	}
	return err
}

// forced counts the moves that the rule of hand-overs forces on a cooperative
// assignor: a partition that even its owner has to let go for a round, because
// somebody else claims it who has no right to it.
func forced(p *probe, g holdfast.Group, plan *holdfast.Plan) int {
	if p.Promises&Cooperative == 0 {
		return 0
	}
	f := factsOf(g)
	owner, err := f.owners(plan.Assignment())
	if err != nil {
		return 0
	}
	n := 0
	for q, before := range f.standing() {
		other := func(m string) bool {
			return m != before && f.generation[m] >= f.generation[before]
		}
		if owner[q] != before && slices.ContainsFunc(f.claimants[q], other) {
			n++
		}
	}
	return n
}

func rackAware(p *probe, g holdfast.Group) error {
	if err := balanced(p, g); err != nil {
		return err
	}
	plan, err := p.end(g)
	if err != nil {
		return err
	}
	best, err := holdfast.Sticky.Assign(g)
	if err != nil {
		return err
	}
	if have, least := plan.RackMisses(), best.RackMisses(); have != least {
		return broken(RackAware, "%d partitions away from their racks, %d are enough; %s",
			have, least, text(plan.Assignment()))
	}
	shed, least := plan.Causes().Shed-forced(p, g, plan), best.Causes().Shed
	if shed > least {
		return broken(RackAware, "with %d partitions away from their racks, "+
			"%d taken from members that could keep them, %d are enough; %s",
			plan.RackMisses(), shed, least, text(plan.Assignment()))
	}
	return nil
}

// accounted recounts the moves of a plan from the claims, and compares the plan
// with the answer.
func accounted(p *probe, g holdfast.Group) error {
	if p.Plan == nil {
		return broken(Accounted, "the subject has no Plan")
	}
	plan, err := p.Plan(clone(g))
	if err != nil {
		return &notAnswered{err: fmt.Errorf("error: %w", err)}
	}
	if err := plan.Verify(g); err != nil {
		return broken(Accounted, "the plan does not verify: %v", err)
	}
	answer, err := p.answer(g)
	if err != nil {
		return err
	}
	if now := plan.Now().Assignment(); !same(now, answer) {
		return broken(Accounted, "the plan says %s, the answer %s", text(now), text(answer))
	}
	return recount(g, plan)
}

// recount holds the plan's moves to the claims as they are understood here.
func recount(g holdfast.Group, plan *holdfast.Plan) error {
	f := factsOf(g)
	owner, err := f.owners(plan.Assignment())
	if err != nil {
		return err
	}
	standing := f.standing()
	kept, shed := 0, 0
	for q, to := range owner {
		switch standing[q] {
		case "":
		case to:
			kept++
		default:
			shed++
		}
	}
	moved := len(owner) - kept
	if plan.Kept() != kept || plan.Moved() != moved || plan.Causes().Shed != shed {
		return broken(Accounted, "it says kept %d, moved %d, shed %d; they are %d, %d, %d",
			plan.Kept(), plan.Moved(), plan.Causes().Shed, kept, moved, shed)
	}
	moves := plan.Moves()
	if len(moves) != moved {
		return broken(Accounted, "it lists %d moves of %d", len(moves), moved)
	}
	for _, m := range moves {
		q := partition{m.Topic, m.Partition}
		if owner[q] != m.To || (m.Cause == holdfast.Shed) != (standing[q] != "") ||
			standing[q] != "" && standing[q] != m.From {
			return broken(Accounted, "it says %v moved from %q to %q (%v); it was %q's and is %q's",
				q, m.From, m.To, m.Cause, standing[q], owner[q])
		}
	}
	return nil
}
