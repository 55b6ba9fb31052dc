package features_test

import (
	"context"
	"encoding/json"
	"path/filepath"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/envelope"
	. "hardened-terminal-mcp/pipeline/pipelinetest"
)

var _ = Describe("A session of mcp-go's own client", func() {
	It("lists both tools and meets every kind of answer", func(ctx SpecContext) {
		w := newWorld()
		w.program("slow", "exec sleep 60")
		w.allows("echo cat slow seq", `deny = ["rm"]`, "limits.timeout = \"500ms\"", "limits.max_stdout_bytes = 100")
		w.write(filepath.Join(w.jail, "secret.txt"), "token ghp_"+fill(36)+"\n")

		c, err := client.NewStdioMCPClient(binary, append(w.env, w.settings()...), "serve")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(c.Close)
		hello := mcp.InitializeRequest{}
		hello.Params.ProtocolVersion = mcp.LATEST_LEGACY_PROTOCOL_VERSION
		hello.Params.ClientInfo = mcp.Implementation{Name: "mcp-go", Version: "1"}
		info, err := c.Initialize(ctx, hello)
		Expect(err).NotTo(HaveOccurred())
		Expect(info.ServerInfo.Name).To(Equal("hardened-terminal-mcp"))
		Expect(len(info.Instructions)).To(BeNumerically("<", 2048))

		tools, err := c.ListTools(ctx, mcp.ListToolsRequest{})
		Expect(err).NotTo(HaveOccurred())
		Expect(tools.Tools).To(HaveExactElements(HaveField("Name", "explain_command"), HaveField("Name", "run_command")))

		call := func(ctx context.Context, tool string, args map[string]any) envelope.CommandResult {
			GinkgoHelper()
			request := mcp.CallToolRequest{}
			request.Params.Name, request.Params.Arguments = tool, args
			r, err := c.CallTool(ctx, request)
			Expect(err).NotTo(HaveOccurred())
			body, err := json.Marshal(r.StructuredContent)
			Expect(err).NotTo(HaveOccurred())
			var result envelope.CommandResult
			Expect(json.Unmarshal(body, &result)).To(Succeed())
			return result
		}
		run := func(args map[string]any) envelope.CommandResult { return call(ctx, "run_command", args) }

		Expect(run(map[string]any{"command": "echo hi"})).To(And(HaveRun(0), HaveField("Stdout", "hi\n")))
		Expect(run(map[string]any{"command": "rm x"})).To(BeRefused(envelope.PolicyDenied))
		Expect(run(map[string]any{"command": "echo x", "cwd": ".."})).To(BeRefused(envelope.CwdEscape))
		Expect(run(map[string]any{"command": "slow"}).Code).To(Equal(envelope.Timeout))
		Expect(run(map[string]any{"command": "seq 1000"}).Code).To(Equal(envelope.OutputTruncated))
		Expect(run(map[string]any{"command": "cat secret.txt"}).Stdout).To(Equal("token [REDACTED:github_token]\n"))
		Expect(run(map[string]any{"cmd": "echo"})).To(BeRefused(envelope.ParseError))
		Expect(call(ctx, "explain_command", map[string]any{"command": "echo hi"})).To(And(HaveField("OK", true), HaveField("ExitCode", BeNil())))
	})
})
