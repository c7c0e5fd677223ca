package holdfast

import (
	"fmt"

	"github.com/holdfast/holdfast/internal/flow"
)

// Better proves that no plan for the same group ranks above this one in balance,
// rack misses and moves, and returns nil then; or it returns a plan that does, and
// a *PlanError that says in which rank and by how much: "moved 37, 4 are enough".
// It can be asked of any plan, whatever strategy made it and whoever computed it
// (see [NewPlan]).
//
// The proof does not use the engine behind Sticky. Seen as a flow with convex
// costs a division is optimal if and only if its residual graph has no cycle of
// negative cost, and that is searched for. The plan returned is Sticky's, if it
// passes the same proof. For e subscription edges it costs O(partitions + e) for
// balance and, as a rule, a few times that for moves.
func (p *Plan) Better() (*Plan, error) {
	problem := p.problem.flow(p.options)
	verdict, cheaper := flow.Certify(problem, p.owner)
	if verdict == flow.Optimal {
		return nil, nil
	}
	owner := stickyAssignor{p.options}.solve(p.problem)
	if ours, _ := flow.Certify(problem, owner); ours != flow.Optimal {
		owner = cheaper
	}
	better := newPlan(p.strategy, p.problem, owner)
	better.options = p.options
	return better, p.worseThan(better, verdict)
}

// worseThan says in which rank a plan is better.
func (p *Plan) worseThan(better *Plan, verdict flow.Verdict) error {
	switch verdict {
	case flow.Unevenly:
		return &PlanError{Reason: ErrUnbalanced, Value: fmt.Sprintf("%d, %d is possible",
			p.sumOfSquares(), better.sumOfSquares())}
	case flow.OffRack:
		return &PlanError{Reason: ErrRackMisses, Value: fmt.Sprintf("%d, %d are enough",
			p.RackMisses(), better.RackMisses())}
	case flow.Unsettled:
		return &PlanError{Reason: ErrTooManyMoves, Value: fmt.Sprintf("%d shed, %d are enough",
			p.causes.Shed, better.causes.Shed)}
	}
	panic(fmt.Sprintf("holdfast: a plan of this package is judged %d", verdict))
}
