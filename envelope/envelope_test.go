package envelope_test

import (
	"encoding/json"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/envelope"
)

var _ = Describe("A result code", func() {
	It("is one of nine wire names", func() {
		Expect(envelope.Codes()).To(HaveExactElements(
			BeEquivalentTo("OK"), BeEquivalentTo("POLICY_DENIED"), BeEquivalentTo("PARSE_ERROR"),
			BeEquivalentTo("TIMEOUT"), BeEquivalentTo("OUTPUT_TRUNCATED"), BeEquivalentTo("CWD_ESCAPE"),
			BeEquivalentTo("EXECUTOR_ERROR"), BeEquivalentTo("AUDIT_UNAVAILABLE"), BeEquivalentTo("INTERNAL_ERROR"),
		))
	})

	DescribeTable("is not valid when it is", func(c envelope.ResultCode) {
		Expect(c.Valid()).To(BeFalse())
	},
		Entry("the zero value", envelope.ResultCode("")),
		Entry("in another case", envelope.ResultCode("ok")),
		Entry("unknown", envelope.ResultCode("CANCELLED")),
	)

	It("says which results carry an exit code", func() {
		completed := slices.DeleteFunc(envelope.Codes(), func(c envelope.ResultCode) bool { return !c.Completed() })
		Expect(completed).To(ConsistOf(envelope.OK, envelope.OutputTruncated))
	})
})

var _ = Describe("A command result", func() {
	It("has exactly its seven keys, in order, also when they are empty", func() {
		Expect(string(envelope.CommandResult{}.JSON())).To(Equal(
			`{"ok":false,"code":"","stdout":"","stderr":"","exit_code":null,"duration_ms":0,"policy_reason":""}`))
	})

	It("stays readable for a model: no HTML escapes, one line", func() {
		r := envelope.CommandResult{Stdout: "<a> & b\n"}
		Expect(string(r.JSON())).To(ContainSubstring(`"stdout":"<a> & b\n"`))
		Expect(string(r.JSON())).NotTo(ContainSubstring("\n"))
	})

	It("comes back from its JSON unchanged", func() {
		code := 139
		r := envelope.CommandResult{OK: true, Code: envelope.OK, Stdout: "\u2028\x00\"", Stderr: "é", ExitCode: &code, DurationMS: 7, PolicyReason: "x"}
		var back envelope.CommandResult
		Expect(json.Unmarshal(r.JSON(), &back)).To(Succeed())
		Expect(back).To(Equal(r))
	})
})
