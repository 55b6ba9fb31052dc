package features_test

import (
	"encoding/json"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/envelope"
	. "hardened-terminal-mcp/pipeline/pipelinetest"
)

var _ = Describe("The two tools", func() {
	var (
		w *world
		s *server
	)

	BeforeEach(func() {
		w = newWorld()
		w.allows("echo ls false touch gone", `deny = ["rm"]`)
		s = w.serve()
	})

	It("run a command and return its envelope twice over, as one text block and as structured content", func() {
		c := s.call("run_command", map[string]any{"command": "echo hi"})
		Expect(c.CommandResult).To(HaveRun(0))
		Expect(c.Stdout).To(Equal("hi\n"))
		Expect(c.isError).To(BeFalse())
		Expect(c.text).To(MatchRegexp(`^\{"ok":true,"code":"OK","stdout":"hi\\n","stderr":"","exit_code":0,"duration_ms":\d+,"policy_reason":""\}$`))
	})

	It("give the facts beside the envelope in _meta", func() {
		c := s.call("run_command", map[string]any{"command": "echo hi"})
		Expect(c.meta).To(HaveKeyWithValue("rule", "allow/echo"))
		Expect(c.meta).To(HaveKeyWithValue("argv", HaveExactElements("echo", "hi")))
		Expect(c.meta["binary"]).To(HaveSuffix("/echo"))
		Expect(c.meta["event_id"]).To(Equal(w.records()[0]["event_id"]))
	})

	It("call a non-zero exit OK: errors are data", func() {
		c := s.call("run_command", map[string]any{"command": "false"})
		Expect(c.CommandResult).To(HaveRun(1))
		Expect(c.OK).To(BeTrue())
		Expect(c.isError).To(BeFalse())
	})

	It("flag a run that was refused as an error, and an explanation that denies not", func() {
		Expect(s.call("run_command", map[string]any{"command": "rm x"}).isError).To(BeTrue())
		Expect(s.call("explain_command", map[string]any{"command": "rm x"}).isError).To(BeFalse())
	})

	It("explain without running: the verdict of run, empty output, no exit code", func() {
		r := s.explain("touch ran")
		Expect(r).To(Equal(envelope.CommandResult{OK: true, Code: envelope.OK, DurationMS: r.DurationMS}))
		Expect(w.jail + "/ran").NotTo(BeAnExistingFile())
		Expect(s.run("touch ran")).To(HaveRun(0))
		Expect(w.jail + "/ran").To(BeAnExistingFile())
	})

	DescribeTable("explain and run agree on", func(args map[string]any) {
		run, explain := s.call("run_command", args), s.call("explain_command", args)
		Expect(explain.Code).To(Equal(run.Code))
		Expect(explain.PolicyReason).To(Equal(run.PolicyReason))
		Expect(explain.ExitCode).To(BeNil())
		Expect(fmt.Sprint(explain.meta["rule"])).To(Equal(fmt.Sprint(run.meta["rule"])))
	},
		Entry("an allowed command", map[string]any{"command": "echo x"}),
		Entry("a denied one", map[string]any{"command": "rm x"}),
		Entry("a metacharacter", map[string]any{"command": "echo x | cat"}),
		Entry("a parse error", map[string]any{"command": "echo 'x"}),
		Entry("an escape", map[string]any{"command": "ls", "cwd": ".."}),
		Entry("a missing directory", map[string]any{"command": "ls", "cwd": "nope"}),
		Entry("unknown arguments", map[string]any{"command": "ls", "shell": true}),
	)

	It("differ only for an allowed command that is not installed", func() {
		Expect(s.run("gone")).To(BeRefused(envelope.ExecutorError, "not found in the policy's PATH"))
		r := s.explain("gone")
		Expect(r.OK).To(BeTrue())
		Expect(r.PolicyReason).To(ContainSubstring("not found in the policy's PATH"))
		records := w.records()
		Expect(records[0]["record_type"]).To(Equal("attempt"))
	})

	It("are described with schemas, titles and all four annotations", func() {
		var list struct {
			Tools []struct {
				Name, Title, Description string
				InputSchema              struct {
					AdditionalProperties *bool
					Required             []string
					Properties           map[string]struct {
						Description string
						MaxLength   int
					}
				}
				OutputSchema struct {
					Required   []string
					Properties map[string]any
				}
				Annotations map[string]any
			}
		}
		Expect(json.Unmarshal(s.request("tools/list", map[string]any{}).Result, &list)).To(Succeed())
		Expect(list.Tools).To(HaveLen(2))
		for _, t := range list.Tools {
			Expect(t.Title).NotTo(BeEmpty())
			Expect(len(t.Description)).To(BeNumerically("~", 550, 300))
			Expect(t.Description).To(ContainSubstring("echo, false"))
			Expect(t.InputSchema.AdditionalProperties).To(HaveValue(BeFalse()))
			Expect(t.InputSchema.Required).To(HaveExactElements("command"))
			Expect(t.InputSchema.Properties).To(HaveLen(2))
			for _, p := range t.InputSchema.Properties {
				Expect(p.Description).NotTo(BeEmpty())
				Expect(p.MaxLength).To(BeNumerically(">", 0))
			}
			Expect(t.OutputSchema.Required).To(ConsistOf("ok", "code", "stdout", "stderr", "exit_code", "duration_ms", "policy_reason"))
			Expect(t.OutputSchema.Properties).To(HaveLen(7))
		}
		Expect(list.Tools[0].Name).To(Equal("explain_command"))
		Expect(list.Tools[0].Annotations).To(Equal(map[string]any{
			"title": "Explain a command", "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false,
		}))
		Expect(list.Tools[1].Annotations).To(Equal(map[string]any{
			"title": "Run a command", "readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": true,
		}))
	})

	It("list every result code in the output schema", func() {
		line := s.request("tools/list", map[string]any{}).line
		for _, code := range envelope.Codes() {
			Expect(line).To(ContainSubstring(`"` + string(code) + `"`))
		}
	})
})

