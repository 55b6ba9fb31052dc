package secrets_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/secrets"
)

// through writes text to a stream in pieces of the sizes that next gives.
func through(r *secrets.Redactor, text string, next func() int) string {
	GinkgoHelper()
	var out bytes.Buffer
	st := r.Stream(&out)
	for text != "" {
		n := min(len(text), max(1, next()))
		Expect(st.Write([]byte(text[:n]))).To(Equal(n))
		text = text[n:]
	}
	Expect(st.Close()).To(Succeed())
	return out.String()
}

// mixture is a text of several windows with everything in it that spans
// lines or hides: secrets across every kind of border.
func mixture() string {
	var b strings.Builder
	for _, rec := range corpus("positives.jsonl.gz") {
		b.WriteString(rec.Text)
		b.WriteByte('\n')
		b.WriteString(output(400))
	}
	return b.String()
}

var _ = Describe("a stream", func() {
	var r *secrets.Redactor

	BeforeEach(func() { r = compile(GinkgoTB()) })

	It("gives for short texts what the whole gives, wherever they are split", func() {
		for _, text := range []string{
			"TOKEN=" + token + "\nnext\n",
			"x\x1b[31m" + token[:9] + "\x1b[0m" + token[9:] + "\n",
			begin + body + end + "\n",
			"\xff\xfe" + strings.Join(strings.Split("TOKEN="+token, ""), "\x00") + "\x00",
			"password: |\n  " + password + "\nx: 1\n",
		} {
			want := r.Text(text).Text
			for cut := 1; cut < len(text); cut++ {
				first := true
				got := through(r, text, func() int {
					if first {
						first = false
						return cut
					}
					return len(text)
				})
				Expect(got == want).To(BeTrue(), "cut at %d: %q", cut, got)
			}
		}
	})

	It("gives for a text of many windows what the whole gives, in pieces of any size", func() {
		text := strings.Repeat(mixture(), 3)
		want := r.Text(text).Text
		rnd := rand.New(rand.NewPCG(1, 9))
		for _, next := range []func() int{
			func() int { return 1 << 20 },
			func() int { return 4096 },
			func() int { return 256<<10 + 1 },
			func() int { return 256 << 10 },
			func() int { return 1 + rnd.IntN(70000) },
			func() int { return 1 + rnd.IntN(200) },
		} {
			Expect(through(r, text, next) == want).To(BeTrue())
		}
	})

	It("finds in a long text what it finds in each part", func() {
		for _, rec := range corpus("positives.jsonl.gz")[:200] {
			for _, n := range []int{256<<10 - len(rec.Text)/2, 256<<10 - 16<<10 - 7, 256<<10 + 5} {
				text := clean()[:n] + "\n" + rec.Text + "\n" + clean()
				out := r.Text(text).Text
				Expect(out == clean()[:n]+"\n"+r.Text(rec.Text+"\n").Text+clean() || strings.Contains(rec.Kind, "pgpass")).To(BeTrue(), "%s %s after %d", rec.Kind, rec.Shape, n)
			}
		}
	})

	It("sees a value of several lines whole, wherever a window ends in it", func() {
		value := "Falc0n+river\nsecond line 22\nthird line 33"
		for n := range 60 {
			text := clean()[:256<<10-n] + "\npassword: \"" + value + "\"\n" + clean()
			Expect(survives("second line 22", []string{r.Text(text).Text})).To(BeFalse(), "%d bytes before the end", n)
		}
	})

	It("takes a key block that is longer than a window whole", func() {
		text := "before\n" + begin + strings.Repeat(body, 2000) + end + "\nafter\n"
		out := through(r, text, func() int { return 1000 })
		Expect(out).To(Equal(r.Text(text).Text))
		Expect(out).NotTo(ContainSubstring("MIIEpAIB"))
		Expect(out).To(And(HavePrefix("before\n"), HaveSuffix("after\n")))
	})

	It("takes a token that is longer than a window whole", func() {
		text := "TOKEN=" + token + strings.Repeat("a1B2", 200<<10) + " after\n"
		out := through(r, text, func() int { return 5000 })
		Expect(out).To(Equal(r.Text(text).Text))
		Expect(len(out)).To(BeNumerically("<", 100))
	})

	It("holds no more than its window, whatever is written", func() {
		var most int
		st := r.Stream(writer(func(p []byte) (int, error) { return len(p), nil }))
		text := []byte(output(1 << 20))
		for range 32 {
			_, err := st.Write(text)
			Expect(err).NotTo(HaveOccurred())
			most = max(most, st.Held())
		}
		Expect(st.Close()).To(Succeed())
		Expect(most).To(BeNumerically("<=", 256<<10+1))
	})

	It("reports the pattern and the line of each finding", func() {
		var found []secrets.Finding
		st := r.Stream(new(bytes.Buffer))
		st.Report(func(f secrets.Finding) { found = append(found, f) })
		_, err := st.Write([]byte("one\nTOKEN=" + token + "\n" + begin + body + end + "\nDB_PASSWORD=" + password + "\n"))
		Expect(err).NotTo(HaveOccurred())
		Expect(st.Close()).To(Succeed())
		Expect(found).To(Equal([]secrets.Finding{{Name: "github_token", Line: 2}, {Name: "private_key", Line: 3}, {Name: "key_value", Line: 10}}))
		Expect(st.Counts()).To(Equal(map[string]int{"github_token": 1, "private_key": 1, "key_value": 1}))
	})

	It("tells of a writer that fails", func() {
		broken := errors.New("broken pipe")
		st := r.Stream(writer(func([]byte) (int, error) { return 0, broken }))
		_, err := st.Write([]byte("x\n"))
		Expect(err).NotTo(HaveOccurred())
		Expect(st.Close()).To(MatchError(broken))
	})
})

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

