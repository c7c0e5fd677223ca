package wire_test

import (
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/holdfast/holdfast/wire"
)

// fieldCase is one case of a field file: its keys with their values as written,
// those of "expect" after "expect.".
type fieldCase map[string]string

// readFieldCases takes the cases of a field file apart, as far as cases of
// decoding need it: one key and value a line.
func readFieldCases(t *testing.T, path string) []fieldCase {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var cases []fieldCase
	for line := range strings.Lines(string(content)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		switch {
		case strings.HasPrefix(line, "- case:"):
			cases = append(cases, fieldCase{"case": value})
		case len(cases) > 0 && strings.HasPrefix(line, "    "):
			cases[len(cases)-1]["expect."+key] = value
		case len(cases) > 0 && strings.HasPrefix(line, "  "):
			cases[len(cases)-1][key] = value
		}
	}
	return cases
}

// TestFieldCases decodes what people found on the wire.
func TestFieldCases(t *testing.T) {
	decoded := 0
	for _, path := range []string{"testdata/field/fl-26.yaml", "testdata/field/fl-27.yaml"} {
		for _, c := range readFieldCases(t, path) {
			if c["strategy"] != "decode" {
				continue
			}
			decoded++
			t.Run(c["case"], func(t *testing.T) {
				data, err := hex.DecodeString(c["hex"])
				if err != nil {
					t.Fatal(err)
				}
				s, f, err := wire.DecodeSubscription(data)
				if err != nil {
					t.Fatal(err)
				}
				compareField(t, c, fieldsOf(&s, &f))
			})
		}
	}
	if decoded != 10 {
		t.Errorf("%d cases decoded, the files have 10", decoded)
	}
}

// compareField looks at each key that the case expects.
func compareField(t *testing.T, c, got fieldCase) {
	t.Helper()
	for key, want := range c { // order: each key is compared for itself
		name, expected := strings.CutPrefix(key, "expect.")
		if !expected || name == "no_crash" {
			continue
		}
		if name == "warning" {
			if !strings.HasPrefix(got["warning"], want+":") {
				t.Errorf("warning %q, want %s", got["warning"], want)
			}
		} else if got[name] != want {
			t.Errorf("%s: got %q, want %q", name, got[name], want)
		}
	}
	if _, ok := c["expect.warning"]; !ok && c["expect.trailing"] == "0" && got["warning"] != "" {
		t.Errorf("warning %q, want none", got["warning"])
	}
}

// fieldsOf writes a subscription as the field files do.
func fieldsOf(s *wire.Subscription, f *wire.Findings) fieldCase {
	got := fieldCase{
		"version":    fmt.Sprint(s.Version),
		"topics":     "[" + strings.Join(s.Topics, ", ") + "]",
		"user_data":  "null",
		"owned":      "{}",
		"generation": "null",
		"rack":       "null",
		"trailing":   fmt.Sprint(f.Trailing),
		"malformed":  fmt.Sprint(f.Malformed),
	}
	if s.UserData != nil {
		got["user_data"] = "'" + hex.EncodeToString(s.UserData) + "'"
	}
	if len(s.Owned) > 0 {
		var parts []string
		for _, tp := range s.Owned {
			parts = append(parts, fmt.Sprintf("%s: %s", tp.Topic,
				strings.ReplaceAll(fmt.Sprint(tp.Partitions), " ", ", ")))
		}
		got["owned"] = "{" + strings.Join(parts, ", ") + "}"
	}
	if s.HasGeneration() {
		got["generation"] = fmt.Sprint(s.Generation)
	}
	if s.Rack != "" {
		got["rack"] = s.Rack
	}
	if len(f.Warnings) > 0 {
		got["warning"] = f.Warnings[0].String()
	}
	return got
}
