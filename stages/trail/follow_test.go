//go:build unix

package trail_test

import (
	"context"
	"errors"
	"os"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/trail"
)

var _ = Describe("following a log", func() {
	It("reads on when it is appended to, rotated and emptied, and ends with its context", func(ctx SpecContext) {
		p := newPlace()
		l := open(p.options())
		call(ctx, l, "a")

		followed, cancel := context.WithCancel(ctx)
		events, done := make(chan string, 100), make(chan error, 1)
		go func() {
			done <- trail.Follow(followed, p.log, func(line []byte) error {
				e, err := trail.ParseEntry(line)
				events <- e.EventID
				return err
			})
		}()
		Eventually(events).Should(Receive(Equal("a")))
		Eventually(events).Should(Receive(Equal("a")))
		call(ctx, l, "b")
		Expect(os.Rename(p.log, p.log+".1")).To(Succeed())
		call(ctx, l, "c")
		for _, id := range []string{"b", "b", "c", "c"} {
			Eventually(events).Should(Receive(Equal(id)))
		}
		Expect(os.Truncate(p.log, 0)).To(Succeed())
		Consistently(events, "300ms").ShouldNot(Receive())
		call(ctx, l, "d")
		Eventually(events).Should(Receive(Equal("d")))
		cancel()
		Eventually(done).Should(Receive(BeNil()))
	})

	It("ends when what it calls fails", func(ctx SpecContext) {
		p := newPlace()
		call(ctx, open(p.options()), "a")
		stop := errors.New("enough")
		Expect(trail.Follow(ctx, p.log, func([]byte) error { return stop })).To(MatchError(stop))
	})

	It("needs a file to begin with", func(ctx SpecContext) {
		Expect(trail.Follow(ctx, newPlace().log, nil)).To(MatchError(os.ErrNotExist))
	})
})
