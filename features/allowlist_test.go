package features_test

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/envelope"
	. "hardened-terminal-mcp/pipeline/pipelinetest"
)

var _ = Describe("Guarantee: deny by default, deny wins", func() {
	var w *world

	BeforeEach(func() { w = newWorld() })

	It("runs nothing under an empty policy", func() {
		w.write(w.policy, "")
		Expect(w.serve().run("ls")).To(BeRefused(envelope.PolicyDenied, "allowed commands are none"))
	})

	DescribeTable("denies", func(command string) {
		w.program("marker", "touch "+w.out+"/ran")
		w.program("MARKER", "touch "+w.out+"/ran")
		w.program("markerx", "touch "+w.out+"/ran")
		w.program("both", "touch "+w.out+"/ran")
		w.program("BOTH", "touch "+w.out+"/ran")
		w.allows("marker both BOTH", `deny = ["both"]`)
		Expect(w.serve().run(command)).To(BeRefused(envelope.PolicyDenied))
		Expect(filepath.Join(w.out, "ran")).NotTo(BeAnExistingFile())
	},
		Entry("a command that is not on allow", "markerx"),
		Entry("a command in another case", "MARKER"),
		Entry("a command on both lists", "both"),
		Entry("a command on both lists, quoted", `"both"`),
		Entry("a command on both lists, quoted in pieces", `b'ot'"h"`),
		Entry("a denied name in another case, though allowed", "BOTH"),
		Entry("an allowed command behind another word", "env marker"),
		Entry("an allowed command behind an assignment", "A=b marker"),
	)

	DescribeTable("never runs a name with a slash", func(command string) {
		w.allows("ls")
		planted := filepath.Join(w.jail, "ls")
		w.write(planted, "#!/bin/sh\ntouch "+w.out+"/ran\n")
		Expect(os.Chmod(planted, 0o755)).To(Succeed())
		Expect(os.Mkdir(filepath.Join(w.jail, "sub"), 0o755)).To(Succeed())
		Expect(w.serve().run(command)).To(BeRefused(envelope.PolicyDenied, "slash"))
		Expect(filepath.Join(w.out, "ran")).NotTo(BeAnExistingFile())
	},
		Entry("a program in the jail", "./ls"),
		Entry("one by a longer way", "sub/../ls"),
		Entry("the very program that is allowed", "/bin/ls"),
	)

	It("looks commands up in the policy's PATH, never in the jail or the server's", func() {
		w.allows("planted")
		for _, dir := range []string{w.jail, w.out} {
			w.write(filepath.Join(dir, "planted"), "#!/bin/sh\ntouch "+w.out+"/ran\n")
			Expect(os.Chmod(filepath.Join(dir, "planted"), 0o755)).To(Succeed())
		}
		w.env = append(w.env, "PATH=:.:"+w.out+":"+os.Getenv("PATH"))
		w.cwd = w.jail
		Expect(w.serve().run("planted")).To(BeRefused(envelope.ExecutorError, "not found in the policy's PATH"))
		Expect(filepath.Join(w.out, "ran")).NotTo(BeAnExistingFile())
	})

	It("refuses a program that was swapped after the start", func() {
		w.program("tool", "echo good")
		w.allows("tool")
		s := w.serve()
		Expect(s.run("tool").Stdout).To(Equal("good\n"))
		Expect(os.Remove(filepath.Join(w.bin, "tool"))).To(Succeed())
		w.program("tool", "touch "+w.out+"/ran")
		Expect(s.run("tool")).To(BeRefused(envelope.ExecutorError, "has changed"))
		Expect(filepath.Join(w.out, "ran")).NotTo(BeAnExistingFile())
	})
})
