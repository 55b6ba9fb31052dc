package config_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/config"
)

var _ = Describe("A policy", func() {
	faults := func(text string) []string {
		p, err := config.Decode([]byte(text))
		Expect(err).NotTo(HaveOccurred())
		if err := p.Validate(); err != nil {
			return strings.Split(err.Error(), "\n")
		}
		return nil
	}

	DescribeTable("is refused for", func(text string, want ...string) {
		Expect(faults(text)).To(HaveExactElements(want))
	},
		Entry("an unknown version", "version = 2", "version: 2 is unknown; this program reads version 1"),
		Entry("asking for rules", "require_rules = true", "require_rules: true needs argument rules, which this version does not have"),
		Entry("an empty name, which nothing may match", `allow = [""]`, "allow[0]: is empty"),
		Entry("a path as a name", `allow = ["/usr/bin/env"]`, `allow[0]: "/usr/bin/env" holds a slash; commands are looked up by name in env.path`),
		Entry("a relative path as a name", `deny = ["./x"]`, `deny[0]: "./x" holds a slash; commands are looked up by name in env.path`),
		Entry("a pattern as a name", `allow = ["l?"]`, `allow[0]: "l?" is not a command's name (letters, digits and _.+- after a letter or digit)`),
		Entry("an assignment as a name", `allow = ["A=b"]`, `allow[0]: "A=b" is not a command's name (letters, digits and _.+- after a letter or digit)`),
		Entry("a look-alike letter", `allow = ["l`+"\u0455"+`"]`, `allow[0]: "l`+"\u0455"+`" is not a command's name (letters, digits and _.+- after a letter or digit)`),
		Entry("a flag as a name", `allow = ["-c"]`, `allow[0]: "-c" is not a command's name (letters, digits and _.+- after a letter or digit)`),
		Entry("a name twice", `allow = ["ls", "cat", "ls"]`, `allow[2]: "ls" stands there twice`),
		Entry("a fail mode that is none", `audit_fail_mode = "clsoed"`, `audit_fail_mode: "clsoed" is neither "closed" nor "open"`),
		Entry("no time", "limits.timeout = \"0s\"", "limits.timeout: 0s is not between 1ms and 24h0m0s"),
		Entry("a negative limit", "limits.max_args = -1", "limits.max_args: -1 is not between 0 and 4096"),
		Entry("a cap that would not bound memory", "limits.max_stdout_bytes = 1000000000", "limits.max_stdout_bytes: 1000000000 is not between 1 and 67108864"),
		Entry("negative kernel limits", "limits.max_processes = -1\nlimits.max_memory_bytes = -1\nlimits.max_file_bytes = -1\nlimits.max_cpu = \"1500ms\"",
			"limits.max_processes: -1 is not between 0 and 4194304",
			"limits.max_memory_bytes: -1 is not between 0 and 1125899906842624",
			"limits.max_file_bytes: -1 is not between 0 and 1125899906842624",
			"limits.max_cpu: 1.5s is not in whole seconds"),
		Entry("too few descriptors for the launcher itself", "limits.max_open_files = 100", "limits.max_open_files: 100 is too few; with max_concurrent = 8 it must be at least 128"),
		Entry("a sandbox mode that is none", `sandbox.mode = "on"`, `sandbox.mode: "on" is none of "required", "best-effort" and "off"`),
		Entry("relative paths in the sandbox", "sandbox.read = [\"{USER_HOME}/go\", \"x\"]\nsandbox.write = [\".\"]",
			`sandbox.read[1]: "x" is not absolute`, `sandbox.write[0]: "." is not absolute`),
		Entry("a sync that is none", `audit.sync = "yes"`, `audit.sync: "yes" is none of "attempt", "always" and "never"`),
		Entry("logs too small to hold a record", "audit.max_bytes = 1000", "audit.max_bytes: 1000 is not between 262144 and 1125899906842624"),
		Entry("a relative key file", `audit.key_file = "k"`, `audit.key_file: "k" is not absolute`),
		Entry("a relative directory to look commands up in", `env.path = "bin:/bin"`, `env.path: "bin" is not absolute`),
		Entry("the working directory to look commands up in", `env.path = "/bin::"`,
			"env.path: element 2 is empty, which would mean the working directory",
			"env.path: element 3 is empty, which would mean the working directory"),
		Entry("PATH by the back door", `env.set.PATH = "."`, "env.set.PATH: PATH is set by env.path"),
		Entry("HOME by the back door", `env.set.HOME = "/root"`, "env.set.HOME: HOME is an empty directory of the server"),
		Entry("the dynamic loader's variables", `env.set = { LD_PRELOAD = "./x.so", DYLD_INSERT_LIBRARIES = "x" }`,
			"env.set.DYLD_INSERT_LIBRARIES: makes programs load code of the variable's choosing",
			"env.set.LD_PRELOAD: makes programs load code of the variable's choosing"),
		Entry("an interpreter's start-up file", `env.set = { BASH_ENV = "x", ENV = "x", NODE_OPTIONS = "x", PYTHONSTARTUP = "x" }`,
			"env.set.BASH_ENV: makes programs load code of the variable's choosing",
			"env.set.ENV: makes programs load code of the variable's choosing",
			"env.set.NODE_OPTIONS: makes programs load code of the variable's choosing",
			"env.set.PYTHONSTARTUP: makes programs load code of the variable's choosing"),
		Entry("a variable no program can have", `env.set = { "A=B" = "x" }`, `env.set.A=B: "A=B" is not a variable's name`),
		Entry("a NUL in a value", `env.set.A = "\u0000"`, "env.set.A: holds a NUL"),
		Entry("a nameless pattern", `redaction.extra_patterns = [{ regex = "x" }]`, "redaction.extra_patterns[0]: has no name"),
		Entry("a pattern without a regex", `redaction.extra_patterns = [{ name = "x" }]`, "redaction.extra_patterns[0]: has no regex"),
		Entry("many things, all at once", "version = 3\nallow = [\"a/b\"]\nenv.path = \"\"",
			"version: 3 is unknown; this program reads version 1",
			`allow[0]: "a/b" holds a slash; commands are looked up by name in env.path`,
			"env.path: element 1 is empty, which would mean the working directory"),
	)

	It("takes names as tools have them", func() {
		Expect(faults(`allow = ["g++", "python3.11", "clang-format", "7z", "a_b"]`)).To(BeEmpty())
	})

	DescribeTable("warns of", func(text, want string) {
		p, err := config.Decode([]byte(text))
		Expect(err).NotTo(HaveOccurred())
		Expect(p.Warnings()).To(ContainElement(HavePrefix(want)))
	},
		Entry("allowing nothing", "", "allow is empty"),
		Entry("a name on both lists", "allow = [\"ls\"]\ndeny = [\"LS\"]", `"ls" is on allow and on deny`),
		Entry("open mode", `audit_fail_mode = "open"`, "audit_fail_mode is open"),
		Entry("redaction being off", "redaction.enabled = false", "redaction.enabled is false"),
		Entry("the noisy fallback", "redaction.entropy_fallback = true", "redaction.entropy_fallback is on"),
		Entry("no kernel jail", "sandbox.mode = \"off\"", "sandbox.mode is off"),
		Entry("an open network", "sandbox.network = true", "sandbox.network is true"),
		Entry("records that are not forced to disk", "audit.sync = \"never\"", "audit.sync is never"),
		Entry("escapes being kept", "output.keep_escapes = true", "output.keep_escapes is on"),
	)

	It("has nothing to warn of when it is plain", func() {
		p, err := config.Decode([]byte(`allow = ["ls"]`))
		Expect(err).NotTo(HaveOccurred())
		Expect(p.Warnings()).To(BeEmpty())
	})
})
