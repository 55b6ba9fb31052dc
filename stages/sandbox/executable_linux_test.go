package sandbox_test

import (
	"os"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/sandbox"
)

var _ = Describe("An executable", func() {
	var first, second string

	BeforeEach(func() {
		first, second = newJail(), newJail()
		writeFile(filepath.Join(first, "text"), "no program", 0o644)
		Expect(os.Mkdir(filepath.Join(first, "tool"), 0o755)).To(Succeed())
		writeFile(filepath.Join(second, "tool"), "#!/bin/sh\necho genuine\n", 0o755)
		Expect(os.Symlink("tool", filepath.Join(second, "alias"))).To(Succeed())
		Expect(os.Symlink("nowhere", filepath.Join(second, "dangling"))).To(Succeed())
	})

	It("is the first regular file with the name that may be executed", func() {
		exe, err := sandbox.Find([]string{"/nonexistent", first, second}, "tool")
		Expect(err).NotTo(HaveOccurred())
		Expect(exe.Path).To(Equal(filepath.Join(second, "tool")))
	})

	It("keeps the name of the link it was found under", func() {
		exe, err := sandbox.Find([]string{second}, "alias")
		Expect(err).NotTo(HaveOccurred())
		Expect(exe.Path).To(Equal(filepath.Join(second, "alias")))
	})

	DescribeTable("is not found",
		func(name string) {
			_, err := sandbox.Find([]string{first, second}, name)
			Expect(err).To(MatchError(sandbox.ErrNotFound))
		},
		Entry("a name nobody has", "missing"),
		Entry("a file that may not be executed", "text"),
		Entry("a link that leads nowhere", "dangling"),
		Entry("no name", ""),
		Entry("the directory", "."),
		Entry("its parent", ".."),
		Entry("a path", "../bin/sh"),
		Entry("an absolute path", "/bin/sh"),
		Entry("a name with a NUL", "tool\x00"),
	)

	DescribeTable("is not looked for in a directory that depends on where the server stands",
		func(dir string) {
			GinkgoT().Chdir(second)
			_, err := sandbox.Find([]string{dir, second}, "tool")
			Expect(err).To(MatchError(ContainSubstring("not absolute")))
		},
		Entry("the empty entry, which shells take for the current directory", ""),
		Entry("the current directory", "."),
		Entry("a relative one", "bin"),
	)

	When("its file changes after it was found", func() {
		var (
			l    *sandbox.Launcher
			tool string
			c    sandbox.Command
		)

		BeforeEach(func(ctx SpecContext) {
			l = newLauncher(sandbox.Options{Jail: newJail(), Slots: 1})
			tool = filepath.Join(second, "tool")
			c = bare("alias")
			var err error
			c.Exe, err = sandbox.Find([]string{second}, "alias")
			Expect(err).NotTo(HaveOccurred())
			res, err := l.Run(ctx, c)
			Expect(err).NotTo(HaveOccurred())
			Expect(string(res.Stdout.Bytes)).To(Equal("genuine\n"))
		})

		DescribeTable("is refused",
			func(ctx SpecContext, change func()) {
				change()
				_, err := l.Run(ctx, c)
				Expect(err).To(MatchError(sandbox.ErrChanged))
			},
			Entry("replaced by another of the same size and time", func() {
				info, err := os.Stat(tool)
				Expect(err).NotTo(HaveOccurred())
				writeFile(tool+".new", "#!/bin/sh\necho swapped\n", 0o755)
				Expect(os.Chtimes(tool+".new", info.ModTime(), info.ModTime())).To(Succeed())
				Expect(os.Rename(tool+".new", tool)).To(Succeed())
			}),
			Entry("written in place, with the old time put back", func() {
				info, err := os.Stat(tool)
				Expect(err).NotTo(HaveOccurred())
				writeFile(tool, "#!/bin/sh\necho swapped\n", 0o755)
				Expect(os.Chtimes(tool, info.ModTime(), info.ModTime())).To(Succeed())
			}),
			Entry("touched", func() { Expect(os.Chtimes(tool, time.Time{}, time.Unix(1, 0))).To(Succeed()) }),
			Entry("removed", func() { Expect(os.Remove(tool)).To(Succeed()) }),
			Entry("its link turned to another file", func() {
				Expect(os.Remove(filepath.Join(second, "alias"))).To(Succeed())
				Expect(os.Symlink("/bin/sh", filepath.Join(second, "alias"))).To(Succeed())
			}),
		)
	})

	It("is refused when it was never found", func(ctx SpecContext) {
		l := newLauncher(sandbox.Options{Jail: newJail(), Slots: 1})
		c := bare("true")
		c.Exe.Path = "/bin/true"
		_, err := l.Run(ctx, c)
		Expect(err).To(MatchError(sandbox.ErrChanged))
	})
})
