package features_test

import (
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Guarantee: a bad configuration refuses the start", func() {
	var w *world

	BeforeEach(func() {
		w = newWorld()
		w.allows("ls")
	})

	refused := func(o outcome, words ...string) {
		GinkgoHelper()
		Expect(o.status).To(Equal(2), o.stderr)
		Expect(o.stdout).To(BeEmpty())
		for _, word := range words {
			Expect(o.stderr).To(ContainSubstring(word))
		}
	}

	DescribeTable("with exit status 2, nothing on standard output, and the reason:", func(spoil func() []string, words ...string) {
		c := w.command("serve")
		c.Env = append(c.Env, spoil()...)
		refused(finish(c), words...)
	},
		Entry("no policy", func() []string { Expect(os.Remove(w.policy)).To(Succeed()); return nil }, "policy.toml", "no such file"),
		Entry("a policy that is not TOML", func() []string { w.write(w.policy, "allow = ["); return nil }, "policy.toml: line 1"),
		Entry("an unknown key, with what was meant", func() []string { w.write(w.policy, "allow=[\"ls\"]\ndeyn=[\"rm\"]"); return nil }, `unknown key "deyn"`, `did you mean "deny"?`),
		Entry("an unknown table, by its keys", func() []string { w.write(w.policy, "[policy]\ndeyn=[\"rm\"]"); return nil }, `unknown key "policy.deyn"`, `did you mean "deny"?`),
		Entry("a wrong type", func() []string { w.write(w.policy, "limits.max_args = \"8\""); return nil }, "limits.max_args: wants a whole number"),
		Entry("a bad value", func() []string { w.write(w.policy, "limits.timeout = \"0s\""); return nil }, "limits.timeout: 0s is not between"),
		Entry("a bad fail mode in the policy", func() []string { w.write(w.policy, "audit_fail_mode = \"clsoed\""); return nil }, `audit_fail_mode: "clsoed"`),
		Entry("a bad fail mode in the environment", func() []string { return []string{"HTMCP_AUDIT_FAIL_MODE=clsoed"} }, `HTMCP_AUDIT_FAIL_MODE: "clsoed"`),
		Entry("a variable that is set but empty", func() []string { return []string{"HTMCP_AUDIT_FAIL_MODE="} }, "HTMCP_AUDIT_FAIL_MODE: is set but empty"),
		Entry("an unknown variable", func() []string { return []string{"HTMCP_JAIL=/x"} }, "HTMCP_JAIL: unknown variable"),
		Entry("a regex that does not compile", func() []string {
			w.write(w.policy, `redaction.extra_patterns = [{ name = "n", regex = "(" }]`)
			return nil
		}, "n"),
		Entry("a regex that matches nothing at all", func() []string {
			w.write(w.policy, `redaction.extra_patterns = [{ name = "n", regex = "x*" }]`)
			return nil
		}, "empty"),
		Entry("a jail root that does not exist", func() []string { return []string{"HTMCP_JAIL_ROOT=" + w.root + "/nope"} }, "jail root", "nope"),
		Entry("a jail root that is a file", func() []string { return []string{"HTMCP_JAIL_ROOT=" + w.policy} }, "jail root", "policy.toml"),
		Entry("a log in the jail", func() []string { return []string{"HTMCP_AUDIT_LOG=" + w.jail + "/audit.jsonl"} }, "inside the jail", "--audit-log"),
		Entry("a log in the jail by dot-dot", func() []string { return []string{"HTMCP_AUDIT_LOG=" + w.out + "/../jail/audit.jsonl"} }, "inside the jail"),
		Entry("a log in the jail by a symlink", func() []string {
			Expect(os.Symlink("jail", filepath.Join(w.root, "logs"))).To(Succeed())
			return []string{"HTMCP_AUDIT_LOG=" + w.root + "/logs/audit.jsonl"}
		}, "inside the jail"),
		Entry("a log that is a symlink into the jail", func() []string {
			w.write(filepath.Join(w.jail, "a"), "")
			Expect(os.Symlink(filepath.Join(w.jail, "a"), w.log)).To(Succeed())
			return nil
		}, "audit.jsonl"),
		Entry("a log that is a directory", func() []string { return []string{"HTMCP_AUDIT_LOG=" + w.out} }, "/out"),
		Entry("a log that is a device", func() []string { return []string{"HTMCP_AUDIT_LOG=/dev/full"} }, "/dev/full"),
		Entry("programs looked up in the jail", func() []string {
			w.write(w.policy, "allow=[\"ls\"]\nenv.path = \""+w.jail+":/bin\"")
			return nil
		}, "env.path", "inside the jail"),
		Entry("a variable that loads code", func() []string { w.write(w.policy, "env.set.LD_PRELOAD = \"x\""); return nil }, "env.set.LD_PRELOAD"),
		Entry("argument rules, which come with a later version", func() []string { w.write(w.policy, "require_rules = true"); return nil }, "require_rules"),
	)

	It("reporting all faults at once, a line each", func() {
		w.write(w.policy, "deyn = []\nlimits.max_args = -1\nenv.path = \"bin\"")
		c := w.command("serve", "--jail", w.root+"/nope")
		o := finish(c)
		refused(o, "deyn", "limits.max_args", "env.path", "nope")
		for line := range strings.Lines(o.stderr) {
			Expect(line).To(HavePrefix("hardened-terminal-mcp: "))
		}
	})

	It("when nobody named a jail and the current directory is too wide for one", func() {
		for _, dir := range []string{"/", w.root} {
			c := w.command("serve", "--profile", "explorer")
			c.Env = w.env // HOME is the world's root
			c.Dir = dir
			refused(finish(c), "nobody named a jail", "--jail DIR")
		}
	})

	It("when a profile and a policy file are both named", func() {
		refused(w.do("serve", "--profile", "explorer"), "both named")
		c := w.command("serve", "--profile", "explorer", "--policy", w.policy)
		c.Env = w.env
		refused(finish(c), "both named")
	})

	It("when a flag is given but empty", func() {
		refused(w.do("serve", "--jail", ""), "--jail is given but empty")
	})

	It("when there is no place for the server's files", func() {
		c := w.command("serve")
		c.Env = append(w.settings(), "PATH=/usr/bin:/bin")
		refused(finish(c), "set HOME or XDG_STATE_HOME")
	})

	It("when something has been put into the private home", func() {
		Expect(w.do("run", "ls").status).To(Equal(0))
		home := filepath.Join(w.root, "state/hardened-terminal-mcp/home")
		Expect(os.Chmod(home, 0o700)).To(Succeed())
		DeferCleanup(os.Chmod, home, os.FileMode(0o700)) // or an ordinary user could not remove it
		w.write(filepath.Join(home, ".gitconfig"), "")
		refused(w.do("serve"), "private home", ".gitconfig")
	})

	It("but starts on defaults alone, with the log in the state directory", func() {
		c := w.command("run", "--profile", "explorer", "ls")
		c.Env, c.Dir = w.env, w.jail
		o := finish(c)
		Expect(o.status).To(Equal(0), o.stderr)
		log := filepath.Join(w.root, "state/hardened-terminal-mcp/audit.jsonl")
		Expect(log).To(BeARegularFile())
		info, err := os.Stat(filepath.Dir(log))
		Expect(err).NotTo(HaveOccurred())
		Expect(info.Mode().Perm()).To(BeEquivalentTo(0o700))
	})

	It("and reads no configuration from the jail", func() {
		w.write(filepath.Join(w.jail, ".env"), "HTMCP_AUDIT_FAIL_MODE=open\n")
		w.write(filepath.Join(w.jail, "policy.toml"), "allow = [\"id\"]")
		s := w.serve()
		Expect(s.run("id").Code).NotTo(BeEquivalentTo("OK"))
		Eventually(s.stderr.Contents).Should(ContainSubstring("fail mode closed"))
	})

	It("and says in one line what it serves", func() {
		s := w.serve()
		Eventually(s.stderr.Contents).Should(MatchRegexp("(?m)^hardened-terminal-mcp: serving MCP .*; jail " + w.jail + ", policy " + w.policy + ", audit log " + w.log + ", fail mode closed$"))
	})

	It("and warns of a policy that commands could edit", func() {
		w.write(filepath.Join(w.jail, "policy.toml"), "allow = [\"ls\"]")
		s := w.serve("--policy", filepath.Join(w.jail, "policy.toml"))
		Eventually(s.stderr.Contents).Should(ContainSubstring("inside the jail, where commands could edit it"))
	})

	It("and says that the policy has changed since the last record", func() {
		Expect(w.do("run", "ls").status).To(Equal(0))
		w.allows("ls cat")
		s := w.serve()
		Eventually(s.stderr.Contents).Should(ContainSubstring("policy has changed since the last record"))
	})
})
