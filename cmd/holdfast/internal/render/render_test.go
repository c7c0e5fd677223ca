package render

import (
	"bytes"
	"errors"
	"testing"

	"github.com/holdfast/holdfast"
)

// trace is the group of the worked trace.
func trace(t *testing.T) *Answer {
	t.Helper()
	all := []string{"t"}
	owned := func(partitions ...int32) []holdfast.TopicPartitions {
		return []holdfast.TopicPartitions{{Topic: "t", Partitions: partitions}}
	}
	plan, err := holdfast.Sticky.Assign(holdfast.Group{
		Topics: []holdfast.Topic{{Name: "t", Partitions: 9}},
		Members: []holdfast.Member{{ID: "X", Topics: all, Owned: owned(3, 4, 5, 6)},
			{ID: "Y", Topics: all, Owned: owned(7, 8)}, {ID: "Z", Topics: all}},
		Departed: []holdfast.Member{{ID: "W", Owned: owned(0, 1, 2)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &Answer{Plan: plan}
}

// TestColour: on a terminal, what moved stands out, also inside a range.
func TestColour(t *testing.T) {
	for _, c := range []struct {
		text Text
		want string
	}{
		{Text{OneTopic: true, Colour: true}, "X: 3,4,5\nY: <2>,7,8\nZ: <0>,<1>,<6>\n"},
		{Text{Colour: true}, "X: t[3-5]\nY: t[<2>,7-8]\nZ: t[<0-1>,<6>]\n"},
		{Text{}, "X: t[3-5]\nY: t[2,7-8]\nZ: t[0-1,6]\n"},
	} {
		var out bytes.Buffer
		if err := c.text.Write(&out, trace(t)); err != nil {
			t.Fatal(err)
		}
		got := bytes.ReplaceAll(out.Bytes(), []byte(markOn), []byte("<"))
		got = bytes.ReplaceAll(got, []byte(markOff), []byte(">"))
		want := c.want + "moved = 4 (1 shed, 3 orphaned), kept = 5, load 3..3\n"
		if string(got) != want {
			t.Errorf("%+v: got\n%s\nwant\n%s", c.text, got, want)
		}
	}
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteError(t *testing.T) {
	if err := (Text{}).Write(full{}, trace(t)); !errors.Is(err, errFull) {
		t.Errorf("got %v, want %v", err, errFull)
	}
}
