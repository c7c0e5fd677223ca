package advise

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/holdfast/holdfast"
	"github.com/holdfast/holdfast/group"
	"github.com/holdfast/holdfast/sim"
)

// What is played begins when the group has formed. In the rolling restart each
// member is gone for a few seconds, and the group has come to rest before it is
// the next one's turn.
const (
	playedFrom   = time.Minute
	restartDown  = 8 * time.Second
	restartEvery = 30 * time.Second
	scaledFor    = 5 * time.Minute // between the new member's coming and going
)

// The largest group that is played, so that advise answers at once.
const (
	playedMembers    = 50
	playedPartitions = 1000
)

// costs are what happens to the group on the simulator's clock.
type costs struct {
	// A member joins and leaves again: as the group is, and with cooperative-sticky
	// alone.
	scaled, cooperative cost
	// Every member is restarted: as the group is, and with static members.
	restarted, static cost
}

type cost struct {
	rebalances, moved int
	lost              float64 // partition-seconds in which they were not processed
	stopped           float64 // seconds in which no partition was
}

func (c cost) figures(prefix string) []Figure {
	return []Figure{{prefix + "rebalances", c.rebalances}, {prefix + "moved", c.moved},
		{prefix + "lost_partition_seconds", c.lost}, {prefix + "stop_the_world_s", c.stopped}}
}

// play simulates, where the group is one that can be: a common strategy that we
// know, and not too large.
func (q *inquiry) play() {
	partitions := 0
	for _, t := range q.group.Topics {
		partitions += t.Partitions
	}
	if q.Group == nil || len(q.now) < 2 || len(q.now) > playedMembers ||
		partitions == 0 || partitions > playedPartitions || q.chosen.Selected == "" {
		return
	}
	lists := make([][]holdfast.Assignor, len(q.now))
	for i, v := range q.now {
		for _, name := range v.Protocols {
			a := assignor(name)
			if a == nil {
				return
			}
			lists[i] = append(lists[i], a)
		}
	}
	cooperative := make([][]holdfast.Assignor, len(lists))
	for i := range cooperative {
		cooperative[i] = []holdfast.Assignor{holdfast.CooperativeSticky}
	}
	var c costs
	for _, run := range []struct {
		into     *cost
		scenario sim.Scenario
	}{
		{&c.scaled, q.scale(lists)}, {&c.cooperative, q.scale(cooperative)},
		{&c.restarted, q.restart(lists, q.Config != nil && q.Config.InstanceID != "")},
		{&c.static, q.restart(lists, true)},
	} {
		report, err := sim.Run(run.scenario)
		if err != nil || len(report.Violations) > 0 || len(report.Refused) > 0 {
			return // a session out of bounds, say, about which there is a finding
		}
		*run.into = costOf(report)
	}
	q.costs = &c
}

// costOf leaves out the generation in which the group forms.
func costOf(report *sim.Report) cost {
	c := cost{lost: rounded(report.Totals.Lost.Sum()),
		stopped: rounded(report.Totals.StopTheWorld.Seconds())}
	for i := range report.Rebalances {
		if r := &report.Rebalances[i]; r.Start >= playedFrom {
			c.rebalances++
			c.moved += r.Moved
		}
	}
	return c
}

// scenario is the group as it starts.
func (q *inquiry) scenario(lists [][]holdfast.Assignor, static bool) sim.Scenario {
	session, heartbeat, poll := q.timing()
	s := sim.Scenario{Topics: q.group.Topics, NoLanes: true, Seed: 1,
		Timing: sim.Timing{SessionTimeout: session, HeartbeatInterval: heartbeat,
			MaxPollInterval: poll, Restore: q.Restore}}
	for i, m := range q.group.Members {
		instance := m.InstanceID
		if static && instance == "" {
			instance = "instance-" + strconv.Itoa(i+1)
		}
		topics := m.Topics
		if topics == nil {
			topics = []string{}
		}
		s.Members = append(s.Members, sim.Member{ID: m.ID, InstanceID: instance, Rack: m.Rack,
			Topics: topics, Capacity: m.Capacity, Strategies: lists[i]})
	}
	return s
}

// restart is the group, every member of which is restarted.
func (q *inquiry) restart(lists [][]holdfast.Assignor, static bool) sim.Scenario {
	s := q.scenario(lists, static)
	s.Events = []sim.Event{{At: playedFrom, Kind: sim.RollingRestart, Down: restartDown,
		Every: restartEvery}}
	return s
}

// scale is the group when a member joins, and leaves again.
func (q *inquiry) scale(lists [][]holdfast.Assignor) sim.Scenario {
	s := q.scenario(lists, false)
	id := q.newcomer()
	s.Events = []sim.Event{
		{At: playedFrom, Kind: sim.Join,
			Join: sim.Member{ID: id, Topics: q.topicsInUse(), Strategies: lists[0]}},
		{At: playedFrom + scaledFor, Kind: sim.Leave, Member: id}}
	return s
}

// newcomer is the id of a member that the group does not have.
func (q *inquiry) newcomer() string {
	id := "new"
	for slices.ContainsFunc(q.group.Members, func(m holdfast.Member) bool { return m.ID == id }) {
		id += "'"
	}
	return id
}

// rounded leaves a figure with the three decimals that mean something.
func rounded(f float64) float64 { return math.Round(f*1000) / 1000 }

// number shows a figure in a sentence.
func number(f float64) string { return strconv.FormatFloat(rounded(f), 'f', -1, 64) }

// sampled is how many members a change of lists is played with at most.
const sampled = 200

// sample is the group, or three members of each different list where the group is
// large: enough for every order in which lists can meet.
func (q *inquiry) sample() []group.Voter {
	if len(q.now) <= sampled {
		return q.now
	}
	count := map[string]int{}
	var voters []group.Voter
	for _, v := range q.now {
		if text := names(v.Protocols); count[text] < 3 {
			count[text]++
			voters = append(voters, v)
		}
	}
	return voters
}
