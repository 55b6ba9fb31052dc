package secrets_test

import (
	"encoding/base64"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/secrets"
)

var _ = Describe("bad input", func() {
	var r *secrets.Redactor

	BeforeEach(func() { r = compile(GinkgoTB()) })

	It("is left alone once it is redacted", func() {
		for name, text := range hostile(100 << 10) {
			out := r.Text(text).Text
			Expect(r.Text(out).Text == out).To(BeTrue(), name)
		}
	})

	It("is redacted the same in a stream", func() {
		for name, text := range hostile(300 << 10) {
			out := r.Text(text).Text
			Expect(through(r, text, func() int { return 50000 }) == out).To(BeTrue(), name)
		}
	})

	DescribeTable("does not hide a secret beside it", func(before, after string) {
		for range 2 {
			out := r.Text(before + "\nTOKEN=" + token + "\n" + after).Text
			Expect(survives(token, []string{out})).To(BeFalse())
		}
	},
		Entry("invalid UTF-8", "\xff\xc3\x28\xf0\x9f", "\xed\xa0\x80"),
		Entry("a BEGIN line", "-----BEGIN CERTIFICATE-----", ""),
		Entry("a million markers", strings.Repeat("[REDACTED:x]", 1<<20/12), ""),
		Entry("open markers", strings.Repeat("[REDACTED:", 9000), ""),
		Entry("a title that is never closed", "\x1b]0;", ""),
		Entry("a control string that is never closed", "\x1bP", "\x1b"),
		Entry("open quotes", `password="`, `"`),
		Entry("a percent sign at the end", "%4", "%"),
		Entry("backslashes", strings.Repeat(`\`, 10000), ""),
		Entry("a long line without an end", strings.Repeat("x", 1<<20), strings.Repeat("y", 1<<20)),
	)

	It("does not let a key pass that the end of input cuts", func() {
		whole := begin + body
		for n := len(begin) + 20; n < len(whole); n += 7 {
			out := r.Text(whole[:n]).Text
			Expect(out).NotTo(ContainSubstring("MIIEpAIBAAKC"), "cut at %d", n)
		}
	})

	It("follows encodings three deep and stops", func() {
		s := "TOKEN=" + token + "\n"
		for depth := 1; depth <= 6; depth++ {
			s = base64.StdEncoding.EncodeToString([]byte(s))
			out := r.Text(s).Text
			if depth <= 3 {
				Expect(out).To(HavePrefix("[REDACTED:"), "depth %d", depth)
			}
		}
	})

	It("is redacted by many at once", func() {
		text := "TOKEN=" + token + "\n" + begin + body + end
		want := r.Text(text).Text
		var wg sync.WaitGroup
		got := make([]string, 16)
		for i := range got {
			wg.Go(func() {
				defer GinkgoRecover()
				for range 50 {
					got[i] = r.Text(text).Text
				}
			})
		}
		wg.Wait()
		Expect(got).To(HaveEach(want))
	})
})

var _ = Describe("StripEscapes", func() {
	DescribeTable("removes", func(in, want string) {
		Expect(secrets.StripEscapes(in)).To(Equal(want))
	},
		Entry("colours", "\x1b[1;31mred\x1b[0m", "red"),
		Entry("cursor movement", "a\x1b[2K\x1b[1Gb", "ab"),
		Entry("private modes", "\x1b[?25lx\x1b[?25h", "x"),
		Entry("titles ended by BEL", "\x1b]0;title\x07x", "x"),
		Entry("links ended by ST", "\x1b]8;;http://h\x1b\\text\x1b]8;;\x1b\\", "text"),
		Entry("device control strings", "\x1bP1$rq\x1b\\x", "x"),
		Entry("application strings", "\x1b_a\x1b\\\x1b^b\x1b\\\x1bXc\x1b\\x", "x"),
		Entry("two-byte escapes", "\x1bcx\x1b7\x1b8", "x"),
		Entry("character sets", "\x1b(Bx\x1b)0", "x"),
		Entry("C1 controls", "\u009b31mx\u009d0;t\u009cy\u0085", "xy"),
		Entry("an escape alone", "a\x1b", "a"),
		Entry("only the introducer of a string that never ends", "\x1b]0;text", "0;text"),
		Entry("the sequence a second escape breaks off", "\x1b[3\x1b[31mx", "x"),
		Entry("other control characters", "a\x07\x08\x00\x7fb\x0b\x0c", "ab"),
		Entry("nothing that lays out text", "a\tb\r\nc", "a\tb\r\nc"),
		Entry("no letter after a cut character set", "\x1b(api", "(api"),
		Entry("no text of any script", "令牌é😀", "令牌é😀"),
	)

	It("takes linear time over introducers without an end", func() {
		for _, unit := range []string{"\x1b]", "\x1bP", "\u009d", "\x1b[", "\x1b("} {
			Expect(len(secrets.StripEscapes(strings.Repeat(unit, 1<<20)))).To(BeNumerically("<=", 1<<20))
		}
	})
})
