package features_test

import (
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "hardened-terminal-mcp/pipeline/pipelinetest"
)

var _ = Describe("The transport", func() {
	var (
		w *world
		s *server
	)

	BeforeEach(func() {
		w = newWorld()
		w.allows("echo sleep")
		s = w.serve()
	})

	It("reads on while a command runs", func() {
		s.tool("run_command", map[string]any{"command": "sleep 60"})
		Expect(s.request("ping", map[string]any{}).Error).To(BeNil())
		Expect(s.explain("echo x").OK).To(BeTrue())
		Expect(s.run("echo x")).To(HaveRun(0))
	})

	It("answers calls as they end, each under its own id", func() {
		_, slow := s.tool("run_command", map[string]any{"command": "sleep 1"})
		_, fast := s.tool("run_command", map[string]any{"command": "echo fast"})
		Expect(result(await(fast)).Stdout).To(Equal("fast\n"))
		Expect(slow).NotTo(Receive())
		Expect(result(await(slow)).CommandResult).To(HaveRun(0))
	})

	It("takes ids that are strings", func() {
		answer := s.expect(`"a-1"`)
		s.sendLine(`{"jsonrpc":"2.0","id":"a-1","method":"tools/call","params":{"name":"run_command","arguments":{"command":"echo x"}}}` + "\n")
		Expect(result(await(answer)).Stdout).To(Equal("x\n"))
	})

	It("answers the last line also when it has no end", func() {
		answer := s.expect("99")
		s.sendLine(`{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"run_command","arguments":{"command":"echo last"}}}`)
		s.in.Close()
		Expect(result(await(answer)).Stdout).To(Equal("last\n"))
	})

	It("refuses a line over 1 MiB by the id at its beginning, and goes on", func() {
		answer := s.expect("98")
		s.sendLine(`{"jsonrpc":"2.0","id":98,"method":"tools/call","params":{"name":"run_command","arguments":{"command":"echo ` + strings.Repeat("B", 8<<20) + "\"}}}\n")
		r := await(answer)
		Expect(r.Error).NotTo(BeNil())
		Expect(r.Error.Code).To(Equal(-32600))
		Expect(s.run("echo x")).To(HaveRun(0))
	})

	It("does not keep such a line in memory", func() {
		s.run("echo x")
		before := peak(s.cmd.Process.Pid)
		answer := s.expect("null")
		s.sendLine(`{"params":"`)
		for range 64 {
			s.sendLine(strings.Repeat("B", 1<<20))
		}
		s.sendLine("\"}\n")
		Expect(await(answer).Error.Code).To(Equal(-32600))
		Expect(peak(s.cmd.Process.Pid)-before).To(BeNumerically("<", 8192), "KiB more for 64 MiB")
	})

	DescribeTable("answers with a plain error, no Go text in it, and goes on after", func(line, id string, code int) {
		answer := s.expect(id)
		s.sendLine(line + "\n")
		r := await(answer)
		Expect(r.Error).NotTo(BeNil())
		Expect(r.Error.Code).To(Equal(code))
		Expect(r.Error.Message).NotTo(MatchRegexp("json:|unmarshal|cannot|struct|Go "))
		Expect(s.run("echo x")).To(HaveRun(0))
	},
		Entry("what is not JSON", `hello`, "null", -32700),
		Entry("a batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "null", -32700),
		Entry("another version of JSON-RPC", `{"jsonrpc":"1.0","id":90,"method":"ping"}`, "90", -32600),
		Entry("an unknown method", `{"jsonrpc":"2.0","id":91,"method":"nope"}`, "91", -32601),
		Entry("params of another type", `{"jsonrpc":"2.0","id":92,"method":"initialize","params":7}`, "92", -32600),
		Entry("an id that is an object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, "null", -32600),
		Entry("an id no number can hold", `{"jsonrpc":"2.0","id":1e400,"method":"ping"}`, "null", -32600),
		Entry("a key in another case", `{"jsonrpc":"2.0","id":94,"METHOD":"ping"}`, "94", -32600),
		Entry("a key twice, of which decoders take one or the other", `{"jsonrpc":"2.0","id":95,"method":"ping","method":"tools/call"}`, "95", -32600),
		Entry("arguments twice", `{"jsonrpc":"2.0","id":96,"method":"tools/call","params":{"name":"run_command","arguments":{"command":"echo a"},"arguments":{"command":"echo b"}}}`, "96", -32602),
		Entry("a call without a name", `{"jsonrpc":"2.0","id":93,"method":"tools/call","params":{}}`, "93", -32602),
	)

	It("runs no call that has no id: nobody could be told", func() {
		s.sendLine(`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"run_command","arguments":{"command":"echo x"}}}` + "\n")
		Expect(s.run("echo y")).To(HaveRun(0))
		Expect(w.outcomes()).To(HaveLen(1))
	})

	Describe("when a call is cancelled", func() {
		It("ends it at once, records it as cancelled and answers nothing", func() {
			w.program("slow", "exec sleep 60")
			w.allows("slow echo")
			s := w.serve()
			id, answer := s.tool("run_command", map[string]any{"command": "slow"})
			w.started()
			s.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": map[string]any{"requestId": id}})
			Eventually(w.commands).WithTimeout(time.Second).Should(BeEmpty())
			Eventually(w.outcomes).Should(ContainElement(And(HaveKeyWithValue("code", "EXECUTOR_ERROR"), HaveKeyWithValue("policy_reason", "cancelled"))))
			s.run("echo x")
			Expect(answer).NotTo(Receive())
			Expect(s.unasked()).To(BeEmpty())
		})

		It("does not start it when it still waited", func() {
			w.program("marks", "touch "+w.out+"/ran")
			w.allows("sleep marks", "limits.max_concurrent = 1")
			s := w.serve()
			first, _ := s.tool("run_command", map[string]any{"command": "sleep 60"})
			Eventually(w.attempts).Should(HaveLen(1))
			second, _ := s.tool("run_command", map[string]any{"command": "marks"})
			for _, id := range []int{second, first} {
				s.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": map[string]any{"requestId": id}})
			}
			Eventually(w.outcomes).Should(HaveLen(2))
			Expect(w.out + "/ran").NotTo(BeAnExistingFile())
			Expect(w.attempts()).To(HaveLen(1))
		})
	})

	It("speaks the stateless protocol too, on the same pipes", func() {
		meta := map[string]any{
			"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "modern", "version": "2"},
		}
		s := w.start("serve")
		Expect(string(s.request("server/discover", map[string]any{"_meta": meta}).Result)).To(ContainSubstring("2026-07-28"))
		_, answer := s.ask("tools/call", map[string]any{"_meta": meta, "name": "run_command", "arguments": map[string]any{"command": "echo x"}})
		r := await(answer)
		Expect(result(r).Stdout).To(Equal("x\n"))
		Expect(string(r.Result)).To(ContainSubstring(`"resultType":"complete"`))
		Expect(w.outcomes()[0]).To(HaveKeyWithValue("client", "modern 2"))

		for range 3 { // there is nothing to subscribe to, and that is said each time
			Expect(s.request("subscriptions/listen", map[string]any{"_meta": meta, "notifications": map[string]any{"toolsListChanged": true}}).Error).To(BeNil())
		}
		Expect(s.unasked()).To(HaveLen(3))
		Expect(s.unasked()[0]).To(ContainSubstring("acknowledged"))
	})

	It("records a call that the protocol itself refuses", func() {
		r := s.request("tools/call", map[string]any{
			"_meta": map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28"}, // and no capabilities
			"name":  "run_command", "arguments": map[string]any{"command": "echo x"},
		})
		Expect(r.Error.Code).To(Equal(-32602))
		Expect(w.outcomes()).To(ConsistOf(And(HaveKeyWithValue("code", "PARSE_ERROR"), HaveKeyWithValue("policy_reason", ContainSubstring("the protocol refuses")))))
	})

	It("keeps standard output to the protocol", func() {
		s.run("echo x")
		Expect(s.stop()).To(Equal(0))
		Expect(s.unasked()).To(BeEmpty())
	})

	It("carries out many calls at once, each answered once", func() {
		const calls = 200
		var answers []<-chan reply
		for i := range calls {
			_, answer := s.tool("explain_command", map[string]any{"command": fmt.Sprint("echo ", i)})
			answers = append(answers, answer)
		}
		for _, answer := range answers {
			Expect(result(await(answer)).OK).To(BeTrue())
		}
		Expect(w.outcomes()).To(HaveLen(calls))
	})
})

// attempts are the attempt records.
func (w *world) attempts() []map[string]any {
	GinkgoHelper()
	var out []map[string]any
	for _, r := range w.records() {
		if r["record_type"] == "attempt" {
			out = append(out, r)
		}
	}
	return out
}