var clean = sync.OnceValue(func() string { return output(300 << 10) })

var _ = Describe("the head of a longer text", func() {
	It("shows no part of a secret, wherever it is cut", func() {
		r := compile(GinkgoTB())
		secret := "x\nTOKEN=" + token + "\ny\n" + begin + body + end + "\nDB_PASSWORD=" + password + "\nz\n"
		for n := range len(secret) {
			for _, margin := range []int{0, 10, len(secret) / 2} {
				out := r.Head(secret[:n]+strings.Repeat("n", margin), margin)
				for _, s := range []string{token, password, strings.Split(body, "\n")[1]} {
					if i := strings.Index(secret, s); n >= i+len(s) {
						Expect(survives(s, []string{out.Text})).To(BeFalse(), "cut at %d", n)
					}
				}
			}
		}
	})

	It("keeps raw text up to the margin, and a match that begins before it whole", func() {
		r := compile(GinkgoTB())
		Expect(r.Head("abcdef", 2).Text).To(Equal("abcd"))
		Expect(r.Head("ab", 5).Text).To(BeEmpty())
		in := "ab TOKEN=" + token + " cd"
		Expect(r.Head(in, 10).Text).To(Equal("ab TOKEN=[REDACTED:github_token]"))
		Expect(r.Head(in, len(token)+5).Text).To(Equal("ab TOKE"))
		Expect(r.Head(in, len(token)+5).Counts).To(BeEmpty())
	})

	It("runs an unterminated key block to the end", func() {
		r := compile(GinkgoTB())
		Expect(r.Head("x\n"+begin+body, 40).Text).To(Equal("x\n[REDACTED:private_key]"))
	})
})

var _ = Describe("CutAt", func() {
	DescribeTable("cuts where nothing is broken", func(text string, limit, want int) {
		Expect(secrets.CutAt(text, limit)).To(Equal(want))
	},
		Entry("short of the limit", "abc", 5, 3),
		Entry("at a limit between letters", "abc", 2, 2),
		Entry("before a rune", "aé", 2, 1),
		Entry("before a long rune", "a😀b", 4, 1),
		Entry("after a rune", "aéb", 3, 3),
		Entry("before a marker", "ab[REDACTED:jwt]cd", 7, 2),
		Entry("before a marker's last byte", "ab[REDACTED:jwt]cd", 15, 2),
		Entry("after a marker", "ab[REDACTED:jwt]cd", 16, 16),
		Entry("between markers", "[REDACTED:jwt][REDACTED:jwt]", 14, 14),
		Entry("inside what is no marker", "ab[REDACTED: x", 8, 8),
		Entry("a limit below zero", "abc", -1, 0),
		Entry("nothing but stray continuation bytes", "\x80\x80\x80\x80\x80", 4, 1),
	)
})
