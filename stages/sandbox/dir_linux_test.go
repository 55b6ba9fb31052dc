package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/sys/unix"

	"hardened-terminal-mcp/stages/sandbox"
)

var _ = Describe("The working directory", func() {
	var (
		jail, outside string
		l             *sandbox.Launcher
	)

	BeforeEach(func() {
		top := newJail()
		jail, outside = filepath.Join(top, "jail"), filepath.Join(top, "jail-evil")
		Expect(os.MkdirAll(filepath.Join(jail, "a", "b"), 0o700)).To(Succeed())
		Expect(os.MkdirAll(filepath.Join(outside, "b"), 0o700)).To(Succeed())
		writeFile(filepath.Join(jail, "file"), "", 0o600)
		Expect(os.Symlink(outside, filepath.Join(jail, "out"))).To(Succeed())
		Expect(os.Symlink("a", filepath.Join(jail, "in"))).To(Succeed())
		l = newLauncher(sandbox.Options{Jail: jail, Slots: 1})
	})

	DescribeTable("is the one asked for",
		func(ctx SpecContext, dir string) {
			c := command("pwd", "-P")
			c.Dir = dir
			res, err := l.Run(ctx, c)
			Expect(err).NotTo(HaveOccurred())
			Expect(strings.TrimSpace(string(res.Stdout.Bytes))).To(Equal(filepath.Join(jail, dir)))
		},
		Entry("the root", "."),
		Entry("a directory", "a"),
		Entry("a directory deeper down", "a/b"),
	)

	DescribeTable("is refused",
		func(ctx SpecContext, dir string, want error) {
			c := command("true")
			c.Dir = dir
			_, err := l.Run(ctx, c)
			Expect(err).To(MatchError(want))
		},
		Entry("an absolute path", "/etc", sandbox.ErrEscapes),
		Entry("the parent", "..", sandbox.ErrEscapes),
		Entry("a parent on the way", "a/../../jail-evil", sandbox.ErrEscapes),
		Entry("nothing", "", sandbox.ErrEscapes),
		Entry("a symbolic link that leads out", "out", sandbox.ErrEscapes),
		Entry("a directory behind such a link", "out/b", sandbox.ErrEscapes),
		Entry("a symbolic link that stays inside: what was resolved has none", "in", sandbox.ErrEscapes),
		Entry("a file", "file", sandbox.ErrNotDirectory),
		Entry("a name below a file", "file/b", sandbox.ErrNotDirectory),
		Entry("a name that is not there", "a/missing", sandbox.ErrDirMissing),
		Entry("a name with a NUL", "a\x00", sandbox.ErrStart),
	)

	It("is refused when it may not be entered", func(ctx SpecContext) {
		if os.Geteuid() == 0 {
			Skip("root may enter every directory")
		}
		Expect(os.Chmod(filepath.Join(jail, "a", "b"), 0)).To(Succeed())
		DeferCleanup(os.Chmod, filepath.Join(jail, "a", "b"), os.FileMode(0o700))
		c := command("true")
		c.Dir = "a/b"
		_, err := l.Run(ctx, c)
		Expect(err).To(And(MatchError(sandbox.ErrStart), MatchError(unix.EACCES)))
	})

	DescribeTable("is refused when the jail's root is no longer the one opened at startup",
		func(ctx SpecContext, change func()) {
			change()
			_, err := l.Run(ctx, command("true"))
			Expect(err).To(MatchError(sandbox.ErrGone))
		},
		Entry("removed", func() { Expect(os.RemoveAll(jail)).To(Succeed()) }),
		Entry("moved away", func() { Expect(os.Rename(jail, jail+".old")).To(Succeed()) }),
		Entry("replaced", func() {
			Expect(os.Rename(jail, jail+".old")).To(Succeed())
			Expect(os.Mkdir(jail, 0o700)).To(Succeed())
		}),
		Entry("replaced by a symbolic link", func() {
			Expect(os.Rename(jail, jail+".old")).To(Succeed())
			Expect(os.Symlink(outside, jail)).To(Succeed())
		}),
	)

	When("it is swapped for a symbolic link again and again", func() {
		DescribeTable("never leads out", func(ctx SpecContext, l func() *sandbox.Launcher) {
			dir, link := filepath.Join(jail, "a"), filepath.Join(jail, "out")
			var over atomic.Bool
			var swaps int
			var swapper sync.WaitGroup
			swapper.Go(func() {
				for !over.Load() {
					if unix.Renameat2(unix.AT_FDCWD, dir, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE) == nil {
						swaps++
					}
				}
			})
			c := command("pwd", "-P")
			c.Dir = "a/b"
			inside, refused := 0, 0
			launcher := l()
			for range 2000 {
				res, err := launcher.Run(ctx, c)
				if errors.Is(err, sandbox.ErrEscapes) {
					refused++
					continue
				}
				Expect(err).NotTo(HaveOccurred())
				// While it runs the directory may come to be called "out", yet it is the one inside.
				Expect(strings.TrimSpace(string(res.Stdout.Bytes))).To(BeElementOf(jail+"/a/b", jail+"/out/b"))
				inside++
			}
			over.Store(true)
			swapper.Wait()
			Expect(swaps).To(BeNumerically(">", 1000))
			Expect(inside).To(BeNumerically(">", 0))
			Expect(refused).To(BeNumerically(">", 0))
		},
			Entry("of a process group", func() *sandbox.Launcher { return l }),
			Entry("of a confined command", func() *sandbox.Launcher { return rungs[0].confined(sandbox.Options{Jail: jail, Slots: 1}) }),
		)
	})
})
