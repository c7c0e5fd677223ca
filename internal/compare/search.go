package main

import (
	"bufio"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/holdfast/holdfast"
)

func byName(a, b holdfast.Topic) int { return strings.Compare(a.Name, b.Name) }

func byTopic(a, b holdfast.TopicPartitions) int { return strings.Compare(a.Topic, b.Topic) }

// What a search looks for.
const (
	endless = "endless" // sarama's sticky does not return
	unsafe  = "unsafe"  // sarama's cooperative-sticky gives away what another still holds
)

// What is written into the files of found groups.
var foundEvents = map[string]string{
	endless: "the last member joins; sarama v1.61.1's sticky had not returned after %v",
	unsafe: "one member comes back with claims of an old generation; " +
		"sarama v1.61.1's cooperative-sticky gives it what its owner has not let go",
}

// randomGroup makes the group of a seed: up to 14 members, 14 topics and 9
// partitions a topic, unequal subscriptions. Its last member joins; what the
// others own is holdfast's own plan without it.
func randomGroup(seed uint64) (holdfast.Group, error) {
	rng := rand.New(rand.NewPCG(seed, 14))
	var g holdfast.Group
	for t := range 1 + rng.IntN(14) {
		g.Topics = append(g.Topics, holdfast.Topic{
			Name: fmt.Sprintf("t%02d", t), Partitions: 1 + rng.IntN(9)})
	}
	percent := 10 + rng.IntN(80)
	var members []holdfast.Member
	for m := range 2 + rng.IntN(13) {
		one := holdfast.Member{ID: fmt.Sprintf("m%02d", m), Generation: holdfast.NoGeneration}
		for _, t := range choose(rng, len(g.Topics), percent) {
			one.Topics = append(one.Topics, g.Topics[t].Name)
		}
		members = append(members, one)
	}
	last := len(members) - 1
	g.Members = members[:last]
	g, err := divide(g)
	g.Members = append(g.Members, members[last])
	return g, err
}

// staleGroup makes the group of a seed in which one member missed two
// generations: it claims what the others have since got. Subscriptions are equal
// for even seeds.
func staleGroup(seed uint64) (holdfast.Group, error) {
	rng := rand.New(rand.NewPCG(seed, 15))
	var g holdfast.Group
	for t := range 1 + rng.IntN(3) {
		g.Topics = append(g.Topics, holdfast.Topic{
			Name: fmt.Sprintf("t%d", t), Partitions: 1 + rng.IntN(5)})
	}
	var members []holdfast.Member
	for m := range 2 + rng.IntN(3) {
		one := holdfast.Member{ID: fmt.Sprintf("m%d", m), Generation: holdfast.NoGeneration}
		for t := range g.Topics {
			if seed%2 == 0 || rng.IntN(3) > 0 {
				one.Topics = append(one.Topics, g.Topics[t].Name)
			}
		}
		members = append(members, one)
	}
	g.Members = members
	all, err := divide(g)
	if err != nil {
		return g, err
	}
	late := rng.IntN(len(members))
	g.Members = slices.Delete(slices.Clone(members), late, late+1)
	g, err = divide(g)
	back := all.Members[late]
	back.Generation = generation - 2
	g.Members = append(g.Members, back)
	return g, err
}

// handedOver returns a partition that the answer gives to a member although
// another one claims it of a newer generation than its own claim, if it has one.
func handedOver(g *holdfast.Group, owner []int32) (int32, bool) {
	n := numbersOf(g)
	newest := make([]int32, n.total) // generation of the newest claim by somebody else
	own := make([]int32, n.total)
	for i := range newest {
		newest[i], own[i] = holdfast.NoGeneration, holdfast.NoGeneration
	}
	claimed := make([]bool, n.total)
	for m := range g.Members {
		for _, o := range g.Members[m].Owned {
			for _, p := range o.Partitions {
				i := n.first[o.Topic] + p
				if owner[i] == int32(m) {
					own[i] = g.Members[m].Generation
					continue
				}
				claimed[i] = true
				newest[i] = max(newest[i], g.Members[m].Generation)
			}
		}
	}
	for i, m := range owner {
		if m != nobody && claimed[i] && newest[i] > own[i] {
			return int32(i), true
		}
	}
	return 0, false
}

// planOf lets an assignor answer for a group and returns the owners.
func planOf(name, strategy string, g *holdfast.Group) ([]int32, error) {
	a, err := findAssignor(name)
	if err != nil {
		return nil, err
	}
	answered, err := takeTurn(a.turn(strategy), ask(*g, strategy))
	if err != nil {
		return nil, err
	}
	return numbersOf(g).owners(answered)
}

