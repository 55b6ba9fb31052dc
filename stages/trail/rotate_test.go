//go:build unix

package trail_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/trail"
)

var _ = Describe("rotation by size", func() {
	var (
		p place
		o trail.Options
	)

	BeforeEach(func() {
		p = newPlace()
		o = p.options()
		o.MaxBytes, o.Sync = trail.MaxLine, trail.SyncNever
	})

	// fill appends calls that are a third of a file each.
	fill := func(ctx SpecContext, l *trail.Log, name string, calls int) {
		GinkgoHelper()
		big := strings.Repeat("x", 10_000)
		for i := range calls {
			for _, r := range []trail.Record{attempt(fmt.Sprint(name, i)), outcome(fmt.Sprint(name, i))} {
				r.CommandRaw = &big
				Expect(l.Append(ctx, r)).To(Succeed())
			}
		}
	}

	finished := func() []string {
		GinkgoHelper()
		names, err := filepath.Glob(p.log + ".0*")
		Expect(err).NotTo(HaveOccurred())
		return names
	}

	It("begins a new file, names the old one by its first record and carries the chain over", func(ctx SpecContext) {
		fill(ctx, open(o), "e", 10)
		Expect(finished()[0]).To(HaveSuffix("audit.jsonl.000000000001"))
		for _, name := range finished() {
			Expect(os.Stat(name)).To(And(HaveField("Size()", BeNumerically("<=", o.MaxBytes)), HaveField("Mode()", os.FileMode(0o600))))
		}
		files, err := trail.Files(p.log)
		Expect(err).NotTo(HaveOccurred())
		Expect(files).To(Equal(append(finished(), p.log)))
		Expect(trail.VerifyFiles(trail.Check{Whole: true}, files...)).To(
			And(HaveField("Bad", 0), HaveField("Records", 20), HaveField("Orphans", BeEmpty())))
	})

	It("keeps all files unless told otherwise", func(ctx SpecContext) {
		fill(ctx, open(o), "e", 30)
		Expect(len(finished())).To(BeNumerically(">", 8))
	})

	It("keeps as many as it is told, the newest, and leaves other files alone", func(ctx SpecContext) {
		foreign := []string{p.log + ".000000000000.gz", p.log + ".1", p.log + ".torn.000000000000"}
		for _, name := range foreign {
			Expect(os.WriteFile(name, nil, 0o600)).To(Succeed())
		}
		o.Keep = 2
		fill(ctx, open(o), "e", 30)
		for _, name := range foreign {
			Expect(name).To(BeARegularFile())
		}
		ours, err := filepath.Glob(p.log + ".[0-9]*[0-9]")
		Expect(err).NotTo(HaveOccurred())
		Expect(ours).To(HaveLen(2))
		r, err := trail.VerifyFiles(trail.Check{}, append(ours, p.log)...)
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Sound()).To(BeTrue())
		Expect(r.FirstSeq()).To(BeNumerically(">", 1), "what is gone can be seen")
	})

	It("is followed by another server", func(ctx SpecContext) {
		a, b := open(o), open(o)
		for i := range 10 {
			fill(ctx, a, fmt.Sprint("a", i), 2)
			fill(ctx, b, fmt.Sprint("b", i), 2)
		}
		Expect(trail.VerifyFiles(trail.Check{}, append(finished(), p.log)...)).To(And(HaveField("Bad", 0), HaveField("Records", 80)))
	})

	It("does not replace a file that has the name already", func(ctx SpecContext) {
		taken := p.log + ".000000000001"
		Expect(os.WriteFile(taken, []byte("mine"), 0o600)).To(Succeed())
		fill(ctx, open(o), "e", 4)
		Expect(os.ReadFile(taken)).To(Equal([]byte("mine")))
		Expect(taken + "-2").To(BeARegularFile())
	})

	It("goes on in the old file when the new one cannot be begun", func(ctx SpecContext) {
		if os.Geteuid() == 0 {
			Skip("root may write in any directory")
		}
		l := open(o)
		Expect(os.Chmod(filepath.Dir(p.log), 0o500)).To(Succeed())
		DeferCleanup(os.Chmod, filepath.Dir(p.log), os.FileMode(0o700))
		fill(ctx, l, "e", 10)
		Expect(entries(p.log)).To(HaveLen(20))
	})

	It("lets a server that starts on a missing file continue the chain of the finished ones", func(ctx SpecContext) {
		l := open(o)
		fill(ctx, l, "e", 10)
		head, err := l.Close()
		Expect(err).NotTo(HaveOccurred())
		Expect(os.Rename(p.log, p.log+".1")).To(Succeed())
		again := open(o)
		fill(ctx, again, "f", 1)
		Expect(entries(p.log)[0].PrevHash).To(Equal(head.Hash))
	})
})

var _ = Describe("room on the disk", func() {
	It("is kept for the outcome before an attempt is written", func(ctx SpecContext) {
		p, d := newPlace(), &door{}
		o := p.options()
		o.Wrap = d.wrap
		l := open(o)
		d.every("reserve", fails(syscall.ENOSPC))
		Expect(l.Append(ctx, attempt("a"))).To(MatchError(syscall.ENOSPC))
		Expect(lines(p.log)).To(BeEmpty())
	})

	It("is given back at the end", func(ctx SpecContext) {
		p := newPlace()
		l := open(p.options())
		call(ctx, l, "a")
		_, err := l.Close()
		Expect(err).NotTo(HaveOccurred())
		info, err := os.Stat(p.log)
		Expect(err).NotTo(HaveOccurred())
		Expect(info.Sys().(*syscall.Stat_t).Blocks * 512).To(BeNumerically("<=", 64<<10))
	})
})
