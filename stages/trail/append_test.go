//go:build unix

package trail_test

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/trail"
)

var _ = Describe("appending", func() {
	var (
		p place
		d *door
		j *journal
		o trail.Options
	)

	BeforeEach(func() {
		p, d, j = newPlace(), &door{}, &journal{}
		o = p.options()
		o.Wrap, o.Logger = d.wrap, j.logger()
		o.Timeout, o.LockTimeout = 500*time.Millisecond, 100*time.Millisecond
	})

	It("cuts a short write back, so that no torn line stays", func(ctx SpecContext) {
		l := open(o)
		d.every("write", short)
		Expect(l.Append(ctx, attempt("a"))).NotTo(Succeed())
		Expect(lines(p.log)).To(BeEmpty())
		d.set(nil)
		call(ctx, l, "b")
		Expect(entries(p.log)).To(HaveEach(HaveField("EventID", "b")))
	})

	It("refuses attempts while an outcome is owed, and writes it as soon as it can", func(ctx SpecContext) {
		l := open(o)
		Expect(l.Append(ctx, attempt("a"))).To(Succeed())
		d.every("write", fails(syscall.EIO))
		Expect(l.Append(ctx, outcome("a"))).NotTo(Succeed())
		Expect(l.Append(ctx, attempt("b"))).To(MatchError(ContainSubstring("an outcome is still to be written")))
		d.set(nil)
		Expect(l.Append(ctx, attempt("c"))).To(Succeed())
		Expect(entries(p.log)).To(HaveExactElements(
			And(HaveField("EventID", "a"), HaveField("Kind", trail.Attempt)),
			And(HaveField("EventID", "a"), HaveField("Kind", trail.Outcome)),
			HaveField("EventID", "c")))
		Eventually(j.String).Should(ContainSubstring("audit log is sound again"))
	})

	It("writes an owed outcome without being called", func(ctx SpecContext) {
		l := open(o)
		Expect(l.Append(ctx, attempt("a"))).To(Succeed())
		d.every("write", fails(syscall.EIO))
		Expect(l.Append(ctx, outcome("a"))).NotTo(Succeed())
		d.set(nil)
		Eventually(func() int { return len(lines(p.log)) }, "5s").Should(Equal(2))
	})

	It("does not take the outcome of a call that never ran as owed", func(ctx SpecContext) {
		l := open(o)
		d.every("write", fails(syscall.EIO))
		Expect(l.Append(ctx, outcome("denied"))).NotTo(Succeed())
		d.set(nil)
		call(ctx, l, "a")
		Expect(entries(p.log)).To(HaveEach(HaveField("EventID", "a")))
	})

	It("does not write a record twice that was written although the write failed", func(ctx SpecContext) {
		l := open(o)
		Expect(l.Append(ctx, attempt("a"))).To(Succeed())
		d.set(func(_ int, op string) fault {
			switch op {
			case "write":
				return func(_ string, f trail.File, p []byte) (int, error) {
					_, _ = f.Write(p)
					return 0, syscall.EIO
				}
			case "truncate":
				return fails(syscall.EIO)
			}
			return nil
		})
		Expect(l.Append(ctx, outcome("a"))).NotTo(Succeed())
		d.set(nil)
		call(ctx, l, "b")
		Expect(entries(p.log)).To(HaveLen(4))
	})

	It("syncs an attempt before it returns, and not its outcome", func(ctx SpecContext) {
		l := open(o)
		d.every("sync", fails(syscall.EIO))
		Expect(l.Append(ctx, outcome("a"))).To(Succeed())
		Expect(l.Append(ctx, attempt("b"))).NotTo(Succeed())
	})

	It("syncs every record with sync = always", func(ctx SpecContext) {
		o.Sync = trail.SyncAlways
		l := open(o)
		d.every("sync", fails(syscall.EIO))
		Expect(l.Append(ctx, outcome("a"))).NotTo(Succeed())
	})

	It("syncs nothing with sync = never", func(ctx SpecContext) {
		o.Sync = trail.SyncNever
		l := open(o)
		d.every("sync", fails(syscall.EIO))
		call(ctx, l, "a")
	})

	It("gives a file up after a failed fsync, and carries the chain over to a new one", func(ctx SpecContext) {
		l := open(o)
		call(ctx, l, "a")
		d.every("sync", fails(syscall.EIO))
		Expect(l.Append(ctx, attempt("b"))).NotTo(Succeed())
		d.set(nil)
		call(ctx, l, "c")
		Expect(entries(p.log + ".000000000001")).To(HaveLen(3))
		Expect(entries(p.log)).To(HaveExactElements(HaveField("Seq", uint64(4)), HaveField("Seq", uint64(5))))
		Expect(entries(p.log)[0].PrevHash).To(Equal(entries(p.log + ".000000000001")[2].Hash))
	})

	It("is refused in time while fsync hangs, at once when that is known, and works again after", func(ctx SpecContext) {
		l := open(o)
		release := make(chan struct{})
		d.every("sync", func(string, trail.File, []byte) (int, error) { <-release; return 0, nil })
		Expect(l.Append(ctx, attempt("a"))).To(MatchError(trail.ErrTimeout))
		Eventually(func() time.Duration {
			start := time.Now()
			Expect(l.Append(ctx, attempt("b"))).To(MatchError(trail.ErrTimeout))
			return time.Since(start)
		}, "5s").Should(BeNumerically("<", o.Timeout/2))
		d.set(nil)
		close(release)
		Eventually(func() error { return l.Append(ctx, attempt("c")) }).Should(Succeed())
	})

	It("waits no longer than its deadline for a lock somebody holds", func(ctx SpecContext) {
		l := open(o)
		f, err := os.Open(p.log)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(f.Close)
		Expect(syscall.Flock(int(f.Fd()), syscall.LOCK_EX)).To(Succeed())
		Expect(l.Append(ctx, attempt("a"))).To(MatchError(ContainSubstring("locked by another process")))
		Expect(syscall.Flock(int(f.Fd()), syscall.LOCK_UN)).To(Succeed())
		call(ctx, l, "b")
	})

	It("gives up with its context, and does not write the attempt afterwards", func(ctx SpecContext) {
		l := open(o)
		release := make(chan struct{})
		d.every("lock", func(string, trail.File, []byte) (int, error) { <-release; return 0, nil })
		go func() { defer GinkgoRecover(); _ = l.Append(ctx, outcome("first")) }()
		Eventually(d.operations).Should(BeNumerically(">", 0))
		cut, cancel := context.WithTimeoutCause(ctx, 50*time.Millisecond, errors.New("shutting down"))
		defer cancel()
		Expect(l.Append(cut, attempt("late"))).To(MatchError(ContainSubstring("shutting down")))
		d.set(nil)
		close(release)
		call(ctx, l, "next")
		Expect(entries(p.log)).To(HaveEach(Not(HaveField("EventID", "late"))))
	})

	It("survives a panic below it", func(ctx SpecContext) {
		l := open(o)
		d.every("write", breaks)
		Expect(l.Append(ctx, attempt("a"))).To(MatchError(ContainSubstring("panic")))
		d.set(nil)
		call(ctx, l, "b")
	})

	It("is refused after Close, which gives the head", func(ctx SpecContext) {
		l := open(o)
		call(ctx, l, "a")
		head, err := l.Close()
		Expect(err).NotTo(HaveOccurred())
		Expect(head.Hash).To(Equal(entries(p.log)[1].Hash))
		Expect(l.Append(ctx, attempt("b"))).To(MatchError(trail.ErrClosed))
		_, err = l.Close()
		Expect(err).To(MatchError(trail.ErrClosed))
	})

	It("knows the policy of the last record found", func(ctx SpecContext) {
		l := open(o)
		Expect(l.LastPolicyHash()).To(BeEmpty())
		call(ctx, l, "a")
		Expect(open(o).LastPolicyHash()).To(Equal("abc"))
	})
})

