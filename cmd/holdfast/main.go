// Command holdfast computes, compares and explains partition assignments of
// Kafka consumer groups.
package main

import (
	"context"
	"os"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:],
		streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}
