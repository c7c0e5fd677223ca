package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// TestLarge: a group of many partitions is answered as it is computed: what comes
// out is counted, not kept. Ten million partitions, the most that there may be,
// are for the long run.
func TestLarge(t *testing.T) {
	partitions, members := 300_000, 1000
	if os.Getenv("HOLDFAST_LONG") != "" {
		partitions, members = 10_000_000, 10_000
	}
	var group strings.Builder
	fmt.Fprintf(&group, `{"topics": {"t": %d}, "members": [{"id": "new"}`, partitions)
	share := partitions / members
	for m := range members / 2 {
		fmt.Fprintf(&group, `, {"id": "m%05d", "owned": {"t": "%d-%d"}}`, m, m*share, (m+1)*share-1)
	}
	for m := members / 2; m < members; m++ {
		fmt.Fprintf(&group, `, {"id": "m%05d"}`, m)
	}
	group.WriteString("]}")
	for _, args := range [][]string{{"assign", "-"}, {"assign", "-o", "json", "-"},
		{"assign", "--batch", "-s", "cooperative-sticky"}, {"assign", "-s", "range", "-"},
		{"compare", "-"}} {
		start := time.Now()
		in, out := io.Pipe()
		bytes := make(chan int64)
		go func() {
			n, _ := io.Copy(io.Discard, bufio.NewReader(in))
			bytes <- n
		}()
		code := run(context.Background(), args,
			streams{in: strings.NewReader(group.String()), out: out, err: io.Discard})
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		n := <-bytes
		if code != exitDone || n < 400 {
			t.Errorf("%v: exit code %d, %d bytes", args, code, n)
		}
		t.Logf("command=%s partitions=%d bytes=%d took=%v", strings.Join(args, "_"), partitions, n,
			time.Since(start))
	}
}
