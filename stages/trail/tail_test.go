//go:build unix

package trail_test

import (
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/trail"
)

var _ = Describe("opening a log with a torn tail", func() {
	var (
		p place
		j *journal
		o trail.Options
	)

	BeforeEach(func(ctx SpecContext) {
		p, j = newPlace(), &journal{}
		o = p.options()
		o.Logger = j.logger()
		l, err := trail.Open(p.options())
		Expect(err).NotTo(HaveOccurred())
		call(ctx, l, "a")
		_, err = l.Close()
		Expect(err).NotTo(HaveOccurred())
	})

	DescribeTable("keeps complete records and moves the fragment aside",
		func(ctx SpecContext, fragment string) {
			before, err := os.ReadFile(p.log)
			Expect(err).NotTo(HaveOccurred())
			Expect(os.WriteFile(p.log, append(before, fragment...), 0o600)).To(Succeed())

			l := open(o)
			Expect(os.ReadFile(p.log)).To(Equal(before))
			Expect(os.ReadFile(p.log + ".torn.000000000002")).To(Equal([]byte(fragment)))
			Eventually(j.String).Should(ContainSubstring("moved aside"))
			call(ctx, l, "b")
			Expect(trail.VerifyFiles(trail.Check{}, p.log)).To(And(HaveField("Bad", 0), HaveField("Records", 4)))
		},
		Entry("half a record", `{"v":1,"seq":3,"ts":"2026`),
		Entry("a single byte", `{`),
		Entry("a block that was never written", strings.Repeat("\x00", 4096)),
		Entry("a record with a hole", `{"v":1,"seq":3,"ts`+"\x00\x00\x00"+`"}`+"\n"),
		Entry("a hole before a whole line", "\x00\x00\n{\"v\":1}\n"),
		Entry("more than fits in memory at once", strings.Repeat("\x00", 1<<20)),
	)

	It("has a file of nothing but a fragment begin anew", func(ctx SpecContext) {
		Expect(os.WriteFile(p.log, []byte(`{"v":1,"se`), 0o600)).To(Succeed())
		call(ctx, open(o), "b")
		Expect(entries(p.log)[0].Seq).To(BeEquivalentTo(1))
		Expect(p.log + ".torn.000000000000").To(BeARegularFile())
	})

	It("keeps several fragments apart", func() {
		for range 3 {
			f, err := os.OpenFile(p.log, os.O_APPEND|os.O_WRONLY, 0)
			Expect(err).NotTo(HaveOccurred())
			_, err = f.WriteString("half")
			Expect(err).NotTo(HaveOccurred())
			Expect(f.Close()).To(Succeed())
			l, err := trail.Open(o)
			Expect(err).NotTo(HaveOccurred())
			_, err = l.Close()
			Expect(err).NotTo(HaveOccurred())
		}
		Expect(filepath.Glob(p.log + ".torn.*")).To(HaveLen(3))
	})

	It("leaves whole lines that are no records where they are, for verify to name", func(ctx SpecContext) {
		before, err := os.ReadFile(p.log)
		Expect(err).NotTo(HaveOccurred())
		Expect(os.WriteFile(p.log, append(before, "an inserted line\n"...), 0o600)).To(Succeed())
		call(ctx, open(o), "b")
		r, err := trail.VerifyFiles(trail.Check{}, p.log)
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Problems).To(HaveExactElements(HaveField("Line", 3)))
	})

	It("goes on in a new file when the last record was edited", func(ctx SpecContext) {
		b, err := os.ReadFile(p.log)
		Expect(err).NotTo(HaveOccurred())
		edited := strings.Replace(string(b), `"code":"OK"`, `"code":"NO"`, 1)
		Expect(os.WriteFile(p.log, []byte(edited), 0o600)).To(Succeed())
		call(ctx, open(o), "b")
		Expect(os.ReadFile(p.log + ".000000000001")).To(Equal([]byte(edited)))
		Expect(entries(p.log)[0].Seq).To(BeEquivalentTo(3))
	})

	It("goes on in a new file when the key is another", func(ctx SpecContext) {
		o.Key = []byte("a key of the operator")
		call(ctx, open(o), "b")
		Expect(trail.VerifyFiles(trail.Check{Key: o.Key}, p.log)).To(HaveField("Bad", 0))
		Expect(trail.VerifyFiles(trail.Check{}, p.log+".000000000001")).To(HaveField("Bad", 0))
	})
})

var _ = Describe("attempts without outcome", func() {
	It("are listed at start by their event id, of servers that are gone", func(ctx SpecContext) {
		p, j := newPlace(), &journal{}
		l := open(p.options())
		call(ctx, l, "finished")
		Expect(l.Append(ctx, attempt("orphan"))).To(Succeed())
		_, err := l.Close()
		Expect(err).NotTo(HaveOccurred())

		o := p.options()
		o.Logger = j.logger()
		open(o)
		Eventually(j.String).Should(And(ContainSubstring("without outcome"), ContainSubstring("event_ids=orphan")))
	})

	It("are not listed when their outcome is in the next file", func() {
		first := strings.NewReader(record(1, "a", "attempt") + record(2, "b", "attempt"))
		second := strings.NewReader(record(3, "a", "outcome"))
		Expect(trail.Orphans(first, second)).To(HaveExactElements(HaveField("EventID", "b")))
	})
})

// record is a line that has all that a listing looks at.
func record(seq int, id, kind string) string {
	zeros := strings.Repeat("0", 64)
	return strings.NewReplacer("SEQ", string(rune('0'+seq)), "ID", id, "KIND", kind, "ZEROS", zeros).Replace(
		`{"v":1,"seq":SEQ,"ts":"2026-01-02T02:04:05.000006Z","writer":"w","pid":1,"event_id":"ID","record_type":"KIND","prev_hash":"ZEROS","hash":"ZEROS"}` + "\n")
}
