//go:build unix

package trail_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/trail"
)

var _ = Describe("the place of the log", func() {
	var p place

	BeforeEach(func() { p = newPlace() })

	// mkdir makes a directory below the fixture and returns its path.
	mkdir := func(elem ...string) string {
		GinkgoHelper()
		dir := filepath.Join(append([]string{p.dir}, elem...)...)
		Expect(os.MkdirAll(dir, 0o700)).To(Succeed())
		return dir
	}

	refused := func(o trail.Options) {
		GinkgoHelper()
		_, err := trail.Open(o)
		Expect(err).To(MatchError(ContainSubstring("can be reached through")))
		Expect(o.Path).NotTo(BeAnExistingFile(), "the refusal leaves nothing behind")
	}

	DescribeTable("is refused inside the jail, however it is named",
		func(arrange func() (log, jail string)) {
			o := p.options()
			o.Path, o.Jail = arrange()
			refused(o)
		},
		Entry("by its path", func() (string, string) { return filepath.Join(p.jail, "audit.jsonl"), p.jail }),
		Entry("deep inside", func() (string, string) { return filepath.Join(mkdir("jail", "a", "b"), "audit.jsonl"), p.jail }),
		Entry("by ..", func() (string, string) { return p.dir + "/state/../jail/audit.jsonl", p.jail }),
		Entry("through a symlinked directory", func() (string, string) {
			Expect(os.Symlink("jail", filepath.Join(p.dir, "logs"))).To(Succeed())
			return filepath.Join(p.dir, "logs", "audit.jsonl"), p.jail
		}),
		Entry("when the jail itself is a symlink", func() (string, string) {
			Expect(os.Symlink("jail", filepath.Join(p.dir, "link"))).To(Succeed())
			return filepath.Join(p.jail, "audit.jsonl"), filepath.Join(p.dir, "link")
		}),
		Entry("by a path relative to the current directory", func() (string, string) {
			GinkgoT().Chdir(p.jail)
			return "audit.jsonl", p.jail
		}),
		Entry("when the jail is the root directory", func() (string, string) { return p.log, "/" }),
	)

	It("is refused in a tree that commands may read or write", func() {
		o := p.options()
		o.Forbidden = []string{filepath.Join(p.dir, "missing"), filepath.Dir(p.log)}
		refused(o)
	})

	It("is refused when such a tree is the log file itself", func(ctx SpecContext) {
		_, err := open(p.options()).Close()
		Expect(err).NotTo(HaveOccurred())
		o := p.options()
		o.Forbidden = []string{p.log}
		_, err = trail.Open(o)
		Expect(err).To(MatchError(ContainSubstring("can be reached through")))
	})

	It("is accepted beside the jail, also under a name that begins like it", func() {
		o := p.options()
		o.Path = filepath.Join(mkdir("jail-logs"), "audit.jsonl")
		open(o)
	})

	It("is accepted above the jail", func() {
		o := p.options()
		o.Path = filepath.Join(p.dir, "audit.jsonl")
		open(o)
	})

	It("is asked about without opening anything", func() {
		Expect(trail.Reachable(p.log, p.jail)).To(Succeed())
		Expect(trail.Reachable(filepath.Join(p.jail, "x"), p.jail)).NotTo(Succeed())
		Expect(p.log).NotTo(BeAnExistingFile())
	})
})

var _ = Describe("the log file", func() {
	var p place

	BeforeEach(func() { p = newPlace() })

	It("is created with mode 0600, whatever the umask", Serial, func() {
		old := syscall.Umask(0o777)
		DeferCleanup(syscall.Umask, old)
		open(p.options())
		syscall.Umask(old)
		Expect(os.Stat(p.log)).To(HaveField("Mode()", os.FileMode(0o600)))
	})

	DescribeTable("is refused at start",
		func(arrange func(), reason string) {
			arrange()
			_, err := trail.Open(p.options())
			Expect(err).To(MatchError(ContainSubstring(reason)))
		},
		Entry("a wider mode", func() { Expect(os.WriteFile(p.log, nil, 0o640)).To(Succeed()) }, "chmod 600"),
		Entry("a symbolic link", func() { Expect(os.Symlink("elsewhere", p.log)).To(Succeed()) }, "symbolic link"),
		Entry("a directory", func() { Expect(os.Mkdir(p.log, 0o700)).To(Succeed()) }, "not a regular file"),
		Entry("a FIFO, which nobody may read", func() { Expect(syscall.Mkfifo(p.log, 0o600)).To(Succeed()) }, "not a regular file"),
		Entry("a hard link, which may lie in the jail", func() {
			Expect(os.WriteFile(p.log, nil, 0o600)).To(Succeed())
			Expect(os.Link(p.log, filepath.Join(p.jail, "x"))).To(Succeed())
		}, "hard links"),
		Entry("another user's file", func() {
			Expect(os.WriteFile(p.log, nil, 0o600)).To(Succeed())
			if err := os.Chown(p.log, 12345, -1); errors.Is(err, os.ErrPermission) {
				Skip("giving files away needs root")
			}
		}, "belongs to uid 12345"),
		Entry("a file that is no audit log", func() {
			Expect(os.WriteFile(p.log, []byte("dear diary\n"), 0o600)).To(Succeed())
		}, "other than audit records"),
		Entry("a directory that does not exist", func() { Expect(os.Remove(filepath.Dir(p.log))).To(Succeed()) }, "no such file"),
	)

	It("is refused when it is a device", func() {
		o := p.options()
		o.Path = "/dev/full"
		_, err := trail.Open(o)
		Expect(err).To(MatchError(Or(ContainSubstring("not a regular file"), ContainSubstring("belongs to uid"))))
	})

	DescribeTable("options that are refused, all at once",
		func(spoil func(*trail.Options), reason string) {
			o := p.options()
			spoil(&o)
			_, err := trail.Open(o)
			Expect(err).To(MatchError(ContainSubstring(reason)))
		},
		Entry("no path", func(o *trail.Options) { o.Path = "" }, "no path"),
		Entry("an unknown sync mode", func(o *trail.Options) { o.Sync = "sometimes" }, "attempt, always or never"),
		Entry("a size no record fits in", func(o *trail.Options) { o.MaxBytes = 100 }, "max_bytes"),
		Entry("a negative keep", func(o *trail.Options) { o.Keep = -1 }, "keep"),
	)
})
