package config

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The bounds of [limits]. They keep a typo from turning a limit off.
const (
	maxTimeout      = 24 * time.Hour
	maxOutputBytes  = 64 << 20
	maxCommandBytes = 512 << 10 // a JSON-RPC line, which may escape every character, is at most 1 MiB
	maxArgs         = 4096
	maxConcurrent   = 256
	minLogBytes     = 256 << 10 // a few records of the largest size
)

var (
	commandName  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.+-]*$`)
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

	// loaders are variables that make programs load or run code of the
	// variable's choosing, see ld.so(8), bash(1), perlrun(1), ruby(1), node(1).
	loaders = regexp.MustCompile(`^(LD_.*|DYLD_.*|GCONV_PATH|BASH_ENV|ENV|PERL5OPT|PERL5LIB|RUBYOPT|NODE_OPTIONS|PYTHONSTARTUP|JAVA_TOOL_OPTIONS)$`)
)

// faults collects what is wrong, each with its key.
type faults []error

func (f *faults) add(key, format string, args ...any) {
	*f = append(*f, fmt.Errorf("%s: %w", key, fmt.Errorf(format, args...)))
}

func (f *faults) between(key string, v, low, high int64) {
	if v < low || v > high {
		f.add(key, "%d is not between %d and %d", v, low, high)
	}
}

// Validate checks the values, and returns every fault by its key. It is pure:
// whether a directory exists or a pattern compiles is found out where it is
// used.
func (p Policy) Validate() error {
	var f faults
	if p.Version != 1 {
		f.add("version", "%d is unknown; this program reads version 1", p.Version)
	}
	if p.RequireRules {
		f.add("require_rules", "true needs argument rules, which this version does not have")
	}
	f.checkNames("allow", p.Allow)
	f.checkNames("deny", p.Deny)
	if p.AuditFailMode != Closed && p.AuditFailMode != Open {
		f.add("audit_fail_mode", `%q is neither "closed" nor "open"`, p.AuditFailMode)
	}
	p.Limits.validate(&f)
	p.Env.validate(&f)
	p.Sandbox.validate(&f)
	p.Redaction.validate(&f)
	p.Audit.validate(&f)
	return errors.Join(f...)
}

func (l Limits) validate(f *faults) {
	if l.Timeout < time.Millisecond || l.Timeout > maxTimeout {
		f.add("limits.timeout", "%s is not between 1ms and %s", l.Timeout, maxTimeout)
	}
	f.between("limits.max_stdout_bytes", int64(l.MaxStdoutBytes), 1, maxOutputBytes)
	f.between("limits.max_stderr_bytes", int64(l.MaxStderrBytes), 1, maxOutputBytes)
	f.between("limits.max_command_bytes", int64(l.MaxCommandBytes), 1, maxCommandBytes)
	f.between("limits.max_args", int64(l.MaxArgs), 0, maxArgs)
	f.between("limits.max_concurrent", int64(l.MaxConcurrent), 1, maxConcurrent)
	f.between("limits.max_calls_per_second", int64(l.MaxCallsPerSecond), 0, 1_000_000)
	f.between("limits.max_processes", int64(l.MaxProcesses), 0, 1<<22)
	f.between("limits.max_memory_bytes", l.MaxMemoryBytes, 0, 1<<50)
	f.between("limits.max_file_bytes", l.MaxFileBytes, 0, 1<<50)
	f.between("limits.max_open_files", int64(l.MaxOpenFiles), 0, 1<<20)
	if l.MaxOpenFiles != 0 && l.MaxOpenFiles < leastOpenFiles(l.MaxConcurrent) {
		f.add("limits.max_open_files", "%d is too few; with max_concurrent = %d it must be at least %d", l.MaxOpenFiles, l.MaxConcurrent, leastOpenFiles(l.MaxConcurrent))
	}
	if l.MaxCPU < 0 || l.MaxCPU%time.Second != 0 {
		f.add("limits.max_cpu", "%s is not in whole seconds", l.MaxCPU)
	}
}

// leastOpenFiles is what the launcher itself needs: it lives with the limit too.
func leastOpenFiles(slots int) int { return 64 + 8*slots }

func (s Sandbox) validate(f *faults) {
	if s.Mode != Required && s.Mode != BestEffort && s.Mode != Off {
		f.add("sandbox.mode", `%q is none of "required", "best-effort" and "off"`, s.Mode)
	}
	f.checkPaths("sandbox.read", s.Read)
	f.checkPaths("sandbox.write", s.Write)
}

// checkPaths wants absolute paths, or ones that begin with a placeholder.
func (f *faults) checkPaths(key string, paths []string) {
	for i, path := range paths {
		if !filepath.IsAbs(path) && !strings.HasPrefix(path, "{CACHE}") && !strings.HasPrefix(path, "{USER_HOME}") {
			f.add(fmt.Sprintf("%s[%d]", key, i), "%q is not absolute", path)
		}
	}
}

func (a Audit) validate(f *faults) {
	if a.Sync != SyncAttempt && a.Sync != SyncAlways && a.Sync != SyncNever {
		f.add("audit.sync", `%q is none of "attempt", "always" and "never"`, a.Sync)
	}
	if a.MaxBytes != 0 {
		f.between("audit.max_bytes", a.MaxBytes, minLogBytes, 1<<50)
	}
	f.between("audit.keep", int64(a.Keep), 0, 1_000_000)
	if a.KeyFile != "" && !filepath.IsAbs(a.KeyFile) {
		f.add("audit.key_file", "%q is not absolute", a.KeyFile)
	}
}

// Dirs is Path as a list.
func (e Env) Dirs() []string { return strings.Split(e.Path, ":") }

func (e Env) validate(f *faults) {
	for i, dir := range e.Dirs() {
		switch {
		case dir == "":
			f.add("env.path", "element %d is empty, which would mean the working directory", i+1)
		case !filepath.IsAbs(dir):
			f.add("env.path", "%q is not absolute", dir)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Set)) {
		key := "env.set." + name
		switch {
		case !variableName.MatchString(name):
			f.add(key, "%q is not a variable's name", name)
		case name == "PATH":
			f.add(key, "PATH is set by env.path")
		case name == "HOME":
			f.add(key, "HOME is an empty directory of the server")
		case loaders.MatchString(name):
			f.add(key, "makes programs load code of the variable's choosing")
		case strings.ContainsRune(e.Set[name], 0):
			f.add(key, "holds a NUL")
		}
	}
}

func (r Redaction) validate(f *faults) {
	for i, p := range r.ExtraPatterns {
		key := fmt.Sprintf("redaction.extra_patterns[%d]", i)
		if p.Name == "" {
			f.add(key, "has no name")
		}
		if p.Regex == "" {
			f.add(key, "has no regex")
		}
	}
}

// checkNames holds a list of command names to the form argv[0] must have: no
// slash, so that nothing in the jail can be named, and no "=".
func (f *faults) checkNames(key string, names []string) {
	seen := map[string]bool{}
	for i, name := range names {
		at := fmt.Sprintf("%s[%d]", key, i)
		switch {
		case name == "":
			f.add(at, "is empty")
		case strings.Contains(name, "/"):
			f.add(at, "%q holds a slash; commands are looked up by name in env.path", name)
		case !commandName.MatchString(name):
			f.add(at, "%q is not a command's name (letters, digits and _.+- after a letter or digit)", name)
		case seen[name]:
			f.add(at, "%q stands there twice", name)
		}
		seen[name] = true
	}
}

// Warnings says what of the policy weakens a guarantee or cannot be meant.
func (p Policy) Warnings() []string {
	var out []string
	warn := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if len(p.Allow) == 0 {
		warn("allow is empty: every command is denied")
	}
	for _, name := range p.Allow {
		if slices.ContainsFunc(p.Deny, func(d string) bool { return strings.EqualFold(d, name) }) {
			warn("%q is on allow and on deny: it is denied", name)
		}
	}
	if p.AuditFailMode == Open {
		warn("audit_fail_mode is open: commands run even when they cannot be recorded")
	}
	if !p.Redaction.Enabled {
		warn("redaction.enabled is false: secrets in output and in the audit trail are not masked")
	}
	if p.Redaction.EntropyFallback {
		warn("redaction.entropy_fallback is on: hashes, UUIDs and base64 are masked too")
	}
	switch p.Sandbox.Mode {
	case Off:
		warn("sandbox.mode is off: commands reach everything that the server's user can")
	case BestEffort, Required:
		if p.Sandbox.Network {
			warn("sandbox.network is true: commands reach the network, this machine's own services and cloud metadata included")
		}
	}
	if p.Audit.Sync == SyncNever {
		warn("audit.sync is never: a power cut may lose records of commands that ran")
	}
	if p.Output.KeepEscapes {
		warn("output.keep_escapes is on: output can repaint the terminal it is shown on")
	}
	return out
}
