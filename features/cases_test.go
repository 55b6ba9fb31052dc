package features_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/envelope"
)

// A publicCase is a public report of a fault in a tool of this kind, as a small
// input. testdata/cases.jsonl.gz has them, packed because some hold values that
// look like tokens.
type publicCase struct {
	ID, Source, Class, Summary string
	Pending                    string // what has to come first, if anything
	Driven                     bool   // has a function of its own in cases_driven_test.go
	Setup                      string // bash, in the world's root
	AfterStart                 string `json:"after_start"`
	AuditLog                   string `json:"audit_log"`
	Env, Needs                 []string
	Toml                       string
	RawToml                    string `json:"raw_toml"`
	Input                      struct {
		Tool, Method, Command string
		Cwd                   *string
		Gen                   *struct {
			Prefix, Repeat string
			Count          int
		} `json:"command_gen"`
	}
	Codes []envelope.ResultCode
	Check checks
}

// checks are observable facts, each checked when it is there.
type checks struct {
	Stdout                                         *string
	StdoutHas, StdoutLacks, StderrHas, StderrLacks []string
	ReasonHas, ReasonLacks                         []string
	AuditHas, AuditLacks, LogHas, LogLacks         []string
	AuditLines                                     int
	Exit                                           any // a number, "nonzero" or "null"
	Present, Absent, Meta, StdoutNames             []string
	Refused                                        []string // the start is refused with these words
	Then                                           string   // a command that must still work
	Gone                                           string   // a command line that no process may have
	WithinMS                                       int64
	StdoutMost, GrowthKiB                          int
	Smaller                                        map[string]int64
	RPCError                                       int
	ServerCwd                                      string
}

func (c *checks) UnmarshalJSON(data []byte) error {
	// The file writes stdout_has where Go writes StdoutHas.
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	plain := map[string]json.RawMessage{}
	for k, v := range raw {
		plain[strings.ReplaceAll(k, "_", "")] = v
	}
	joined, err := json.Marshal(plain)
	if err != nil {
		return err
	}
	type fields checks
	d := json.NewDecoder(strings.NewReader(string(joined)))
	d.DisallowUnknownFields()
	return d.Decode((*fields)(c))
}

