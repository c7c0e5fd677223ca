package groupfile

import (
	"reflect"
	"strings"
	"testing"
)

// TestFlags: the same group from flags as from a file.
func TestFlags(t *testing.T) {
	for _, c := range []struct {
		flags Flags
		file  string
	}{
		{Flags{Topics: []string{"t=9"}, Members: []string{"X=3-6", "Y=7,8", "Z"},
			Departed: []string{"W=0-2"}},
			`{topics: {t: 9}, members: [{id: X, owned: {t: 3-6}}, {id: Y, owned: {t: "7,8"}}, {id: Z}],
			  departed: [{id: W, owned: {t: 0-2}}]}`},
		{Flags{Topics: []string{"orders=9", "pay=3"}, Members: []string{"X=orders:3-6;pay:0", "a=b="}},
			`{topics: {orders: 9, pay: 3}, members: [{id: X, owned: {orders: 3-6, pay: 0}}, {id: a=b}]}`},
		{Flags{Topics: []string{"t=1"}, Members: []string{"X=t:0", "Y=u:5"}},
			`{topics: {t: 1}, members: [{id: X, owned: {t: 0}}, {id: Y, owned: {u: 5}}]}`},
		{Flags{Topics: []string{"t=0"}}, `{topics: {t: 0}, members: []}`},
	} {
		got, err := c.flags.Group()
		if err != nil {
			t.Errorf("%+v: %v", c.flags, err)
			continue
		}
		if want := parse(t, "g.yaml", "# YAML\n"+c.file).Group; !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
}

func TestBadFlags(t *testing.T) {
	one := []string{"t=9"}
	for _, c := range []struct {
		flags Flags
		want  string
	}{
		{Flags{Topics: []string{"t"}},
			`--topic "t": a topic needs its number of partitions, as in orders=9`},
		{Flags{Topics: []string{"=9"}}, `--topic "=9": the name of the topic is empty`},
		{Flags{Topics: []string{"t=nine"}}, `--topic "t=nine": "nine" is not a number of partitions`},
		{Flags{Topics: []string{"t=-1"}}, `--topic "t=-1": "-1" is not a number of partitions`},
		{Flags{Topics: []string{"t=1", "t=2"}}, `--topic "t=2": the topic is there twice`},
		{Flags{Topics: []string{"t=9", "u=9999992"}},
			`--topic "u=9999992": more than 10000000 partitions in all topics together`},
		{Flags{Topics: []string{"\xff=1"}}, `--topic "\xff=1": the name of the topic is not UTF-8`},
		{Flags{Topics: one, Members: []string{"=3"}}, `--member "=3": the member id is empty`},
		{Flags{Topics: one, Members: []string{"\xff"}}, `--member "\xff": the member id is not UTF-8`},
		{Flags{Topics: one, Members: []string{"X", "X=3"}},
			`--member "X=3": the member is there twice`},
		{Flags{Topics: one, Members: []string{"X"}, Departed: []string{"X=3"}},
			`--departed "X=3": the member is there twice`},
		{Flags{Topics: one, Members: []string{"X=6-3"}},
			`--member "X=6-3": the range "6-3" begins after its end`},
		{Flags{Topics: one, Members: []string{"X=t:1;t:2"}},
			`--member "X=t:1;t:2": the topic "t" is there twice`},
		{Flags{Topics: []string{"t=9", "u=9"}, Members: []string{"X=3"}},
			`--member "X=3": which topic? With 2 topics, claims are written orders:3-6;payments:0`},
		{Flags{Members: []string{"X=3"}},
			`--member "X=3": which topic? With 0 topics, claims are written orders:3-6;payments:0`},
	} {
		_, err := c.flags.Group()
		if err == nil || err.Error() != c.want {
			t.Errorf("%+v: got %v, want %s", c.flags, err, c.want)
		}
	}
	_, err := Flags{Topics: one, Members: []string{"X=" + strings.Repeat("0,", 1<<15) + "x"}}.Group()
	if err == nil || len(err.Error()) > 400 {
		t.Errorf("a long flag: %v", err)
	}
}
