package features_test

import (
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/envelope"
	. "hardened-terminal-mcp/pipeline/pipelinetest"
)

var _ = Describe("Guarantee: no shell", func() {
	var (
		w *world
		s *server
	)

	BeforeEach(func() {
		w = newWorld()
		w.program("marker", "touch "+w.out+"/ran")
		w.program("args", `for a in "$@"; do echo "[$a]"; done`)
		w.allows("echo args marker")
		s = w.serve()
	})

	DescribeTable("refuses shell syntax in the raw line before any policy check", func(command string) {
		Expect(s.run(command)).To(BeRefused(envelope.PolicyDenied, "metachar: "))
		Expect(s.run("denied " + command)).To(BeRefused(envelope.PolicyDenied, "metachar: "))
		Expect(filepath.Join(w.out, "ran")).NotTo(BeAnExistingFile())
	},
		Entry("a sequence", "echo x; marker"),
		Entry("a sequence, glued", "echo;marker"),
		Entry("a pipe", "echo x | marker"),
		Entry("and", "echo x && marker"),
		Entry("or", "echo x || marker"),
		Entry("in the background", "echo x & marker"),
		Entry("a backtick", "echo `marker`"),
		Entry("a substitution", "echo $(marker)"),
		Entry("a substitution in quotes", `echo "$(marker)"`),
		Entry("a parameter", "echo ${IFS}marker"),
		Entry("a redirection", "echo x > planted"),
		Entry("a here-string", "echo <<< x"),
		Entry("a backslash", `echo \$x`),
		Entry("a newline", "echo x\nmarker"),
		Entry("a carriage return", "echo x\rmarker"),
		Entry("a NUL", "echo x\x00marker"),
		Entry("an escape sequence", "echo \x1b[2J"),
		Entry("a metacharacter in single quotes", "echo 'a|b'"),
	)

	It("passes words on exactly as they are", func() {
		Expect(s.run(`args 'a b' "c  d" '' $HOME ~ *.go {a,b} !x #y "it's" %s --x=y`).Stdout).To(Equal(
			"[a b]\n[c  d]\n[]\n[$HOME]\n[~]\n[*.go]\n[{a,b}]\n[!x]\n[#y]\n[it's]\n[%s]\n[--x=y]\n"))
	})

	It("says what a shell would have done when that may be why a command failed", func() {
		w.program("fails", "exit 1")
		w.allows("fails")
		s := w.serve()
		Expect(s.run("fails *.txt").PolicyReason).To(ContainSubstring("globs are not expanded"))
		Expect(s.run("fails plain").PolicyReason).To(BeEmpty())
	})

	It("does not hand a script without an interpreter to sh", func() {
		w.write(filepath.Join(w.bin, "noshebang"), "touch "+w.out+"/ran\n")
		w.program("noshebang2", "true")
		w.allows("noshebang")
		Expect(chmodX(filepath.Join(w.bin, "noshebang"))).To(Succeed())
		Expect(w.serve().run("noshebang")).To(BeRefused(envelope.ExecutorError, "no executable"))
		Expect(filepath.Join(w.out, "ran")).NotTo(BeAnExistingFile())
	})
})