func publicCases() []publicCase {
	f, err := os.Open("testdata/cases.jsonl.gz")
	if err != nil {
		panic(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		panic(err)
	}
	var out []publicCase
	for s := bufio.NewScanner(z); s.Scan(); {
		var c publicCase
		if err := json.Unmarshal(s.Bytes(), &c); err != nil {
			panic(err)
		}
		out = append(out, c)
	}
	return out
}

var _ = Describe("A public report", func() {
	all := publicCases()

	It("is one of 112", func() { Expect(all).To(HaveLen(112)) })

	for _, c := range all {
		name := fmt.Sprintf("%s: %s", c.ID, c.Summary)
		switch {
		case c.Pending != "":
			PIt(name + " (comes with: " + c.Pending + ")")
		case c.Driven:
			It(name, func() { driven(c) })
		default:
			It(name, func() { c.run() })
		}
	}
})

// prepare builds the world of a case.
func (c publicCase) prepare() *world {
	GinkgoHelper()
	for _, program := range c.Needs {
		if _, err := exec.LookPath(program); err != nil {
			Skip(program + " is not installed")
		}
	}
	w := newWorld()
	w.bash(c.Setup)
	w.write(w.policy, fmt.Sprintf("env.path = %q\n%s\n", w.bin+":/usr/local/bin:/usr/bin:/bin", c.Toml))
	if c.RawToml != "" {
		w.write(w.policy, c.RawToml)
	}
	if c.AuditLog != "" {
		w.log = w.fill(c.AuditLog)
	}
	w.env = append(w.env, c.Env...)
	w.cwd = w.fill(c.Check.ServerCwd)
	return w
}

// run checks a case that needs no driver of its own.
func (c publicCase) run() {
	GinkgoHelper()
	w := c.prepare()
	if c.Check.Refused != nil {
		o := w.do("serve")
		Expect(o.status).To(Equal(2), o.stderr)
		Expect(o.stdout).To(BeEmpty())
		for _, word := range c.Check.Refused {
			Expect(o.stderr).To(ContainSubstring(word))
		}
		for _, path := range c.Check.Absent {
			Expect(w.fill(path)).NotTo(BeAnExistingFile())
		}
		return
	}

	s := w.serve()
	w.bash(c.AfterStart)
	before := peak(s.cmd.Process.Pid)
	if c.Check.RPCError != 0 {
		r := s.request("tools/call", map[string]any{"name": "run_command", "arguments": map[string]any{"command": c.command(w, s)}})
		Expect(r.Error).NotTo(BeNil())
		Expect(r.Error.Code).To(Equal(c.Check.RPCError))
	} else {
		args := map[string]any{"command": c.command(w, s)}
		if c.Input.Cwd != nil {
			args["cwd"] = w.fill(*c.Input.Cwd)
		}
		tool := "run_command"
		if c.Input.Tool != "" {
			tool = c.Input.Tool
		}
		r := s.call(tool, args)
		Expect(c.Codes).To(ContainElement(r.Code), "%s: %s", r.Code, r.PolicyReason)
		c.Check.result(w, r)
	}
	c.Check.world(w, s, before)
}

func (c publicCase) command(w *world, s *server) string {
	if g := c.Input.Gen; g != nil {
		return g.Prefix + strings.Repeat(g.Repeat, g.Count)
	}
	return strings.ReplaceAll(w.fill(c.Input.Command), "{PPID}", fmt.Sprint(s.cmd.Process.Pid))
}

// result checks the answer.
func (c checks) result(w *world, r called) {
	GinkgoHelper()
	has := func(text string, has, lacks []string) {
		GinkgoHelper()
		for _, word := range has {
			Expect(text).To(ContainSubstring(w.fill(word)))
		}
		for _, word := range lacks {
			Expect(text).NotTo(ContainSubstring(w.fill(word)))
		}
	}
	has(r.Stdout, c.StdoutHas, c.StdoutLacks)
	has(r.Stderr, c.StderrHas, c.StderrLacks)
	has(r.PolicyReason, c.ReasonHas, c.ReasonLacks)
	if c.Stdout != nil {
		Expect(r.Stdout).To(Equal(*c.Stdout))
	}
	if c.StdoutMost > 0 {
		Expect(len(r.Stdout)).To(BeNumerically("<=", c.StdoutMost))
	}
	switch want := c.Exit.(type) {
	case float64:
		Expect(r.ExitCode).To(HaveValue(BeEquivalentTo(want)))
	case string:
		if want == "null" {
			Expect(r.ExitCode).To(BeNil())
		} else {
			Expect(r.ExitCode).To(HaveValue(Not(BeZero())))
		}
	}
	for _, key := range c.Meta {
		Expect(r.meta).To(HaveKey(key))
	}
	if c.StdoutNames != nil {
		var names []string
		for line := range strings.Lines(r.Stdout) {
			name, _, _ := strings.Cut(line, "=")
			names = append(names, name)
		}
		Expect(names).To(ConsistOf(c.StdoutNames))
	}
	if c.WithinMS > 0 {
		Expect(r.DurationMS).To(BeNumerically("<=", c.WithinMS))
	}
	if r.Code != envelope.OK {
		Expect(r.PolicyReason).NotTo(BeEmpty(), "a refusal says why")
	}
}

// world checks what is left behind.
func (c checks) world(w *world, s *server, before int) {
	GinkgoHelper()
	for _, path := range c.Present {
		Expect(w.fill(path)).To(BeAnExistingFile())
	}
	for _, path := range c.Absent {
		Expect(w.fill(path)).NotTo(BeAnExistingFile())
	}
	for path, most := range c.Smaller {
		info, err := os.Stat(w.fill(path))
		Expect(err).NotTo(HaveOccurred())
		Expect(info.Size()).To(BeNumerically("<", most))
	}
	if c.GrowthKiB > 0 {
		Expect(peak(s.cmd.Process.Pid) - before).To(BeNumerically("<", c.GrowthKiB))
	}
	if c.Gone != "" {
		Eventually(processes).WithArguments(c.Gone, w.root).WithTimeout(5 * time.Second).Should(BeEmpty())
	}
	if c.Then != "" {
		Expect(s.run(c.Then).Code).To(Equal(envelope.OK))
	}
	if info, err := os.Stat(w.log); err == nil && info.Mode().IsRegular() {
		data, err := os.ReadFile(w.log)
		Expect(err).NotTo(HaveOccurred())
		for _, word := range c.AuditHas {
			Expect(string(data)).To(ContainSubstring(word))
		}
		for _, word := range c.AuditLacks {
			Expect(string(data)).NotTo(ContainSubstring(word))
		}
		records := w.records() // every line parses
		if c.AuditLines > 0 {
			Expect(records).To(HaveLen(c.AuditLines))
		}
	}
	for _, word := range c.LogHas {
		Eventually(s.stderr.Contents).Should(ContainSubstring(word))
	}
	for _, word := range c.LogLacks {
		Expect(string(s.stderr.Contents())).NotTo(ContainSubstring(word))
	}
}

// processes are those with these words in their command line that run in the
// world's directory.
func processes(words, root string) []string {
	var out []string
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		line, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if err != nil || !strings.Contains(strings.ReplaceAll(string(line), "\x00", " "), words) {
			continue
		}
		if cwd, err := os.Readlink(filepath.Join("/proc", e.Name(), "cwd")); err == nil && strings.HasPrefix(cwd, root) {
			out = append(out, e.Name())
		}
	}
	return out
}

// bash runs a script in the world's root.
func (w *world) bash(script string) {
	GinkgoHelper()
	if script == "" {
		return
	}
	c := exec.Command("bash", "-c", script)
	c.Dir = w.root
	out, err := c.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), string(out))
}

// fill puts the world's directories where a case has placeholders.
func (w *world) fill(text string) string {
	return strings.NewReplacer("{T}", w.root, "{JAIL}", w.jail, "{OUT}", w.out).Replace(text)
}
