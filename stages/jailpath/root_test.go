package jailpath_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/jailpath"
)

var _ = Describe("A jail root", func() {
	var (
		top  string // holds jail, jail-evil and out
		root *jailpath.Root
	)

	link := func(target, name string) {
		Expect(os.Symlink(target, filepath.Join(top, name))).To(Succeed())
	}

	BeforeEach(func() {
		var err error
		top, err = filepath.EvalSymlinks(GinkgoT().TempDir())
		Expect(err).NotTo(HaveOccurred())
		for _, d := range []string{"jail/sub/deep", "jail-evil", "out/deep"} {
			Expect(os.MkdirAll(filepath.Join(top, d), 0o755)).To(Succeed())
		}
		Expect(os.WriteFile(filepath.Join(top, "jail/a.txt"), nil, 0o644)).To(Succeed())
		root, err = jailpath.Open(filepath.Join(top, "jail"))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(root.Close)
	})

	DescribeTable("resolves", func(path, want string) {
		Expect(root.Dir(strings.ReplaceAll(path, "{JAIL}", root.Path()))).To(Equal(want))
	},
		Entry("nothing to itself", "", "."),
		Entry("a dot", ".", "."),
		Entry("a directory", "sub/deep", "sub/deep"),
		Entry("stray slashes and dots", "./sub//./deep/", "sub/deep"),
		Entry("dot-dot that stays inside", "sub/deep/../..", "."),
		Entry("its own absolute path", "{JAIL}", "."),
		Entry("an absolute path beneath it", "{JAIL}/sub", "sub"),
	)

	DescribeTable("refuses as an escape", func(path string) {
		_, err := root.Dir(strings.ReplaceAll(path, "{TOP}", top))
		Expect(err).To(MatchError(jailpath.ErrEscapes))
	},
		Entry("dot-dot", ".."),
		Entry("dot-dot behind a directory", "sub/../.."),
		Entry("dot-dot and back in", "../jail/sub"),
		Entry("an absolute path", "/etc"),
		Entry("the file system's root", "/"),
		Entry("a sibling whose name begins with the root's", "{TOP}/jail-evil"),
		Entry("an absolute path that climbs out", "{TOP}/jail/sub/../../out"),
		Entry("an absolute path that goes through another directory", "{TOP}/out/../jail"),
		Entry("a path outside that does not exist", "/no/such/place"),
		Entry("dot-dot to what does not exist", "../no/such/place"),
	)

	Context("with symlinks in it", func() {
		BeforeEach(func() {
			link("sub", "jail/in")
			link(filepath.Join(top, "jail/sub"), "jail/abs")
			link("../out", "jail/out")
			link(filepath.Join(top, "out"), "jail/absout")
			link("../out/deep", "jail/deepout")
			link("../jail-evil", "jail/evil")
			link("loop", "jail/loop")
			link("out", "jail/twice")
			link("../nowhere", "jail/danglingout")
			link("sub/deep", "jail/deepin")
		})

		DescribeTable("follows the ones that stay inside", func(path, want string) {
			Expect(root.Dir(path)).To(Equal(want))
		},
			Entry("relative", "in/deep", "sub/deep"),
			Entry("absolute", "abs/deep", "sub/deep"),
			Entry("with dot-dot behind it, as the kernel does", "deepin/..", "sub"),
		)

		DescribeTable("refuses the ones that lead out", func(path string) {
			_, err := root.Dir(path)
			Expect(err).To(MatchError(jailpath.ErrEscapes))
		},
			Entry("relative", "out"),
			Entry("absolute", "absout"),
			Entry("to a sibling", "evil"),
			Entry("through another link", "twice"),
			Entry("to what does not exist: no word of that", "danglingout"),
			Entry("with dot-dot that would lead back in if it were cut as text", "deepout/.."),
		)

		It("gives up on a loop", func() {
			_, err := root.Dir("loop")
			Expect(err).To(MatchError(jailpath.ErrMissing))
		})
	})

	DescribeTable("tells what else is wrong", func(path string, want error) {
		_, err := root.Dir(path)
		Expect(err).To(MatchError(want))
	},
		Entry("nothing there", "nope", jailpath.ErrMissing),
		Entry("a file", "a.txt", jailpath.ErrNotDirectory),
		Entry("a file as a directory", "a.txt/x", jailpath.ErrNotDirectory),
		Entry("a NUL, which no name can hold", "su\x00b", jailpath.ErrMissing),
		Entry("a name longer than a file system takes", strings.Repeat("x", 5000), jailpath.ErrMissing),
	)

	It("is gone when another directory has taken its place", func() {
		Expect(os.Rename(root.Path(), filepath.Join(top, "was"))).To(Succeed())
		_, err := root.Dir("")
		Expect(err).To(MatchError(jailpath.ErrGone))
		Expect(os.Mkdir(root.Path(), 0o755)).To(Succeed())
		_, err = root.Dir("")
		Expect(err).To(MatchError(jailpath.ErrGone))
	})

	It("may be a symlink itself, and is known by both names", func() {
		link("jail", "alias")
		alias, err := jailpath.Open(filepath.Join(top, "alias"))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(alias.Close)
		Expect(alias.Path()).To(Equal(root.Path()))
		Expect(alias.Dir(filepath.Join(top, "alias/sub"))).To(Equal("sub"))
		Expect(alias.Dir(filepath.Join(top, "jail/sub"))).To(Equal("sub"))
	})

	DescribeTable("does not open on", func(name string) {
		_, err := jailpath.Open(filepath.Join(top, name))
		Expect(err).To(HaveOccurred())
	},
		Entry("a file", "jail/a.txt"),
		Entry("nothing", "nope"),
	)

	DescribeTable("knows what it holds", func(path string, want bool) {
		link("jail", "logs")
		link("out", "jail/exit")
		Expect(root.Holds(strings.ReplaceAll(path, "{TOP}", top))).To(Equal(want))
	},
		Entry("itself", "{TOP}/jail", true),
		Entry("a file in it that does not exist yet", "{TOP}/jail/new/audit.jsonl", true),
		Entry("a path through dot-dot", "{TOP}/out/../jail/x", true),
		Entry("a path through a symlink outside", "{TOP}/logs/audit.jsonl", true),
		Entry("a sibling", "{TOP}/jail-evil/x", false),
		Entry("a directory outside", "{TOP}/out/x", false),
	)
})

func FuzzDir(f *testing.F) {
	top, err := filepath.EvalSymlinks(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	jail := filepath.Join(top, "jail")
	for _, d := range []string{"jail/a/b", "out"} {
		if err := os.MkdirAll(filepath.Join(top, d), 0o755); err != nil {
			f.Fatal(err)
		}
	}
	for name, target := range map[string]string{"up": "..", "o": "../out", "d": "a/b", "e": top, "i": jail} {
		if err := os.Symlink(target, filepath.Join(jail, name)); err != nil {
			f.Fatal(err)
		}
	}
	root, err := jailpath.Open(jail)
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{"", "a/b", "d/../..", "up/jail", "i/o", "e/out", "i/d/..", jail + "/a", jail + "-x", "a\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		rel, err := root.Dir(path)
		if err != nil {
			return
		}
		if !filepath.IsLocal(rel) {
			t.Fatalf("%q resolves to %q", path, rel)
		}
		at := filepath.Join(jail, rel)
		if real, err := filepath.EvalSymlinks(at); err != nil || real != at {
			t.Fatalf("%q resolves to %q, which is %q (%v)", path, rel, real, err)
		}
	})
}
