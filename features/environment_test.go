package features_test

import (
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "hardened-terminal-mcp/pipeline/pipelinetest"
)

var _ = Describe("Guarantee: a scrubbed environment", func() {
	var w *world

	BeforeEach(func() {
		w = newWorld()
		w.env = append(w.env, "SECRET_TOKEN=srv-secret-1", "GIT_DIR=/x", "LD_LIBRARY_PATH=/x", "LANG=xx_XX")
	})

	It("is exactly PATH, HOME and LANG", func() {
		w.allows("env")
		var names []string
		r := w.serve().run("env")
		for line := range strings.Lines(r.Stdout) {
			name, _, _ := strings.Cut(line, "=")
			names = append(names, name)
		}
		Expect(names).To(ConsistOf("PATH", "HOME", "LANG"))
		Expect(r.Stdout).To(ContainSubstring("LANG=C.UTF-8\n"))
	})

	It("is what the policy sets besides", func() {
		w.allows("printenv", `[env]`, `path = "`+w.bin+`:/usr/bin:/bin"`, `set = { TZ = "UTC", WHERE = "{JAIL}", KEEP = "{CACHE}/x", WHO = "{USER_HOME}" }`)
		text, err := os.ReadFile(w.policy)
		Expect(err).NotTo(HaveOccurred())
		w.write(w.policy, strings.Replace(string(text), "env.path = \""+w.bin+":/usr/local/bin:/usr/bin:/bin\"\n", "", 1))
		s := w.serve()
		Expect(s.run("printenv TZ").Stdout).To(Equal("UTC\n"))
		Expect(s.run("printenv WHERE").Stdout).To(Equal(w.jail + "\n"))
		Expect(s.run("printenv WHO").Stdout).To(Equal(w.root + "\n"))
		cache := strings.TrimSpace(s.run("printenv KEEP").Stdout)
		Expect(cache).To(HavePrefix(filepath.Join(w.root, "cache", "hardened-terminal-mcp") + "/"))
		Expect(filepath.Dir(cache)).To(BeADirectory())
	})

	It("has an empty HOME outside the jail that commands cannot fill", func() {
		w.allows("printenv ls")
		s := w.serve()
		home := strings.TrimSpace(s.run("printenv HOME").Stdout)
		Expect(home).NotTo(HavePrefix(w.jail))
		info, err := os.Stat(home)
		Expect(err).NotTo(HaveOccurred())
		Expect(info.Mode().Perm()).To(BeEquivalentTo(0o500))
		Expect(s.run("ls -A " + home).Stdout).To(BeEmpty())
	})

	It("has descriptors 0, 1 and 2 and no other, whatever the server was started with", func() {
		w.program("fds", "ls -l /proc/$$/fd")
		w.allows("fds")
		secret := filepath.Join(w.out, "secret")
		w.write(secret, "x")
		f, err := os.Open(secret)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(f.Close)
		w.inherits = []*os.File{f, f}
		r := w.serve().run("fds")
		Expect(r).To(HaveRun(0))
		Expect(strings.Count(r.Stdout, " -> ")).To(Equal(4), "0, 1, 2 and the script that sh reads: %s", r.Stdout)
		Expect(r.Stdout).NotTo(ContainSubstring("secret"))
	})

	It("has an empty standard input, not the protocol's", func() {
		w.allows("cat head")
		s := w.serve()
		r := s.run("cat")
		Expect(r).To(HaveRun(0))
		Expect(r.Stdout).To(BeEmpty())
		Expect(s.run("head -c 100").Stdout).To(BeEmpty())
		Expect(s.run("cat")).To(HaveRun(0))
	})

	It("does not leak by the server's own /proc entry", func() {
		w.program("peek", "for p in /proc/[0-9]*; do cat $p/environ; done")
		w.allows("peek")
		Expect(w.serve().run("peek").Stdout).NotTo(ContainSubstring("srv-secret-1"))
	})
})
