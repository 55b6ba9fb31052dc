//go:build unix

package trail_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/trail"
)

// trial is a small life of a log: some calls, rotations among them, and Close.
type trial struct {
	p     place
	d     *door
	sink  func(*trail.Log) trail.Sink
	opts  trail.Options
	fault int    // the number of the operation that fails
	end   func() // before Close: a hanging operation is let go
	ran   []string
	said  map[string]bool // records whose Append said they are written, by event and kind
	close error
}

func (t *trial) live(ctx context.Context, calls int) error {
	l, err := trail.Open(t.opts)
	if err != nil {
		return err
	}
	s := t.sink(l)
	for i := range calls {
		t.call(ctx, s, fmt.Sprint("event", i))
	}
	t.end()
	t.call(ctx, s, "second-last") // pays for what the fault has broken, at the latest
	Eventually(func() error { return l.Append(ctx, outcome(trail.NewEventID())) }, "5s", "20ms").Should(Succeed())
	if t.fault < t.d.operations() {
		t.call(ctx, s, "last")
		Eventually(func() error { return l.Append(ctx, attempt(trail.NewEventID())) }, "5s", "20ms").Should(Succeed(), "the log recovers by itself")
		Eventually(func() error { return l.Append(ctx, outcome(trail.NewEventID())) }, "5s", "20ms").Should(Succeed())
	}
	_, t.close = l.Close()
	return nil
}

func (t *trial) call(ctx context.Context, s trail.Sink, id string) {
	big := strings.Repeat("x", 12_000) // so that a few calls fill a file
	for _, r := range []trail.Record{attempt(id), outcome(id)} {
		r.CommandRaw = &big
		start := time.Now()
		err := s.Append(ctx, r)
		Expect(time.Since(start)).To(BeNumerically("<", 5*time.Second))
		t.said[id+string(r.Kind)] = err == nil
		if r.Kind == trail.Attempt && err == nil {
			t.ran = append(t.ran, id)
		}
		if r.Kind == trail.Attempt && err != nil {
			r = outcome(id) // nothing ran, and that is what the outcome says
			r.Result.Code = "AUDIT_UNAVAILABLE"
			_ = s.Append(ctx, r)
			return
		}
	}
}

// files are those of the log in the order of the chain.
func (t *trial) files() []string {
	finished, err := filepath.Glob(t.p.log + ".0*")
	Expect(err).NotTo(HaveOccurred())
	return append(finished, t.p.log)
}

// judge holds the files against what Append has said.
func (t *trial) judge(strict bool) {
	again, err := trail.Open(t.p.options())
	Expect(err).NotTo(HaveOccurred())
	_, err = again.Close()
	Expect(err).NotTo(HaveOccurred())

	report, err := trail.VerifyFiles(trail.Check{}, t.files()...)
	Expect(err).NotTo(HaveOccurred())
	Expect(report.Problems).To(BeEmpty())
	seen := make(map[string]int)
	var unlogged int64
	for _, file := range t.files() {
		for _, e := range entries(file) {
			seen[e.EventID+string(e.Kind)]++
			unlogged += e.Unlogged
		}
	}
	Expect(seen).NotTo(ContainElement(BeNumerically(">", 1)), "no record is there twice")
	if !strict {
		missing := 0
		for _, id := range t.ran {
			if seen[id+"attempt"] == 0 || seen[id+"outcome"] == 0 {
				missing++
			}
		}
		Expect(unlogged).To(BeEquivalentTo(missing), "each call that is not recorded is counted")
		return
	}
	for _, id := range t.ran {
		Expect(seen).To(HaveKey(id+"attempt"), "nothing ran unlogged")
		Expect(seen).To(HaveKey(id+"outcome"), "no outcome is lost")
	}
	for record, ok := range t.said {
		if ok {
			Expect(seen).To(HaveKey(record), "what Append confirmed is there")
		}
	}
}

var _ = Describe("the n-th file operation failing, for every n", func() {
	closed := func(l *trail.Log) trail.Sink { return l }
	lenient := func(l *trail.Log) trail.Sink { return trail.FailOpen(l, nil) }

	// run lets the n-th operation fail in a fresh log, and tells how many there were.
	run := func(ctx context.Context, dir string, sink func(*trail.Log) trail.Sink, strict, hangs bool, bad func(release <-chan struct{}) fault, n int) int {
		GinkgoHelper()
		p, d, release := placeIn(filepath.Join(dir, fmt.Sprint(n))), &door{}, make(chan struct{})
		t := &trial{p: p, d: d, sink: sink, fault: n, said: make(map[string]bool), opts: p.options()}
		t.opts.Wrap, t.opts.MaxBytes, t.opts.Sync = d.wrap, trail.MaxLine, trail.SyncAttempt
		if hangs {
			t.opts.Timeout, t.opts.LockTimeout = 150*time.Millisecond, 100*time.Millisecond
		}
		t.end = func() { close(release) }
		f := bad(release)
		d.set(func(i int, _ string) fault {
			if i == n {
				return f
			}
			return nil
		})
		defer func() {
			if p := recover(); p != nil { // the failure of the spec, on its way
				AddReportEntry(fmt.Sprintf("the operation that failed was number %d of %d", n, d.operations()))
				panic(p)
			}
		}()
		if err := t.live(ctx, 6); err != nil {
			t.end() // refused at start: nothing has run
		}
		t.judge(strict)
		return d.operations()
	}

	DescribeTable("keeps every promise",
		func(ctx SpecContext, sink func(*trail.Log) trail.Sink, strict, hangs bool, bad func(<-chan struct{}) fault) {
			dir := memoryDir()
			total := run(ctx, dir, sink, strict, hangs, bad, 0)
			Expect(total).To(BeNumerically(">", 60), "the trial has operations to fail")
			var side sync.WaitGroup // most of a trial with a hang is waiting
			for first := range 8 {
				side.Go(func() {
					defer GinkgoRecover()
					for n := 1 + first; n <= total; n += 8 {
						run(ctx, dir, sink, strict, hangs, bad, n)
					}
				})
			}
			side.Wait()
		},
		Entry("closed mode, an error", closed, true, false, erring),
		Entry("closed mode, a short write", closed, true, false, cutting),
		Entry("closed mode, a panic", closed, true, false, panicking),
		Entry("closed mode, a hang", closed, true, true, hanging),
		Entry("closed mode, work done and an error all the same", closed, true, false, lying),
		Entry("open mode, an error", lenient, false, false, erring),
		Entry("open mode, a short write", lenient, false, false, cutting),
		Entry("open mode, a panic", lenient, false, false, panicking),
		Entry("open mode, a hang", lenient, false, true, hanging),
		Entry("open mode, work done and an error all the same", lenient, false, false, lying),
	)
})

func erring(<-chan struct{}) fault    { return fails(syscall.EIO) }
func cutting(<-chan struct{}) fault   { return short }
func panicking(<-chan struct{}) fault { return breaks }

// hanging waits for the end of the trial, and then does the work.
func hanging(release <-chan struct{}) fault {
	return func(op string, f trail.File, p []byte) (int, error) {
		<-release
		if op == "write" {
			return f.Write(p)
		}
		return 0, nil
	}
}

var errLie = errors.New("failed, it says")

// lying writes and reports an error.
func lying(<-chan struct{}) fault {
	return func(op string, f trail.File, p []byte) (int, error) {
		if op == "write" {
			_, _ = f.Write(p)
		}
		return 0, errLie
	}
}
