//go:build unix

package trail_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/trail"
)

// census counts the records of a whole trail by event and kind, after verifying it.
func census(log string) (map[string]int, trail.Report) {
	GinkgoHelper()
	files, err := filepath.Glob(log + ".0*")
	Expect(err).NotTo(HaveOccurred())
	files = append(files, log)
	r, err := trail.VerifyFiles(trail.Check{Whole: true}, files...)
	Expect(err).NotTo(HaveOccurred())
	Expect(r.Problems).To(BeEmpty())
	seen := make(map[string]int)
	for _, file := range files {
		for _, e := range entries(file) {
			seen[string(e.Kind)+" "+e.EventID]++
		}
	}
	return seen, r
}

var _ = Describe("two servers on one log", func() {
	// TRAIL_CALLS=100000 is the long run.
	It("lose, double and mismatch nothing with 32 calls in flight each, and grow by nothing", func() {
		p := newPlace()
		calls := trials("TRAIL_CALLS", 2_000) / 2
		a := startChild("load", p.log, "TRAIL_MAX_BYTES=1000000")
		b := startChild("load", p.log, "TRAIL_MAX_BYTES=1000000")
		for _, c := range []*child{a, b} {
			_, err := fmt.Fprintln(c.in, calls)
			Expect(err).NotTo(HaveOccurred())
		}
		for _, c := range []*child{a, b} {
			var goroutines, files, heap int
			_, err := fmt.Sscan(c.hear(), &goroutines, &files, &heap)
			Expect(err).NotTo(HaveOccurred())
			Expect(goroutines).To(BeNumerically("<=", 0))
			Expect(files).To(BeNumerically("<=", 0))
			Expect(heap).To(BeNumerically("<", 5<<20))
			Expect(c.Wait()).To(Succeed())
		}
		seen, r := census(p.log)
		Expect(r).To(And(HaveField("Attempts", 2*calls), HaveField("Outcomes", 2*calls), HaveField("Orphans", BeEmpty())))
		Expect(seen).To(HaveLen(4 * calls))
	})

	It("verify while they write", func() {
		p := newPlace()
		for range 2 {
			c := startChild("busy", p.log)
			Expect(c.hear()).To(Equal("ready"))
			go func() {
				for c.out.Scan() {
					continue // keeps its pipe from filling
				}
			}()
		}
		for range 50 {
			r, err := trail.VerifyFiles(trail.Check{Whole: true}, p.log)
			Expect(err).NotTo(HaveOccurred())
			Expect(r.Problems).To(BeEmpty())
		}
	})

	It("are not held up by a stopped one that has the lock", func(ctx SpecContext) {
		p := newPlace()
		peer := startChild("serve", p.log)
		Expect(peer.hear()).To(Equal("ready"))
		Expect(peer.say("hold")).To(Equal("ok"))
		Expect(peer.Process.Signal(syscall.SIGSTOP)).To(Succeed())

		o := p.options()
		o.LockTimeout = 200 * time.Millisecond
		_, err := trail.Open(o)
		Expect(err).To(MatchError(ContainSubstring("locked by another process")))

		Expect(peer.Process.Kill()).To(Succeed())
		_ = peer.Wait()
		call(ctx, open(o), "a")
	})
})

var _ = Describe("a killed server", func() {
	// kill starts servers on one log and kills them at a random time, and returns what
	// they said they ran and answered.
	kill := func(log string, servers int) []string {
		GinkgoHelper()
		var said []string
		var cs []*child
		for range servers {
			cs = append(cs, startChild("busy", log, "TRAIL_MAX_BYTES=200000"))
		}
		for _, c := range cs {
			Expect(c.hear()).To(Equal("ready"))
		}
		timer := time.NewTimer(time.Duration(rand.IntN(20_000)) * time.Microsecond)
		DeferCleanup(timer.Stop)
		for i, c := range cs {
			if i == 0 {
				<-timer.C
			}
			Expect(c.Process.Kill()).To(Succeed())
			for c.out.Scan() {
				said = append(said, c.out.Text())
			}
			_ = c.Wait()
		}
		return said
	}

	// TRAIL_KILLS=10000 is the long run.
	DescribeTable("leaves no command that ran unlogged, no answer without a record, no torn line",
		func(ctx SpecContext, servers int) {
			p := placeIn(memoryDir())
			seen := make(map[string]int)
			for range trials("TRAIL_KILLS", 30) / servers {
				for _, line := range kill(p.log, servers) {
					seen[line]++
				}
			}
			// The restart repairs; then the log is sound.
			_, err := open(p.options()).Close()
			Expect(err).NotTo(HaveOccurred())
			records, _ := census(p.log)
			Expect(seen).NotTo(BeEmpty())
			for line := range seen {
				what, id, _ := strings.Cut(line, " ")
				kind := map[string]trail.Kind{"ran": trail.Attempt, "answered": trail.Outcome}[what]
				Expect(records).To(HaveKeyWithValue(string(kind)+" "+id, 1), line)
			}
		},
		Entry("alone", 1),
		Entry("beside another that shares the log", 2),
	)
})
