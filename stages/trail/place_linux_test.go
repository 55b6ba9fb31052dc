package trail_test

import (
	"os"
	"path/filepath"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/trail"
)

var _ = Describe("the place of the log among bind mounts", func() {
	var p place

	BeforeEach(func() { p = newPlace() })

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
	}

	bind := func(from, to string) {
		GinkgoHelper()
		if err := syscall.Mount(from, to, "", syscall.MS_BIND, ""); err != nil {
			Skip("bind mounts are not allowed here: " + err.Error())
		}
		DeferCleanup(syscall.Unmount, to, syscall.MNT_DETACH)
	}

	It("is refused when its directory is mounted inside the jail", func() {
		bind(filepath.Dir(p.log), mkdir("jail", "mnt"))
		refused(p.options())
	})

	It("is refused when a directory above it is mounted inside the jail", func() {
		o := p.options()
		o.Path = filepath.Join(mkdir("state", "deep"), "audit.jsonl")
		bind(filepath.Join(p.dir, "state"), mkdir("jail", "with space"))
		refused(o)
	})

	It("is refused when its directory is a mount of one inside the jail", func() {
		o := p.options()
		o.Path = filepath.Join(mkdir("elsewhere"), "audit.jsonl")
		bind(mkdir("jail", "a"), mkdir("elsewhere"))
		refused(o)
	})

	It("is refused when the log file alone is mounted inside the jail", func() {
		Expect(os.WriteFile(p.log, nil, 0o600)).To(Succeed())
		Expect(os.WriteFile(filepath.Join(p.jail, "f"), nil, 0o600)).To(Succeed())
		bind(p.log, filepath.Join(p.jail, "f"))
		_, err := trail.Open(p.options())
		Expect(err).To(MatchError(ContainSubstring("can be reached through")))
	})
})
