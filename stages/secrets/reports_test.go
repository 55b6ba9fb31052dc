package secrets_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/secrets"
)

var _ = Describe("What public reports showed to slip through", func() {
	DescribeTable("goes", func(text, want string) {
		r, err := secrets.Compile(secrets.Options{Enabled: true})
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Text(text).Text).To(Equal(want))
		Expect(r.Text(want).Text).To(Equal(want))
	},
		Entry("the short last line of a key whose output was cut", "-----BEGIN RSA PRIVATE "+"KEY-----\nMIIEfakefakefakefake\nMIIEfakemore\n(cut)\n", "[REDACTED:private_key]\n(cut)\n"),
		Entry("a bearer token that begins like a placeholder", "Authorization: Bearer "+"abcdefghijklmnop1234\n", "Authorization: Bearer [REDACTED:auth_header]\n"),
	)

	DescribeTable("stays", func(text string) {
		r, err := secrets.Compile(secrets.Options{Enabled: true})
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Text(text).Text).To(Equal(text))
	},
		Entry("a word on a line of its own", "-----BEGIN RSA PRIVATE "+"KEY-----\nnothing\n"),
		Entry("a placeholder for a bearer token", "Authorization: Bearer your-token-here\n"),
	)
})
