//go:build unix

package trail_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/trail"
)

var _ = Describe("verifying a log", func() {
	var (
		p    place
		log  [][]byte // the lines of a sound log of ten calls
		head trail.Head
	)

	BeforeEach(func(ctx SpecContext) {
		p = newPlace()
		l := open(p.options())
		for i := range 10 {
			call(ctx, l, fmt.Sprint("event", i))
		}
		var err error
		head, err = l.Close()
		Expect(err).NotTo(HaveOccurred())
		b, err := os.ReadFile(p.log)
		Expect(err).NotTo(HaveOccurred())
		log = slices.Collect(bytes.Lines(b))
	})

	verify := func(c trail.Check, lines ...[]byte) trail.Report {
		GinkgoHelper()
		r, err := trail.Verify(c, trail.Source{Name: "log", Reader: bytes.NewReader(bytes.Join(lines, nil))})
		Expect(err).NotTo(HaveOccurred())
		return r
	}

	It("finds nothing in a sound one, and counts it", func() {
		r := verify(trail.Check{Anchor: &head}, log...)
		Expect(r.Sound()).To(BeTrue())
		Expect(r).To(And(HaveField("Records", 20), HaveField("Attempts", 10), HaveField("Outcomes", 10), HaveField("Orphans", BeEmpty()),
			HaveField("Head", head)))
		Expect(r.FirstSeq()).To(BeEquivalentTo(1))
	})

	// reseal gives a line another text and a hash that fits it, as an attacker would.
	reseal := func(line []byte, from, to string) []byte {
		body, _, _ := bytes.Cut(line, []byte(`,"hash":"`))
		body = bytes.Replace(body, []byte(from), []byte(to), 1)
		return fmt.Appendf(nil, "%s,\"hash\":\"%x\"}\n", body, sha256.Sum256(body))
	}

	DescribeTable("names the first bad line",
		func(mutate func(l [][]byte) [][]byte, line int, what string) {
			r := verify(trail.Check{}, mutate(slices.Clone(log))...)
			Expect(r.Problems).NotTo(BeEmpty())
			Expect(r.Problems[0].Line).To(Equal(line))
			Expect(r.Problems[0].String()).To(And(HavePrefix("log:"+strconv.Itoa(line)+": "), ContainSubstring(what)))
		},
		Entry("edited", func(l [][]byte) [][]byte {
			l[4] = bytes.Replace(l[4], []byte("ls -la"), []byte("ls -lb"), 1)
			return l
		}, 5, "was edited"),
		Entry("edited, with a hash to fit", func(l [][]byte) [][]byte { l[4] = reseal(l[4], "ls -la", "ls -lb"); return l }, 6, "was replaced"),
		Entry("inserted", func(l [][]byte) [][]byte { return slices.Insert(l, 4, []byte("{\"v\":1}\n")) }, 5, "not a record"),
		Entry("removed", func(l [][]byte) [][]byte { return slices.Delete(l, 4, 6) }, 5, "records 5 to 6 are missing"),
		Entry("doubled", func(l [][]byte) [][]byte { return slices.Insert(l, 5, l[4]) }, 6, "doubled, moved or put back"),
		Entry("swapped", func(l [][]byte) [][]byte { l[4], l[5] = l[5], l[4]; return l }, 5, "missing before it"),
		Entry("torn at the end", func(l [][]byte) [][]byte { l[19] = l[19][:40]; return l }, 20, "torn"),
		Entry("two lines made one", func(l [][]byte) [][]byte { l[4] = bytes.TrimSuffix(l[4], []byte("\n")); return l }, 5, "not a record"),
		Entry("an escape sequence, for whoever looks at the file", func(l [][]byte) [][]byte {
			l[4] = bytes.Replace(l[4], []byte("ls"), []byte("\x1b["), 1)
			return l
		}, 5, "never written"),
		Entry("a line without end", func(l [][]byte) [][]byte {
			l[4] = append(bytes.Repeat([]byte("x"), 3*trail.MaxLine), '\n')
			return l
		}, 5, "longer than 64 KiB"),
		Entry("no JSON, but a hash to fit", func(l [][]byte) [][]byte { l[0] = reseal(l[0], `"tool":`, `tool`); return l }, 1, "not a record"),
		Entry("a first record that claims to follow another", func(l [][]byte) [][]byte {
			l[0] = reseal(l[0], strings.Repeat("0", 64), strings.Repeat("1", 64))
			return l
		}, 1, "does not begin a chain"),
	)

	It("notices a cut tail only with an anchor", func() {
		Expect(verify(trail.Check{}, log[:15]...).Sound()).To(BeTrue())
		r := verify(trail.Check{Anchor: &head}, log[:15]...)
		Expect(r.Problems).To(HaveExactElements(And(HaveField("Line", 16), HaveField("What", ContainSubstring("ends at record 15, the anchor is record 20")))))
	})

	It("accepts a log that has grown past its anchor, and none that was made anew", func() {
		e, err := trail.ParseEntry(log[9])
		Expect(err).NotTo(HaveOccurred())
		Expect(verify(trail.Check{Anchor: &trail.Head{Seq: 10, Hash: e.Hash}}, log...).Sound()).To(BeTrue())
		r := verify(trail.Check{Anchor: &trail.Head{Seq: 10, Hash: head.Hash}}, log...)
		Expect(r.Problems).To(HaveExactElements(HaveField("Line", 10)))
	})

	It("says when the anchor is in an earlier file", func() {
		e, err := trail.ParseEntry(log[1])
		Expect(err).NotTo(HaveOccurred())
		r := verify(trail.Check{Anchor: &trail.Head{Seq: 2, Hash: e.Hash}}, log[5:]...)
		Expect(r.Problems).To(HaveExactElements(HaveField("What", ContainSubstring("not in these files"))))
	})

	It("accepts a log whose earlier files were removed, and says where it begins", func() {
		r := verify(trail.Check{}, log[7:]...)
		Expect(r.Sound()).To(BeTrue())
		Expect(r.FirstSeq()).To(BeEquivalentTo(8))
		Expect(verify(trail.Check{Whole: true}, log[7:]...).Problems).To(HaveExactElements(HaveField("What", "records 1 to 7 are missing before it")))
	})

	It("lists attempts without outcome", func() {
		r := verify(trail.Check{}, log[:19]...)
		Expect(r.Sound()).To(BeTrue())
		Expect(r.Orphans).To(HaveExactElements(And(HaveField("EventID", "event9"), HaveField("Seq", uint64(19)), HaveField("PID", os.Getpid()))))
	})

	It("needs the key that the log was written with", func(ctx SpecContext) {
		o := newPlace().options()
		o.Key = []byte("a key of the operator")
		l := open(o)
		call(ctx, l, "a")
		Expect(trail.VerifyFiles(trail.Check{Key: o.Key}, o.Path)).To(HaveField("Bad", 0))
		Expect(trail.VerifyFiles(trail.Check{}, o.Path)).To(HaveField("Bad", 2))
		Expect(trail.VerifyFiles(trail.Check{Key: []byte("another one")}, o.Path)).To(HaveField("Bad", 2))
	})

	It("reads files in the order of the chain, however they are named", func() {
		first, second := filepath.Join(p.dir, "z"), filepath.Join(p.dir, "a")
		Expect(os.WriteFile(first, bytes.Join(log[:8], nil), 0o600)).To(Succeed())
		Expect(os.WriteFile(second, bytes.Join(log[8:], nil), 0o600)).To(Succeed())
		Expect(trail.VerifyFiles(trail.Check{}, second, first)).To(And(HaveField("Bad", 0), HaveField("Records", 20)))
	})

	It("finds a gap between files", func() {
		first, second := filepath.Join(p.dir, "a"), filepath.Join(p.dir, "b")
		Expect(os.WriteFile(first, bytes.Join(log[:8], nil), 0o600)).To(Succeed())
		Expect(os.WriteFile(second, bytes.Join(log[10:], nil), 0o600)).To(Succeed())
		r, err := trail.VerifyFiles(trail.Check{}, first, second)
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Problems).To(HaveExactElements(And(HaveField("File", second), HaveField("Line", 1), HaveField("What", ContainSubstring("records 9 to 10 are missing")))))
	})

	It("reports a file that cannot be read", func() {
		_, err := trail.VerifyFiles(trail.Check{}, filepath.Join(p.dir, "missing"))
		Expect(err).To(MatchError(os.ErrNotExist))
	})

	It("gives the head of a log on demand", func() {
		Expect(trail.ReadHead(p.log)).To(Equal(head))
	})

	It("finds every random mutation at the first bad line", func() {
		seed := uint64(GinkgoRandomSeed())
		random := rand.New(rand.NewPCG(seed, 1))
		for i := range trials("TRAIL_MUTATIONS", 1_000) {
			mutated, line := mutate(random, log)
			r := verify(trail.Check{Anchor: &head, Whole: true}, mutated...)
			Expect(r.Problems).NotTo(BeEmpty(), "mutation %d of seed %d is not found", i, seed)
			Expect(r.Problems[0].Line).To(Equal(line), "mutation %d of seed %d", i, seed)
		}
	})
})

