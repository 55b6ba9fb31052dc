package config_test

import (
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/config"
)

var _ = Describe("The environment", func() {
	It("gives the four settings and nothing else", func() {
		s, err := config.Environment([]string{
			"HTMCP_POLICY_FILE=/p", "HTMCP_JAIL_ROOT=/j", "HTMCP_AUDIT_LOG=/a", "HTMCP_AUDIT_FAIL_MODE=open", "HOME=/h",
		})
		Expect(err).NotTo(HaveOccurred())
		Expect(s).To(Equal(config.Settings{PolicyFile: "/p", Jail: "/j", AuditLog: "/a", AuditFailMode: "open"}))
	})

	It("is refused for everything that would be ignored, all at once", func() {
		_, err := config.Environment([]string{"HTMCP_JAIL=/j", "HTMCP_AUDIT_LOG=", "HTMCP_AUDIT_FAIL_MODE=clsoed"})
		Expect(strings.Split(err.Error(), "\n")).To(HaveExactElements(
			HavePrefix("HTMCP_AUDIT_LOG: is set but empty"),
			HavePrefix("HTMCP_JAIL: unknown variable"),
			`HTMCP_AUDIT_FAIL_MODE: "clsoed" is neither "closed" nor "open"`,
		))
	})

	It("loses to what is laid over it", func() {
		weak := config.Settings{PolicyFile: "a", Jail: "b", AuditLog: "c", AuditFailMode: "open"}
		Expect(config.Settings{Jail: "B", AuditFailMode: "closed"}.Over(weak)).To(Equal(
			config.Settings{PolicyFile: "a", Jail: "B", AuditLog: "c", AuditFailMode: "closed"}))
	})
})

var _ = Describe("Loading a policy", func() {
	var file string

	write := func(text string) {
		Expect(os.WriteFile(file, []byte(text), 0o600)).To(Succeed())
	}

	BeforeEach(func() { file = filepath.Join(GinkgoT().TempDir(), "p.toml") })

	It("lays settings over the file", func() {
		write("audit_log = \"/a\"\naudit_fail_mode = \"open\"")
		src, err := config.Load(config.Settings{PolicyFile: file, AuditLog: "/b", AuditFailMode: "closed"})
		Expect(err).NotTo(HaveOccurred())
		Expect(src.Policy.AuditLog).To(Equal("/b"))
		Expect(src.Policy.AuditFailMode).To(Equal(config.Closed))
		Expect(src.Path).To(Equal(file))
	})

	It("is named by the SHA-256 of its bytes", func() {
		write("")
		src, err := config.Load(config.Settings{PolicyFile: file})
		Expect(err).NotTo(HaveOccurred())
		Expect(src.Hash).To(Equal("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
	})

	It("joins the faults of form and of value, each with the policy's name", func() {
		write("deyn = []\nversion = 2")
		_, err := config.Load(config.Settings{PolicyFile: file})
		Expect(strings.Split(err.Error(), "\n")).To(HaveExactElements(
			"policy "+file+`: line 1: unknown key "deyn"; did you mean "deny"?`,
			"policy "+file+": version: 2 is unknown; this program reads version 1",
		))
	})

	It("says what to do when there is no file and none was named", func() {
		GinkgoT().Chdir(filepath.Dir(file))
		_, err := config.Load(config.Settings{})
		Expect(err).To(MatchError(And(ContainSubstring("policy.toml: no such file"), ContainSubstring("--profile explorer"))))
	}, Serial)

	DescribeTable("is refused when the file is", func(make func()) {
		make()
		_, err := config.Load(config.Settings{PolicyFile: file})
		Expect(err).To(MatchError(ContainSubstring(file)))
	},
		Entry("missing", func() {}),
		Entry("a directory", func() { Expect(os.Mkdir(file, 0o700)).To(Succeed()) }),
		Entry("too large to be a policy", func() { write("#" + strings.Repeat("x", 1<<20)) }),
	)

	It("is refused when a profile and a file are both named", func() {
		_, err := config.Load(config.Settings{PolicyFile: file, Profile: "explorer"})
		Expect(err).To(MatchError(ContainSubstring("both named")))
	})

	It("is refused for a profile that does not exist", func() {
		_, err := config.Load(config.Settings{Profile: "root"})
		Expect(err).To(MatchError(`there is no profile "root"; there is explorer`))
	})
})

var _ = Describe("An embedded profile", func() {
	It("is a policy without faults or warnings", func() {
		Expect(config.Profiles()).NotTo(BeEmpty())
		for _, name := range config.Profiles() {
			src, err := config.Load(config.Settings{Profile: name})
			Expect(err).NotTo(HaveOccurred())
			Expect(src.Policy.Warnings()).To(BeEmpty())
		}
	})

	It("explorer allows what it documents", func() {
		src, err := config.Load(config.Settings{Profile: "explorer"})
		Expect(err).NotTo(HaveOccurred())
		Expect(src.Policy.Allow).To(ConsistOf("ls", "cat", "head", "tail", "wc", "pwd", "stat", "du", "grep"))
	})
})
