package sim

import (
	"testing"

	"github.com/holdfast/holdfast/group"
)

// planted are rules broken on purpose. Each has to be noticed by a checker within
// seedsForPlanted histories.
var planted = []struct {
	name   string
	broken broken
}{
	{"forget to fence", broken{coordinator: group.ForgetToFence}},
	{"accept old generations", broken{coordinator: group.AcceptOldGenerations}},
	{"hide rebalances", broken{coordinator: group.HideRebalances}},
	{"forget the join barrier", broken{coordinator: group.ForgetJoinBarrier}},
	{"keep absent members", broken{coordinator: group.KeepAbsentMembers}},
	{"rebalance on return", broken{coordinator: group.RebalanceOnReturn}},
	{"never expire", broken{coordinator: group.NeverExpire}},
	{"load an older record", broken{coordinator: group.LoadOlderRecord}},
	{"grant held partitions", broken{coordinator: group.GrantHeldPartitions}},
	{"forget revocations", broken{coordinator: group.ForgetRevocations}},
	{"grant without withholding", broken{member: group.GrantWithoutWithholding}},
	{"only newest claims", broken{member: group.OnlyNewestClaims}},
	{"skip the second round", broken{member: group.SkipSecondRound}},
	{"keep after revoke", broken{member: group.KeepAfterRevoke}},
	{"keep when lost", broken{member: group.KeepWhenLost}},
	{"keep when eager", broken{member: group.KeepWhenEager}},
	{"ignore rebalances", broken{member: group.IgnoreRebalances}},
	{"forget metadata", broken{member: group.ForgetMetadata}},
	{"forget owned", broken{member: group.ForgetOwned}},
	{"send old claims", broken{member: group.SendOldClaims}},
}

const seedsForPlanted = 1000

func TestPlantedFaultsAreCaught(t *testing.T) {
	for _, p := range planted {
		t.Run(p.name, func(t *testing.T) {
			for seed := range uint64(seedsForPlanted) {
				s := Random(seed)
				s.broken = p.broken
				r, err := Run(s)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if len(r.Violations) > 0 {
					v := r.Violations[0]
					t.Logf("seed %d: %s: %s", seed, v.Check, v.Detail)
					return
				}
			}
			t.Errorf("not caught within %d histories", seedsForPlanted)
		})
	}
}

// A history that fails becomes a short one that fails.
func TestShrink(t *testing.T) {
	for _, p := range planted {
		t.Run(p.name, func(t *testing.T) {
			fails := func(s Scenario) bool {
				s.broken = p.broken
				r, err := Run(s)
				return err == nil && len(r.Violations) > 0
			}
			for seed := range uint64(seedsForPlanted) {
				s := Random(seed)
				if !fails(s) {
					continue
				}
				short := Shrink(s, fails)
				if !fails(short) {
					t.Errorf("seed %d: the short scenario does not fail", seed)
				}
				t.Logf("from %d events to\n%s", len(s.Events), short)
				return
			}
		})
	}
}
