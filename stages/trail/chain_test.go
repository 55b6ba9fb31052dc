//go:build unix

package trail_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/trail"
)

var _ = Describe("the chain", func() {
	var p place

	BeforeEach(func() { p = newPlace() })

	It("hashes the exact bytes before the hash, each record over the one before", func(ctx SpecContext) {
		l := open(p.options())
		call(ctx, l, "a")
		call(ctx, l, "b")
		prev := strings.Repeat("0", 64)
		for i, line := range lines(p.log) {
			body, _, _ := strings.Cut(line, `,"hash":"`)
			sum := fmt.Sprintf("%x", sha256.Sum256([]byte(body)))
			Expect(line).To(Equal(body + `,"hash":"` + sum + `"}`))
			e, err := trail.ParseEntry([]byte(line))
			Expect(err).NotTo(HaveOccurred())
			Expect(e.Seq).To(BeEquivalentTo(i + 1))
			Expect(e.PrevHash).To(Equal(prev))
			prev = sum
		}
		Expect(l.Head()).To(Equal(trail.Head{Seq: 4, Hash: prev}))
	})

	It("uses HMAC-SHA256 with a key", func(ctx SpecContext) {
		o := p.options()
		o.Key = []byte("a key of the operator")
		l := open(o)
		call(ctx, l, "a")
		for _, line := range lines(p.log) {
			body, _, _ := strings.Cut(line, `,"hash":"`)
			mac := hmac.New(sha256.New, o.Key)
			mac.Write([]byte(body))
			Expect(line).To(HaveSuffix(fmt.Sprintf(`"%x"}`, mac.Sum(nil))))
		}
	})

	It("goes on where it ended when the log is opened again", func(ctx SpecContext) {
		l := open(p.options())
		call(ctx, l, "a")
		head, err := l.Close()
		Expect(err).NotTo(HaveOccurred())
		Expect(head.Seq).To(BeEquivalentTo(2))
		again := open(p.options())
		Expect(again.Head()).To(Equal(head))
		call(ctx, again, "b")
		Expect(entries(p.log)[2].PrevHash).To(Equal(head.Hash))
	})

	It("is one chain when several logs have the file open", func(ctx SpecContext) {
		a, b := open(p.options()), open(p.options())
		for i := range 20 {
			call(ctx, a, fmt.Sprint("a", i))
			call(ctx, b, fmt.Sprint("b", i))
		}
		prev := strings.Repeat("0", 64)
		for i, e := range entries(p.log) {
			Expect(e.Seq).To(BeEquivalentTo(i + 1))
			Expect(e.PrevHash).To(Equal(prev))
			prev = e.Hash
		}
	})
})

var _ = Describe("a head", func() {
	It("is read as it is written", func() {
		h := trail.Head{Seq: 42, Hash: strings.Repeat("ab", 32)}
		Expect(trail.ParseHead(h.String())).To(Equal(h))
	})

	DescribeTable("is refused",
		func(text string) {
			_, err := trail.ParseHead(text)
			Expect(err).To(MatchError(ContainSubstring("SEQ:HASH")))
		},
		Entry("nothing", ""),
		Entry("no hash", "12"),
		Entry("a short hash", "12:abcd"),
		Entry("upper case, which the log never writes", "12:"+strings.Repeat("AB", 32)),
		Entry("a negative number", "-1:"+strings.Repeat("ab", 32)),
	)
})