// mutate damages a log in a random way, and tells the first line that differs.
func mutate(random *rand.Rand, log [][]byte) ([][]byte, int) {
	l := slices.Clone(log)
	at := random.IntN(len(l))
	other := random.IntN(len(l))
	switch random.IntN(8) {
	case 0: // a bit flips
		l[at] = bytes.Clone(l[at])
		l[at][random.IntN(len(l[at]))] ^= 1 << random.IntN(8)
	case 1: // a byte is replaced by a printable one
		l[at] = bytes.Clone(l[at])
		i := random.IntN(len(l[at]))
		l[at][i] = ' ' + (l[at][i]-' '+1+byte(random.IntN(94)))%95
	case 2: // a byte is lost
		i := random.IntN(len(l[at]))
		l[at] = slices.Concat(l[at][:i], l[at][i+1:])
	case 3: // lines are lost
		l = slices.Delete(l, at, at+1+random.IntN(len(l)-at))
	case 4: // a line is put in again elsewhere
		l = slices.Insert(l, at, l[other])
		if same(l[at], log[min(at, len(log)-1)]) {
			at++
		}
	case 5: // a line of garbage
		l = slices.Insert(l, at, fmt.Appendf(nil, "{\"v\":1,\"seq\":%d}\n", at))
	case 6: // two lines change places
		if at == other {
			other = (at + 1) % len(l)
		}
		l[at], l[other] = l[other], l[at]
		at = min(at, other)
	case 7: // the tail is cut within a line
		l[at] = l[at][:random.IntN(len(l[at]))]
		l = l[:at+1]
	}
	return l, at + 1
}

func same(a, b []byte) bool { return bytes.Equal(a, b) }

// trials gives how often to repeat, from the environment or short.
func trials(name string, short int) int {
	GinkgoHelper()
	text, ok := os.LookupEnv(name)
	if !ok {
		return short
	}
	n, err := strconv.Atoi(text)
	Expect(err).NotTo(HaveOccurred())
	return n
}
