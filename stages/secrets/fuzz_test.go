package secrets_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"hardened-terminal-mcp/stages/secrets"
)

// planted are secrets of every sort that must not survive in any text they are
// put into, each on a line of its own.
func planted() map[string]string {
	return map[string]string{
		token:                       token,
		"AK" + "IA2E0A8F3B244C9986": "AK" + "IA2E0A8F3B244C9986",
		"DB_PASSWORD=" + password:   password,
		`{"client_secret":"` + "q9W8e7R6t5Y4u3I2" + `"}`: "q9W8e7R6t5Y4u3I2",
		begin + body + end:                   strings.Split(body, "\n")[0],
		"postgres://u:" + password + "@h/db": password,
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{"", "a\x00b", "\x1b[31m", "\xff\xfea\x00", "password=", "\"", "%41%2", "-----BEGIN PRIVATE KEY-----", "curl -u a:b ", "[REDACTED:x]", "[REDACTED:", "`", "dXNlcj1zdmMKaG9zdD1kYi0xCg"} {
		f.Add(seed, seed)
	}
	r := compile(f)
	f.Fuzz(func(t *testing.T, before, after string) {
		check(t, r, before+after)
		if len(before) > 0 && (before[0] >= 0xFE || strings.ContainsAny(before, "\x1b\x00")) {
			return // it may be UTF-16, or hide what follows from a reader as well
		}
		for text, secret := range planted() {
			out := check(t, r, before+"\n"+text+"\n"+after)
			if strings.Contains(out, secret) && !strings.Contains(before+after, secret) {
				t.Errorf("%q survives in %q", secret, out)
			}
		}
	})
}

// check redacts a text and holds the result to what every result promises.
func check(t *testing.T, r *secrets.Redactor, in string) string {
	res := r.Text(in)
	if utf8.ValidString(in) && !utf8.ValidString(res.Text) {
		t.Errorf("%q becomes invalid: %q", in, res.Text)
	}
	longest := 0
	for _, sp := range res.Spans {
		longest += 2 * len("[REDACTED:"+sp.Name+"]")
	}
	if len(res.Text) > len(in)+longest {
		t.Errorf("%d bytes become %d with %d replacements", len(in), len(res.Text), len(res.Spans))
	}
	if again := r.Text(res.Text).Text; again != res.Text {
		t.Errorf("%q becomes %q, and then %q", in, res.Text, again)
	}
	return res.Text
}

func FuzzStripEscapes(f *testing.F) {
	for _, seed := range []string{"", "a", "\x1b[31mred\x1b[0m", "\x1b]0;t\x07x", "\x1b]8;;u\x1b\\l\x1b]8;;\x1b\\", "\x1bP1$r\x1b\\", "\x1b(B", "\x1b", "\u009b31m", "\x1b[", "\x1b]x", "a\tb\r\n", "\x1b\x1b["} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out := secrets.StripEscapes(in)
		if len(out) > len(in) {
			t.Errorf("%q grows to %q", in, out)
		}
		if utf8.ValidString(in) && !utf8.ValidString(out) {
			t.Errorf("%q becomes invalid: %q", in, out)
		}
		for i := 0; i < len(out); i++ {
			if c := out[i]; c < 0x20 && c != '\n' && c != '\t' && c != '\r' || c == 0x7f {
				t.Errorf("%q keeps a control character: %q", in, out)
			}
		}
		if !strings.ContainsAny(in, "\x1b\u0080\u0085\u0090\u0098\u009b\u009d\u009e\u009f") && utf8.ValidString(in) {
			for _, c := range in {
				if c >= 0x20 && c != 0x7f && (c < 0x80 || c > 0x9f) && !strings.ContainsRune(out, c) {
					t.Errorf("%q loses %q", in, c)
				}
			}
		}
	})
}
