package main

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/holdfast/holdfast/cmd/holdfast/internal/render"
	"github.com/holdfast/holdfast/wire"
	"github.com/spf13/cobra"
)

const decodeLong = `decode shows bytes of Kafka's consumer protocol as JSON:

  subscription  what a member tells its leader (metadata of a JoinGroup request)
  assignment    what the leader tells a member (a part of a SyncGroup request)
  sticky        the user data of the strategy sticky inside a subscription
  group-record  a record of __consumer_offsets about a classic group: its key, or
                its value with every member's subscription and assignment

The bytes are given as hex or base64; with - they come from stdin, there also as
they are. What can be read as hex is; --from says otherwise.

Bytes that are odd but tell something (a newer version, trailing or missing
bytes, damage behind the topics) give warnings, each with an id and a colon.
Bytes that tell nothing are an error that names the offset.`

// maxEncoded bounds what is read from stdin.
const maxEncoded = 256 << 20

type decodeCommand struct {
	from   string
	output string
}

func newDecodeCommand() *cobra.Command {
	var c decodeCommand
	kinds := []string{"subscription", "assignment", "sticky", "group-record"}
	cmd := &cobra.Command{
		Use:   "decode KIND BYTES",
		Short: "Show bytes of the consumer protocol as JSON",
		Long:  decodeLong,
		Example: `  holdfast decode subscription 00010000000100036f6e65ffffffff00000000
  holdfast decode assignment AAAAAAABAAFhAAAAAgAAAAAAAAAB/////w==
  holdfast decode group-record - < value.bin`,
		Args: exactArgs("KIND", "BYTES"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.run(cmd, args[0], args[1])
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (
			[]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return kinds, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().StringVar(&c.from, "from", "auto",
		"how the bytes are written: auto, hex, base64, or raw from stdin")
	complete(cmd, "from", "auto", "hex", "base64", "raw")
	outputFlag(cmd, &c.output, "json")
	return cmd
}

func (c *decodeCommand) run(cmd *cobra.Command, kind, text string) error {
	if err := checkOutput(cmd, c.output, "json"); err != nil {
		return err
	}
	show, ok := map[string]func([]byte) (func(*render.Wire), error){
		"subscription": showSubscription, "assignment": showAssignment,
		"sticky": showSticky, "group-record": showGroupRecord}[kind]
	if !ok {
		return usagef(cmd, "%q is not a kind of bytes (known here: subscription, assignment, "+
			"sticky, group-record)", kind)
	}
	data, err := c.bytes(cmd, text)
	if err != nil {
		return err
	}
	body, err := show(data)
	if err != nil {
		return err
	}
	return render.WriteWire(cmd.OutOrStdout(), body)
}

// bytes reads the argument, or stdin.
func (c *decodeCommand) bytes(cmd *cobra.Command, text string) ([]byte, error) {
	stdin := text == "-"
	if stdin {
		data, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), maxEncoded+1))
		switch {
		case err != nil:
			return nil, err
		case len(data) > maxEncoded:
			return nil, fmt.Errorf("stdin: more than %d bytes", maxEncoded)
		}
		text = string(data)
	}
	packed := strings.Join(strings.Fields(text), "")
	switch c.from {
	case "raw":
		if !stdin {
			return nil, usagef(cmd, "--from raw is for bytes from stdin")
		}
		return []byte(text), nil
	case "hex":
		data, err := fromHex(packed)
		if err != nil {
			return nil, usagef(cmd, "not hex: %v", err)
		}
		return data, nil
	case "base64":
		data, err := fromBase64(packed)
		if err != nil {
			return nil, usagef(cmd, "not base64: %v", err)
		}
		return data, nil
	case "auto":
		if data, err := fromHex(packed); err == nil {
			return data, nil
		} else if errors.Is(err, hex.ErrLength) && !stdin {
			// Every third text of hex that lost a digit is base64 as well, of bytes that
			// mean nothing.
			return nil, usagef(cmd, "an odd number of hex digits; if it is base64, say --from base64")
		}
		if data, err := fromBase64(packed); err == nil {
			return data, nil
		}
		if stdin {
			return []byte(text), nil
		}
		return nil, usagef(cmd, "the bytes are neither hex nor base64")
	}
	return nil, usagef(cmd, "--from %q is not one of auto, hex, base64, raw", c.from)
}

func fromHex(text string) ([]byte, error) {
	return hex.DecodeString(strings.TrimPrefix(text, "0x"))
}

// fromBase64 reads both alphabets, padded or not.
func fromBase64(text string) ([]byte, error) {
	text = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
	return base64.RawStdEncoding.DecodeString(text)
}

func showSubscription(data []byte) (func(*render.Wire), error) {
	s, findings, err := wire.DecodeSubscription(data)
	return func(w *render.Wire) { w.Subscription(&s, &findings) }, err
}

func showAssignment(data []byte) (func(*render.Wire), error) {
	a, findings, err := wire.DecodeAssignment(data)
	return func(w *render.Wire) { w.Assignment(&a, &findings) }, err
}

func showSticky(data []byte) (func(*render.Wire), error) {
	s, findings := wire.DecodeSticky(data)
	return func(w *render.Wire) { w.Sticky(&s, &findings) }, nil
}

// showGroupRecord takes a key for a key: people paste one of the two.
func showGroupRecord(data []byte) (func(*render.Wire), error) {
	if wire.IsRecordKey(data) {
		k, findings, err := wire.DecodeRecordKey(data)
		return func(w *render.Wire) { w.RecordKey(&k, &findings) }, err
	}
	g, findings, err := wire.DecodeGroupMetadata(data)
	return func(w *render.Wire) { w.GroupRecord(&g, &findings) }, err
}
