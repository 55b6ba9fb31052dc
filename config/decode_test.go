package config_test

import (
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/config"
)

var _ = Describe("Decoding a policy", func() {
	It("fills in the documented defaults", func() {
		p, err := config.Decode(nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(p).To(Equal(config.Default()))
		Expect(p.Limits).To(Equal(config.Limits{
			Timeout: 30 * time.Second, MaxStdoutBytes: 65536, MaxStderrBytes: 16384,
			MaxCommandBytes: 4096, MaxArgs: 64, MaxConcurrent: 8,
			MaxProcesses: 2048, MaxMemoryBytes: 16 << 30, MaxFileBytes: 4 << 30, MaxOpenFiles: 4096, MaxCPU: 10 * time.Minute,
		}))
		Expect(p.Sandbox).To(Equal(config.Sandbox{Mode: config.BestEffort}))
		Expect(p.Audit).To(Equal(config.Audit{Sync: config.SyncAttempt, MaxBytes: 64 << 20}))
		Expect(p.AuditFailMode).To(Equal(config.Closed))
		Expect(p.Redaction.Enabled).To(BeTrue())
		Expect(p.Allow).To(BeEmpty())
	})

	It("reads every key", func() {
		p, err := config.Decode([]byte(`
version = 1
allow = ["ls", "git"]
deny = ["rm"]
require_rules = false
audit_log = "/var/log/a.jsonl"
audit_fail_mode = "open"
[limits]
timeout = "1m30s"
max_stdout_bytes = 1
max_stderr_bytes = 2
max_command_bytes = 3
max_args = 4
max_concurrent = 5
max_calls_per_second = 6
max_processes = 7
max_memory_bytes = 8
max_file_bytes = 9
max_open_files = 10
max_cpu = "11s"
[env]
path = "/bin"
set = { TZ = "UTC", "A.B" = "dotted" }
[output]
keep_escapes = true
[sandbox]
mode = "required"
network = true
read = ["/r"]
write = ["/w"]
[audit]
sync = "always"
max_bytes = 12
keep = 13
key_file = "/k"
[redaction]
enabled = false
entropy_fallback = true
extra_patterns = [{ name = "n", regex = "r" }]
`))
		Expect(err).NotTo(HaveOccurred())
		Expect(p).To(Equal(config.Policy{
			Version: 1, Allow: []string{"ls", "git"}, Deny: []string{"rm"},
			AuditLog: "/var/log/a.jsonl", AuditFailMode: config.Open,
			Limits: config.Limits{
				Timeout: 90 * time.Second, MaxStdoutBytes: 1, MaxStderrBytes: 2, MaxCommandBytes: 3, MaxArgs: 4, MaxConcurrent: 5, MaxCallsPerSecond: 6,
				MaxProcesses: 7, MaxMemoryBytes: 8, MaxFileBytes: 9, MaxOpenFiles: 10, MaxCPU: 11 * time.Second,
			},
			Sandbox: config.Sandbox{Mode: config.Required, Network: true, Read: []string{"/r"}, Write: []string{"/w"}},
			Audit:   config.Audit{Sync: config.SyncAlways, MaxBytes: 12, Keep: 13, KeyFile: "/k"},
			Env:     config.Env{Path: "/bin", Set: map[string]string{"TZ": "UTC", "A.B": "dotted"}},
			Output:  config.Output{KeepEscapes: true},
			Redaction: config.Redaction{EntropyFallback: true, ExtraPatterns: []config.ExtraPattern{
				{Name: "n", Regex: "r"},
			}},
		}))
	})

	DescribeTable("refuses", func(text string, want ...string) {
		_, err := config.Decode([]byte(text))
		Expect(err).To(HaveOccurred())
		Expect(strings.Split(err.Error(), "\n")).To(ConsistOf(want))
	},
		Entry("an unknown key, with its line and what was meant", "allow = []\ndeyn = []",
			`line 2: unknown key "deyn"; did you mean "deny"?`),
		Entry("a key in another case", `Allow = []`, `line 1: unknown key "Allow"; did you mean "allow"?`),
		Entry("a key in an unknown table", "[policy]\nallow = []\ndeyn = []",
			`line 2: unknown key "policy.allow"; did you mean "allow"?`,
			`line 3: unknown key "policy.deyn"; did you mean "deny"?`),
		Entry("an unknown key in a known table", "[limits]\ntimout = \"1s\"",
			`line 2: unknown key "limits.timout"; did you mean "limits.timeout"?`),
		Entry("a key of the wrong table", "[env]\ntimeout = \"1s\"",
			`line 2: unknown key "env.timeout"; did you mean "limits.timeout"?`),
		Entry("an unknown key in an inline table", `redaction = { extra_patterns = [{ name = "n", regx = "r" }] }`,
			`line 1: unknown key "redaction.extra_patterns[0].regx"; did you mean "redaction.extra_patterns.regex"?`),
		Entry("argument rules, which this version does not have", "[[rule]]\ncommand = \"ls\"", `line 1: unknown key "rule"`),
		Entry("a fraction of a byte", "[audit]\nmax_bytes = 1.5", "line 2: audit.max_bytes: wants a whole number"),
		Entry("a word that resembles none", "zebra = 1", `line 1: unknown key "zebra"`),
		Entry("a number as a string", "[limits]\nmax_args = \"8\"", "line 2: limits.max_args: wants a whole number"),
		Entry("a fraction as a whole number", "[limits]\nmax_args = 6.5", "line 2: limits.max_args: wants a whole number"),
		Entry("a name instead of a list", `allow = "ls"`, "line 1: allow: wants an array"),
		Entry("a number in a list of names", `allow = ["ls", 7]`, "line 1: allow[1]: wants a string"),
		Entry("a string as a switch", "[redaction]\nenabled = \"no\"", "line 2: redaction.enabled: wants true or false"),
		Entry("a value instead of a table", "limits = 3", "line 1: limits: wants a table"),
		Entry("a duration without a unit", "[limits]\ntimeout = 30", `line 2: limits.timeout: wants a duration such as "30s"`),
		Entry("a duration that is none", "[limits]\ntimeout = \"soon\"", `line 2: limits.timeout: "soon" is not a duration such as "30s" or "2m"`),
		Entry("several faults, all at once", "version = \"1\"\ndeyn = []\n[limits]\ntimeout = 3",
			`line 2: unknown key "deyn"; did you mean "deny"?`,
			`line 4: limits.timeout: wants a duration such as "30s"`,
			"line 1: version: wants a whole number"),
	)

	DescribeTable("says where the syntax is wrong", func(text, want string) {
		_, err := config.Decode([]byte(text))
		Expect(err).To(MatchError(HavePrefix(want)))
	},
		Entry("a value that is missing", "a = 1\nallow =", "line 2, column"),
		Entry("a key that stands there twice", "allow = []\nallow = []", "line 2, column"),
		Entry("a table that stands there twice", "[env]\n[env]", "line 2, column"),
	)

	It("knows every key it can suggest, and suggests every key it knows", func() {
		for _, key := range config.Keys() {
			if key == "redaction.extra_patterns.name" || key == "redaction.extra_patterns.regex" {
				continue
			}
			_, err := config.Decode([]byte(key + " = 1979-05-27")) // no key takes a date
			Expect(err).To(MatchError(ContainSubstring(key + ": wants")))
		}
		Expect(config.Keys()).To(ContainElements(config.Fields()))
	})
})