var _ = Describe("open mode", func() {
	It("never fails, warns, and has the next record tell how many calls are missing", func(ctx SpecContext) {
		p, d, j := newPlace(), &door{}, &journal{}
		o := p.options()
		o.Wrap = d.wrap
		l := open(o)
		s := trail.FailOpen(l, j.logger())
		call(ctx, s, "a")
		d.every("write", fails(syscall.ENOSPC))
		call(ctx, s, "lost")
		Expect(s.Append(ctx, outcome("denied"))).To(Succeed())
		d.set(nil)
		call(ctx, s, "b")
		Expect(entries(p.log)).To(HaveExactElements(
			HaveField("Unlogged", BeZero()), HaveField("Unlogged", BeZero()),
			HaveField("Unlogged", BeEquivalentTo(2)), HaveField("Unlogged", BeZero())))
		Eventually(j.String).Should(ContainSubstring("a command runs although"))
	})

	It("does not count an outcome that the log still owes", func(ctx SpecContext) {
		p, d := newPlace(), &door{}
		o := p.options()
		o.Wrap = d.wrap
		l := open(o)
		s := trail.FailOpen(l, nil)
		Expect(s.Append(ctx, attempt("a"))).To(Succeed())
		d.every("write", fails(syscall.ENOSPC))
		Expect(s.Append(ctx, outcome("a"))).To(Succeed())
		d.set(nil)
		call(ctx, s, "b")
		Expect(entries(p.log)).To(And(HaveLen(4), HaveEach(HaveField("Unlogged", BeZero()))))
	})

	It("does not wait for an operator's log that blocks", func(ctx SpecContext) {
		p, d := newPlace(), &door{}
		o := p.options()
		o.Wrap = d.wrap
		l := open(o)
		stuck := &journal{}
		stuck.mu.Lock()
		DeferCleanup(stuck.mu.Unlock)
		s := trail.FailOpen(l, stuck.logger())
		d.every("write", fails(syscall.ENOSPC))
		for range 200 {
			Expect(s.Append(ctx, attempt("a"))).To(Succeed())
		}
	}, SpecTimeout(10*time.Second))
})
