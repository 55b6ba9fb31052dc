package stages_test

import (
	"context"
	"os"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/config"
	"hardened-terminal-mcp/envelope"
	"hardened-terminal-mcp/pipeline"
	. "hardened-terminal-mcp/pipeline/pipelinetest"
	"hardened-terminal-mcp/stages"
	"hardened-terminal-mcp/stages/sandbox"
)

var _ = Describe("Exec", func() {
	var (
		jail   string
		limits config.Limits
		sh     sandbox.Executable
		exec   *stages.Exec
	)

	granted := func(script string) *pipeline.Exchange {
		x := asked("sh")
		x.SetGrant(pipeline.Grant{Exe: sh.Path, Argv: []string{"sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin", "A=b"}})
		x.SetDir(".")
		return x
	}
	out := func(x *pipeline.Exchange) string { return string(x.Output().Stdout.Bytes) }

	BeforeEach(func() {
		var err error
		jail, err = filepath.EvalSymlinks(GinkgoT().TempDir())
		Expect(err).NotTo(HaveOccurred())
		sh, err = sandbox.Find([]string{"/bin", "/usr/bin"}, "sh")
		Expect(err).NotTo(HaveOccurred())
		limits = config.Default().Limits
	})

	JustBeforeEach(func() {
		l, err := sandbox.New(sandbox.Options{Jail: jail, Slots: 1})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(l.Close)
		exec = stages.NewExec(l, map[string]sandbox.Executable{"sh": sh}, limits)
	})

	It("runs the grant in the directory, with its environment and nothing else", func(ctx SpecContext) {
		Expect(os.Mkdir(filepath.Join(jail, "sub"), 0o755)).To(Succeed())
		x := asked("")
		x.SetGrant(pipeline.Grant{Exe: sh.Path, Argv: []string{"sh", "-c", "pwd; echo $A; echo e >&2; exit 3"}, Env: []string{"A=b"}})
		x.SetDir("sub")
		Expect(exec.Act(ctx, x)).To(Proceed())
		Expect(out(x)).To(Equal(filepath.Join(jail, "sub") + "\nb\n"))
		Expect(string(x.Output().Stderr.Bytes)).To(Equal("e\n"))
		Expect(x.Output().ExitCode).To(HaveValue(Equal(3)))
	})

	It("names the signal a command died of", func(ctx SpecContext) {
		x := granted("kill -SEGV $$")
		v := exec.Act(ctx, x)
		Expect(v).To(Proceed())
		Expect(v.Reason()).To(ContainSubstring("SIGSEGV"))
		Expect(x.Output().ExitCode).To(HaveValue(Equal(139)))
	})

	It("hints at a glob when a command with one failed, and only then", func(ctx SpecContext) {
		x := asked("")
		x.SetGrant(pipeline.Grant{Exe: sh.Path, Argv: []string{"sh", "-c", "exit $1", "*.txt", "1"}})
		x.SetDir(".")
		Expect(exec.Act(ctx, x).Reason()).To(ContainSubstring("globs are not expanded"))

		x = asked("")
		x.SetGrant(pipeline.Grant{Exe: sh.Path, Argv: []string{"sh", "-c", "exit 0", "*.txt"}})
		x.SetDir(".")
		Expect(exec.Act(ctx, x).Reason()).To(BeEmpty())
	})

	It("refuses a command that was not found", func(ctx SpecContext) {
		x := asked("")
		x.SetGrant(pipeline.Grant{Argv: []string{"gone"}})
		x.SetDir(".")
		Expect(exec.Act(ctx, x)).To(StopWith(envelope.ExecutorError, "not found in the policy's PATH"))
	})

	It("says that cwd was swapped, and runs nothing", func(ctx SpecContext) {
		Expect(os.Symlink("/", filepath.Join(jail, "sub"))).To(Succeed())
		x := asked("")
		x.SetGrant(pipeline.Grant{Exe: sh.Path, Argv: []string{"sh", "-c", "touch /tmp/x"}})
		x.SetDir("sub")
		Expect(exec.Act(ctx, x)).To(StopWith(envelope.CwdEscape, "cwd was replaced"))
	})

	It("says cancelled when the client gives up", func(ctx SpecContext) {
		ctx2, cancel := context.WithCancel(ctx)
		cancel()
		Expect(exec.Act(ctx2, granted("sleep 60"))).To(StopWith(envelope.ExecutorError, "cancelled"))
	})

	Context("with a short time limit", func() {
		BeforeEach(func() { limits.Timeout = 100 * time.Millisecond })

		It("ends the command and returns what there is", func(ctx SpecContext) {
			x := granted("echo early; exec sleep 60")
			Expect(exec.Act(ctx, x)).To(StopWith(envelope.Timeout, "time limit of 100ms"))
			Expect(out(x)).To(Equal("early\n"))
			Expect(x.Output().ExitCode).To(BeNil())
		})
	})

	Context("with a small cap", func() {
		BeforeEach(func() { limits.MaxStdoutBytes = 10 })

		It("keeps the cap and the margin, and counts the rest", func(ctx SpecContext) {
			x := granted("head -c 1000000 /dev/zero")
			Expect(exec.Act(ctx, x)).To(Proceed())
			Expect(x.Output().Stdout.Bytes).To(HaveLen(10 + stages.Margin))
			Expect(x.Output().Stdout.Total).To(BeEquivalentTo(1000000))
		})
	})
})