var _ = Describe("Arguments that cannot be read", func() {
	var (
		w *world
		s *server
	)

	BeforeEach(func() {
		w = newWorld()
		w.allows("echo")
		s = w.serve()
	})

	DescribeTable("come back as an envelope, run nothing and are on record", func(arguments, reason string) {
		answer := s.expect("77")
		s.sendLine(`{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"run_command","arguments":` + arguments + "}}\n")
		c := result(await(answer))
		Expect(c.CommandResult).To(BeRefused(envelope.ParseError, "arguments: ", reason))
		Expect(c.isError).To(BeTrue())
		Expect(w.records()).To(HaveLen(1))
		Expect(w.records()[0]).To(And(
			HaveKeyWithValue("record_type", "outcome"), HaveKeyWithValue("code", "PARSE_ERROR"),
			HaveKeyWithValue("tool", "run_command"), HaveKeyWithValue("exec_argv", BeNil()),
		))
	},
		Entry("none", `{}`, "command is missing"),
		Entry("null", `null`, "command is missing"),
		Entry("an array", `["echo"]`, "must be an object"),
		Entry("a string", `"echo"`, "must be an object"),
		Entry("a command that is a number", `{"command":7}`, "command must be a string"),
		Entry("a command that is null", `{"command":null}`, "command must be a string"),
		Entry("a command that is a list", `{"command":["echo","x"]}`, "command must be a string"),
		Entry("a cwd that is a number", `{"command":"echo","cwd":7}`, "cwd must be a string"),
		Entry("a key in another case", `{"Command":"echo x"}`, `unknown argument "Command"`),
		Entry("an unknown key", `{"command":"echo x","timeout":5}`, `unknown argument "timeout"`),
		Entry("a key given twice", `{"command":"echo x","command":"echo y"}`, `"command" is given twice`),
		Entry("half a surrogate pair, which decoders replace", `{"command":"echo \ud800"}`, "U+FFFD"),
	)

	It("take cwd null and empty for the jail root", func() {
		for _, cwd := range []any{nil, ""} {
			Expect(s.call("run_command", map[string]any{"command": "echo x", "cwd": cwd}).CommandResult).To(HaveRun(0))
		}
	})
})
