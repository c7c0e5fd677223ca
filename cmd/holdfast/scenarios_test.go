package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestScenarios plays the scenarios that are shipped. Each is to show what its
// file says, and none may break a promise of the protocol.
func TestScenarios(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../../examples/scenarios/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		known[name] = true
		t.Run(name, func(t *testing.T) {
			check, ok := scenarioChecks[name]
			if !ok {
				t.Fatal("no check says what this scenario is to show")
			}
			if name == "kubernetes" && os.Getenv("HOLDFAST_LONG") == "" {
				t.Skip("1,500 rebalances of 500 members: HOLDFAST_LONG=1 plays them")
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := mustCall(t, string(text), "simulate", "-o", "json", "-")
			same(t, "violations", got["violations"], []any{})
			check(t, got)
		})
	}
	for name := range scenarioChecks {
		if !known[name] {
			t.Errorf("examples/scenarios has no %s", name)
		}
	}
}

// rebalancesOf lists one key of every rebalance.
func rebalancesOf(report map[string]any, key string) []any {
	var all []any
	for _, r := range report["rebalances"].([]any) {
		all = append(all, r.(map[string]any)[key])
	}
	return all
}

func lost(report map[string]any, what string) float64 {
	return object(object(report["totals"])["lost_partition_seconds"])[what].(float64)
}

func last(list []any) any { return list[len(list)-1] }

var scenarioChecks = map[string]func(*testing.T, map[string]any){
	"scale-out": func(t *testing.T, r map[string]any) {
		same(t, "moved", rebalancesOf(r, "moved"), []any{12, 0, 4, 0, 3})
		same(t, "stop the world", object(r["totals"])["stop_the_world_s"], 0)
	},
	"crash": func(t *testing.T, r map[string]any) {
		same(t, "members", last(rebalancesOf(r, "members")), map[string]any{"a": 6, "c": 6})
		// Four partitions wait for a session timeout of 45 s.
		if s := lost(r, "stopped"); s < 4*40 || s > 4*50 {
			t.Errorf("%v partition-seconds stopped, want about 180", s)
		}
	},
	"classic-to-consumer": func(t *testing.T, r map[string]any) {
		same(t, "strategies", rebalancesOf(r, "strategy"), []any{"cooperative-sticky",
			"cooperative-sticky", "uniform", "uniform", "uniform", "uniform", "uniform"})
		same(t, "members", last(rebalancesOf(r, "members")), map[string]any{"a": 4, "b": 4, "c": 4})
		same(t, "refused", r["refused"], []any{})
	},
	"rolling-restart": func(t *testing.T, r map[string]any) {
		same(t, "rebalances", len(r["rebalances"].([]any)), 1+4*3)
	},
	"rolling-restart-static": func(t *testing.T, r map[string]any) {
		same(t, "rebalances", len(r["rebalances"].([]any)), 1)
	},
	"two-bounces": func(t *testing.T, r map[string]any) {
		same(t, "refused", r["refused"], []any{})
		same(t, "first strategy", rebalancesOf(r, "strategy")[0], "range")
		same(t, "last strategy", last(rebalancesOf(r, "strategy")), "cooperative-sticky")
		same(t, "last protocol", last(rebalancesOf(r, "protocol")), "cooperative")
	},
	"one-bounce": func(t *testing.T, r map[string]any) {
		if len(r["refused"].([]any)) == 0 {
			t.Error("nobody is refused")
		}
		same(t, "last members", len(object(last(rebalancesOf(r, "members")))), 1)
	},
	"range-skew": func(t *testing.T, r map[string]any) {
		same(t, "members", rebalancesOf(r, "members")[0], map[string]any{"a": 16, "b": 8})
	},
	"slow-consumer": func(t *testing.T, r map[string]any) {
		same(t, "cause", rebalancesOf(r, "cause")[1], "b does not poll")
		same(t, "members", last(rebalancesOf(r, "members")), map[string]any{"a": 4, "b": 4, "c": 4})
	},
	"topic-growth": func(t *testing.T, r map[string]any) {
		same(t, "members", last(rebalancesOf(r, "members")), map[string]any{"a": 6, "b": 6, "c": 6})
	},
	"kubernetes": func(t *testing.T, r map[string]any) {
		same(t, "members", len(object(last(rebalancesOf(r, "members")))), 500)
	},
}
