//go:build unix

package trail_test

import (
	"os"
	"path/filepath"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/trail"
)

var _ = Describe("a log whose file is tampered with while it is open", func() {
	var (
		p place
		l *trail.Log
	)

	BeforeEach(func(ctx SpecContext) {
		p = newPlace()
		l = open(p.options())
		call(ctx, l, "before")
	})

	DescribeTable("refuses while the cause lasts, and recovers by itself",
		func(ctx SpecContext, cause, cure func()) {
			cause()
			Expect(l.Append(ctx, attempt("refused"))).NotTo(Succeed())
			cure()
			call(ctx, l, "after")
			Expect(entries(p.log)).To(HaveEach(Not(HaveField("EventID", "refused"))))
			Expect(entries(p.log)[len(entries(p.log))-1].Seq).To(BeEquivalentTo(4))
		},
		Entry("replaced by a directory", func() {
			Expect(os.Remove(p.log)).To(Succeed())
			Expect(os.Mkdir(p.log, 0o700)).To(Succeed())
		}, func() { Expect(os.Remove(p.log)).To(Succeed()) }),
		Entry("replaced by a symlink", func() {
			Expect(os.Rename(p.log, p.log+".1")).To(Succeed())
			Expect(os.Symlink(p.log+".1", p.log)).To(Succeed())
		}, func() { Expect(os.Remove(p.log)).To(Succeed()) }),
		Entry("replaced by a FIFO", func() {
			Expect(os.Remove(p.log)).To(Succeed())
			Expect(syscall.Mkfifo(p.log, 0o600)).To(Succeed())
		}, func() { Expect(os.Remove(p.log)).To(Succeed()) }),
		Entry("replaced by a file of something else", func() {
			Expect(os.Remove(p.log)).To(Succeed())
			Expect(os.WriteFile(p.log, []byte("dear diary\n"), 0o600)).To(Succeed())
		}, func() { Expect(os.Remove(p.log)).To(Succeed()) }),
		Entry("hard linked into the jail", func() { Expect(os.Link(p.log, filepath.Join(p.jail, "x"))).To(Succeed()) },
			func() { Expect(os.Remove(filepath.Join(p.jail, "x"))).To(Succeed()) }),
		Entry("opened to others", func() { Expect(os.Chmod(p.log, 0o644)).To(Succeed()) },
			func() { Expect(os.Chmod(p.log, 0o600)).To(Succeed()) }),
		Entry("its directory swapped for one in the jail", func() {
			Expect(os.Rename(filepath.Dir(p.log), p.dir+"/away")).To(Succeed())
			Expect(os.Symlink("jail", filepath.Dir(p.log))).To(Succeed())
		}, func() {
			Expect(os.Remove(filepath.Dir(p.log))).To(Succeed())
			Expect(os.Rename(p.dir+"/away", filepath.Dir(p.log))).To(Succeed())
		}),
	)

	DescribeTable("carries the chain over to a new file, so that a loss is a gap",
		func(ctx SpecContext, cause func()) {
			head := l.Head()
			cause()
			call(ctx, l, "after")
			first := entries(p.log)[0]
			Expect(first.Seq).To(Equal(head.Seq + 1))
			Expect(first.PrevHash).To(Equal(head.Hash))
			Expect(p.log).To(BeARegularFile())
		},
		Entry("deleted", func() { Expect(os.Remove(p.log)).To(Succeed()) }),
		Entry("renamed by logrotate", func() { Expect(os.Rename(p.log, p.log+".1")).To(Succeed()) }),
		Entry("renamed and created anew", func() {
			Expect(os.Rename(p.log, p.log+".1")).To(Succeed())
			Expect(os.WriteFile(p.log, nil, 0o600)).To(Succeed())
		}),
		Entry("copied and truncated", func() { Expect(os.Truncate(p.log, 0)).To(Succeed()) }),
	)

	It("shows records cut off the end as a gap", func(ctx SpecContext) {
		cut := int64(len(lines(p.log)[0]) + 1)
		Expect(os.Truncate(p.log, cut)).To(Succeed())
		call(ctx, l, "after")
		Expect(entries(p.log)).To(HaveExactElements(HaveField("Seq", uint64(1)), HaveField("Seq", uint64(3)), HaveField("Seq", uint64(4))))
	})

	It("does not take an older copy for its own head", func(ctx SpecContext) {
		copied, err := os.ReadFile(p.log)
		Expect(err).NotTo(HaveOccurred())
		call(ctx, l, "lost")
		Expect(os.Remove(p.log)).To(Succeed())
		Expect(os.WriteFile(p.log, copied, 0o600)).To(Succeed())
		call(ctx, l, "after")
		Expect(entries(p.log)[2].Seq).To(BeEquivalentTo(5))
	})

	It("notices a file emptied and grown to the same size by another server", func(ctx SpecContext) {
		other := open(p.options())
		Expect(os.Truncate(p.log, 0)).To(Succeed())
		call(ctx, other, "before") // as long as the two records before
		call(ctx, l, "after")
		Expect(entries(p.log)).To(HaveExactElements(HaveField("Seq", uint64(3)), HaveField("Seq", uint64(4)), HaveField("Seq", uint64(5)), HaveField("Seq", uint64(6))))
	})
})