// seeds is a range of seeds to look through.
type seeds struct {
	kind     string
	from, to uint64
	wait     time.Duration // how long an answer may take
}

// runSearch looks for groups, in processes that can be stopped.
func runSearch(args []string) error {
	set := flag.NewFlagSet("compare search", flag.ContinueOnError)
	var s seeds
	set.StringVar(&s.kind, "kind", endless, "what to look for: endless or unsafe")
	set.Uint64Var(&s.from, "from", 0, "first seed")
	set.Uint64Var(&s.to, "to", 300_000, "seed after the last")
	set.DurationVar(&s.wait, "wait", 10*time.Second, "how long an answer may take")
	dir := set.String("o", "", "directory for the groups found, such as testdata")
	keep := set.Int("keep", 5, "how many groups to write, the smallest ones")
	worker := set.Bool("worker", false, "look, in this process")
	if err := set.Parse(args); err != nil {
		return err
	}
	if _, known := foundEvents[s.kind]; !known {
		return fmt.Errorf("nothing to look for: %q", s.kind)
	}
	if *worker {
		return s.look()
	}
	var found []uint64
	for next := s.from; next < s.to; {
		more, at, err := s.worker(next)
		if err != nil {
			return err
		}
		found = append(found, more...)
		next = at
	}
	fmt.Printf("%d of %d seeds from %d: %s\n", len(found), s.to-s.from, s.from, s.kind)
	if *dir == "" {
		return nil
	}
	return s.write(*dir, found, *keep)
}

// look goes through the seeds and prints those found. A search that does not end
// cannot be stopped, so it ends this process; the caller goes on behind it.
func (s seeds) look() error {
	for seed := s.from; seed < s.to; seed++ {
		if s.kind == unsafe {
			g, err := staleGroup(seed)
			if err != nil {
				return err
			}
			owner, err := planOf(nameSarama, cooperativeSticky, &g)
			if err != nil {
				return err
			}
			if _, yes := handedOver(&g, owner); yes {
				fmt.Println("found", seed)
			}
			continue
		}
		g, err := randomGroup(seed)
		if err != nil {
			return err
		}
		done := make(chan error, 1)
		go func() {
			_, err := planOf(nameSarama, sticky, &g)
			done <- err
		}()
		select {
		case err := <-done:
			if err != nil {
				return err
			}
		case <-time.After(s.wait):
			fmt.Println("found", seed)
			fmt.Println("next", seed+1)
			return nil
		}
	}
	fmt.Println("next", s.to)
	return nil
}

// worker runs look in another process, from a seed on; it returns what was found
// and where to go on.
func (s seeds) worker(from uint64) (found []uint64, next uint64, err error) {
	cmd := exec.Command(os.Args[0], "search", "-worker", "-kind", s.kind,
		"-from", strconv.FormatUint(from, 10), "-to", strconv.FormatUint(s.to, 10),
		"-wait", s.wait.String())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	if err := cmd.Start(); err != nil {
		return nil, 0, err
	}
	scanner := bufio.NewScanner(out)
	for scanner.Scan() {
		word, number, _ := strings.Cut(scanner.Text(), " ")
		seed, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			return nil, 0, err
		}
		if word == "found" {
			fmt.Printf("%s: seed %d\n", s.kind, seed)
			found = append(found, seed)
		} else {
			next = seed
		}
	}
	if err := cmd.Wait(); err != nil {
		return nil, 0, err
	}
	if next <= from {
		return nil, 0, errors.New("a worker did not get on")
	}
	return found, next, nil
}

// group makes the group of a seed.
func (s seeds) group(seed uint64) (holdfast.Group, error) {
	if s.kind == unsafe {
		return staleGroup(seed)
	}
	return randomGroup(seed)
}

// write writes the smallest of the groups found.
func (s seeds) write(dir string, found []uint64, keep int) error {
	size := func(seed uint64) int {
		g, err := s.group(seed)
		if err != nil {
			return 0
		}
		n := len(g.Members)
		for _, t := range g.Topics {
			n += 1 + t.Partitions
		}
		return n
	}
	slices.SortFunc(found, func(a, b uint64) int {
		return cmp.Or(cmp.Compare(size(a), size(b)), cmp.Compare(a, b))
	})
	event := foundEvents[s.kind]
	if s.kind == endless {
		event = fmt.Sprintf(event, s.wait)
	}
	for _, seed := range found[:min(keep, len(found))] {
		g, err := s.group(seed)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("sarama-%s-%d", s.kind, seed)
		if err := writeGroup(filepath.Join(dir, name+".json"), name, event, g); err != nil {
			return err
		}
	}
	return nil
}
