package main

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// hostileNames do something to a terminal, to JSON or to what reads our text,
// unless they are escaped.
var hostileNames = []string{
	"\x1b]0;title\a", "\x1b[2J", "a\nX: 0,1", "a\r\nb", "a\tb", `"`, `\`, `'`, "\x00", "\x7f",
	"\u2028", "\u202eabc", "\u200b", "\ufeffx", "</script>", "\U000e0041", "a, b", " ", "-", "3",
	"null", "{}", "[x]", "é", "\U0001f600", strings.Repeat("x", 64<<10),
	strings.Repeat("\x1b[31m", 13<<10), strings.Repeat("\u202e", 20<<10),
}

// TestHostileNames: whatever members and topics are called, the text does nothing
// to a terminal and the JSON says just that name.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	for _, name := range hostileNames {
		t.Run(strconv.Quote(name[:min(len(name), 12)]), func(t *testing.T) {
			group := marshal(t, map[string]any{
				"topics": map[string]any{name: 3, name + "!": 1},
				"members": []any{
					map[string]any{"id": name, "rack": name, "instance_id": name,
						"subscription": []any{name, name + "?"}, "owned": map[string]any{name: "0-5"},
						"protocols": []any{name}},
					map[string]any{"id": name + "!", "user_data_hex": "ff", "protocols": []any{name, "x"}},
				},
				"departed": []any{map[string]any{"id": name + "?", "owned": map[string]any{name: 2}}},
			})
			for _, args := range [][]string{{"assign", "--moves", "-"}, {"compare", "-"},
				{"assign", "--strategy", "cooperative-sticky", "--moves", "-"}, {"negotiate", "-"},
				{"assign", "--exit-code", "--max-moves", "0", "-"}} {
				got := call(t, group, args...)
				harmless(t, args, got.out)
				harmless(t, args, got.err)
				if got.out == "" || len(got.err) > 2000 {
					t.Errorf("%v: %d bytes of stdout, %d of stderr", args, len(got.out), len(got.err))
				}
			}
			answer := mustCall(t, group, "assign", "--strategy", "cooperative-sticky", "-o", "json", "-")
			for _, id := range []string{name, name + "!"} {
				if _, ok := answer["assignment"].(map[string]any)[id]; !ok {
					t.Errorf("the assignment has no member %.20q", id)
				}
			}
			line := call(t, group, "assign", "--batch")
			if !json.Valid([]byte(line.out)) || strings.Count(line.out, "\n") != 1 {
				t.Errorf("the batch gives not one line of JSON: %.200q", line.out)
			}
			mustCall(t, group, "negotiate", "-o", "json", "-")
			mustCall(t, group, "compare", "-o", "json", "-")
		})
	}
}

// harmless holds text to characters that a terminal just shows.
func harmless(t *testing.T, args []string, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && !unicode.IsGraphic(r) || r == unicode.ReplacementChar ||
			r == '\u2028' || r == '\u2029' {
			t.Errorf("%v: the output has the character %U", args, r)
			return
		}
	}
}

// TestHostileErrors: errors quote what is wrong, and neither act nor go on for ever.
func TestHostileErrors(t *testing.T) {
	t.Parallel()
	for _, name := range hostileNames {
		quoted := marshal(t, name)
		for _, text := range []string{
			`{"topics": {` + quoted + `: "x"}, "members": []}`,
			`{"topics": {}, "members": [{"id": ` + quoted + `}, {"id": ` + quoted + `}]}`,
			`{"topics": {}, "members": [{"id": "x", "owned": {"t": ` + marshal(t, name+"x") + `}}]}`,
			`{"topics": {}, "members": [{"id": "x", "capacity": ` + quoted + `}]}`,
			`{"strategy": ` + quoted + `, "topics": {}, "members": []}`,
			`{"topics": {}, "members": [], ` + quoted + `: 1}`,
			`{"topics": {}, "members": [{"id": "x", ` + quoted + `: 1}]}`,
		} {
			got := call(t, text, "assign", "-")
			if got.code != exitError || got.out != "" {
				t.Errorf("%.40q: exit code %d, stdout %.100q", text, got.code, got.out)
			}
			harmless(t, []string{text[:20]}, got.err)
			if len(got.err) > 1000 {
				t.Errorf("%.40q: an error of %d bytes", text, len(got.err))
			}
		}
		for _, args := range [][]string{{"assign", name + "\x01"}, {name + "?"}, {"assign", "--" + name},
			{"assign", "--topic", name}, {"assign", "--topic", "t=1", "--member", name + "=x"},
			{"decode", name, "00"}, {"assign", "-o", name, "-"}, {"decode", "subscription", name + "!"},
			{"assign", "--strategy", name, "-"}, {"assign", "--racks", name, "-"}} {
			got := call(t, "", args...)
			if got.code != exitUsage && got.code != exitError {
				t.Errorf("%.60q: exit code %d", args, got.code)
			}
			harmless(t, []string{args[0][:min(8, len(args[0]))]}, got.err)
			if len(got.err) > 1000 {
				t.Errorf("%.60q: an error of %d bytes", args, len(got.err))
			}
		}
	}
}

// TestNotUTF8: bytes that are not text are refused in a file and in flags.
func TestNotUTF8(t *testing.T) {
	for _, text := range []string{"topics: {t: 1}\nmembers: [{id: \xff}]\n",
		`{"topics": {"t": 1}, "members": [{"id": "` + "\xc3" + `"}]}`} {
		got := call(t, text, "assign", "-")
		if got.code != exitError || !strings.Contains(got.err, "is not UTF-8") {
			t.Errorf("exit code %d, %q", got.code, got.err)
		}
		got = call(t, text, "assign", "--batch")
		if got.code != exitError || !json.Valid([]byte(got.out)) {
			t.Errorf("batch: exit code %d, %q", got.code, got.out)
		}
	}
	for _, args := range [][]string{{"--topic", "\xff=1"}, {"--topic", "t=1", "--member", "\xff"}} {
		got := call(t, "", append([]string{"assign"}, args...)...)
		if got.code != exitUsage || !strings.Contains(got.err, "is not UTF-8") {
			t.Errorf("%q: exit code %d, %q", args, got.code, got.err)
		}
		harmless(t, args[:1], got.err)
	}
}
