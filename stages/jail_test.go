package stages_test

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/envelope"
	"hardened-terminal-mcp/pipeline"
	. "hardened-terminal-mcp/pipeline/pipelinetest"
	"hardened-terminal-mcp/stages"
	"hardened-terminal-mcp/stages/jailpath"
)

var _ = Describe("Jail", func() {
	var (
		jail stages.Jail
		dir  string
	)

	BeforeEach(func() {
		dir = filepath.Join(GinkgoT().TempDir(), "jail")
		Expect(os.MkdirAll(filepath.Join(dir, "sub"), 0o755)).To(Succeed())
		Expect(os.WriteFile(filepath.Join(dir, "f"), nil, 0o644)).To(Succeed())
		Expect(os.Symlink("..", filepath.Join(dir, "up"))).To(Succeed())
		root, err := jailpath.Open(dir)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(root.Close)
		jail = stages.Jail{Root: root}
	})

	in := func(cwd string) *pipeline.Exchange {
		return pipeline.NewExchange(pipeline.Request{Dir: cwd})
	}

	DescribeTable("records the directory for", func(ctx SpecContext, cwd, want string) {
		x := in(cwd)
		Expect(jail.Check(ctx, x)).To(Proceed())
		Expect(x.Dir()).To(Equal(want))
	},
		Entry("no cwd", "", "."),
		Entry("a directory", "sub", "sub"),
	)

	DescribeTable("stops", func(ctx SpecContext, cwd string, code envelope.ResultCode, words ...string) {
		Expect(jail.Check(ctx, in(cwd))).To(StopWith(code, words...))
	},
		Entry("an escape", "..", envelope.CwdEscape, "jail: cwd leads outside the jail"),
		Entry("an escape by a symlink", "up", envelope.CwdEscape, "outside the jail"),
		Entry("a directory that is missing", "nope", envelope.ExecutorError, "working directory does not exist"),
		Entry("a file", "f", envelope.ExecutorError, "not a directory"),
		Entry("a NUL", "su\x00b", envelope.ExecutorError, "does not exist"),
	)

	It("stops when the jail root is gone", func(ctx SpecContext) {
		Expect(os.RemoveAll(dir)).To(Succeed())
		Expect(jail.Check(ctx, in(""))).To(StopWith(envelope.ExecutorError, "the jail root is gone"))
	})
})
