package secrets_test

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"unicode/utf16"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/secrets"
)

// A record is one text of the labelled corpora. The values are generated; the
// files are compressed because they have real shapes, and a code host would
// refuse them in the clear.
type record struct {
	ID      string   `json:"id"`
	Kind    string   `json:"kind"`
	Shape   string   `json:"shape"`
	Text    string   `json:"text"`
	Bytes   string   `json:"bytes_b64"`
	Secrets []string `json:"secrets"`
	Keep    []string `json:"keep"`
}

func (r record) input() string {
	if r.Bytes == "" {
		return r.Text
	}
	raw, err := base64.StdEncoding.DecodeString(r.Bytes)
	Expect(err).NotTo(HaveOccurred())
	return string(raw)
}

func corpus(name string) []record {
	f, err := os.Open("testdata/" + name)
	Expect(err).NotTo(HaveOccurred())
	defer f.Close()
	z, err := gzip.NewReader(f)
	Expect(err).NotTo(HaveOccurred())
	var out []record
	for d := json.NewDecoder(z); d.More(); {
		var r record
		Expect(d.Decode(&r)).To(Succeed())
		out = append(out, r)
	}
	return out
}

var (
	sequences = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)")
	titles    = regexp.MustCompile("\x1b\\][^\x07\x1b]*")
)

// views are the forms in which a reader could see the output.
func views(out string, raw bool) []string {
	vs := []string{
		out,
		sequences.ReplaceAllString(out, ""),
		strings.ReplaceAll(out, "\x00", ""),
		strings.Join(titles.FindAllString(out, -1), ""),
	}
	if raw {
		vs = append(vs, wide(out), wide(out[min(1, len(out)):]))
	}
	return vs
}

func wide(s string) string {
	var units []uint16
	for b := []byte(s); len(b) >= 2; b = b[2:] {
		units = append(units, binary.LittleEndian.Uint16(b))
	}
	return string(utf16.Decode(units))
}

// survives reports whether a secret, or a long run of it, is in a view: 16
// characters, or six in ten of a short one.
func survives(secret string, vs []string) bool {
	run := 16
	if len(secret) < 24 {
		run = max(5, (len(secret)*6+9)/10)
	}
	run = min(run, len(secret))
	for _, v := range vs {
		for i := 0; i+run <= len(secret); i++ {
			if strings.Contains(v, secret[i:i+run]) {
				return true
			}
		}
	}
	return false
}

func containsAny(vs []string, s string) bool {
	for _, v := range vs {
		if strings.Contains(v, s) {
			return true
		}
	}
	return false
}

var _ = Describe("the labelled corpora", func() {
	var r *secrets.Redactor

	BeforeEach(func() {
		var err error
		r, err = secrets.Compile(secrets.Options{Enabled: true})
		Expect(err).NotTo(HaveOccurred())
	})

	It("loses the secrets of 97 in 100 records and keeps what is around them", func() {
		records, clean, keeps, kept := 0, 0, 0, 0
		for _, rec := range corpus("positives.jsonl.gz") {
			in := rec.input()
			vs := views(r.Text(in).Text, rec.Bytes != "")
			records++
			ok := true
			for _, s := range rec.Secrets {
				if survives(s, vs) {
					ok = false
				}
			}
			if ok {
				clean++
			} else {
				report("MISS", rec, vs[0])
			}
			for _, k := range rec.Keep {
				keeps++
				if containsAny(vs, k) {
					kept++
				} else {
					report("LOST "+k, rec, vs[0])
				}
			}
		}
		fmt.Fprintf(GinkgoWriter, "record recall %d/%d, keep %d/%d\n", clean, records, kept, keeps)
		Expect(float64(clean) / float64(records)).To(BeNumerically(">=", 0.97))
		Expect(float64(kept) / float64(keeps)).To(BeNumerically(">=", 0.99))
	})

	It("changes at most one clean text in 100", func() {
		records, changed := 0, 0
		for _, rec := range corpus("negatives.jsonl.gz") {
			records++
			if out := r.Text(rec.input()).Text; out != rec.input() {
				changed++
				report("CHANGED", rec, out)
			}
		}
		fmt.Fprintf(GinkgoWriter, "changed %d/%d\n", changed, records)
		Expect(float64(changed) / float64(records)).To(BeNumerically("<=", 0.01))
	})

	It("leaves redacted text alone", func() {
		for _, rec := range corpus("positives.jsonl.gz") {
			once := r.Text(rec.input()).Text
			twice := r.Text(once).Text
			if twice != once {
				report("TWICE", rec, twice)
			}
			Expect(twice == once).To(BeTrue(), "%s %s", rec.Kind, rec.Shape)
		}
	})
})

// report says on the verbose output which record fell short, and how.
func report(what string, rec record, out string) {
	fmt.Fprintf(GinkgoWriter, "%s %s %s\n\tin  %.600q\n\tout %.600q\n", what, rec.Kind, rec.Shape, rec.input(), out)
}
