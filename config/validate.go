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
)

var (
	commandName  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.+-]*$`)
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

	// loaders are variables that make programs load or run code of the
	// variable's choosing, see ld.so(8), bash(1), perlrun(1), ruby(1), node(1).
	loaders = regexp.MustCompile(`^(LD_.*|DYLD_.*|GCONV_PATH|BASH_ENV|ENV|PERL5OPT|PERL5LIB|RUBYOPT|NODE_OPTIONS|PYTHONSTARTUP|JAVA_TOOL_OPTIONS)$`)
)

// Validate checks the values, and returns every fault by its key. It is pure:
// whether a directory exists or a pattern compiles is found out where it is
// used.
func (p Policy) Validate() error {
	var faults []error
	bad := func(key, format string, args ...any) {
		faults = append(faults, fmt.Errorf("%s: %w", key, fmt.Errorf(format, args...)))
	}
	between := func(key string, v, low, high int) {
		if v < low || v > high {
			bad(key, "%d is not between %d and %d", v, low, high)
		}
	}

	if p.Version != 1 {
		bad("version", "%d is unknown; this program reads version 1", p.Version)
	}
	if p.RequireRules {
		bad("require_rules", "true needs argument rules, which this version does not have")
	}
	checkNames("allow", p.Allow, bad)
	checkNames("deny", p.Deny, bad)
	if p.AuditFailMode != Closed && p.AuditFailMode != Open {
		bad("audit_fail_mode", `%q is neither "closed" nor "open"`, p.AuditFailMode)
	}

	l := p.Limits
	if l.Timeout < time.Millisecond || l.Timeout > maxTimeout {
		bad("limits.timeout", "%s is not between 1ms and %s", l.Timeout, maxTimeout)
	}
	between("limits.max_stdout_bytes", l.MaxStdoutBytes, 1, maxOutputBytes)
	between("limits.max_stderr_bytes", l.MaxStderrBytes, 1, maxOutputBytes)
	between("limits.max_command_bytes", l.MaxCommandBytes, 1, maxCommandBytes)
	between("limits.max_args", l.MaxArgs, 0, maxArgs)
	between("limits.max_concurrent", l.MaxConcurrent, 1, maxConcurrent)
	between("limits.max_calls_per_second", l.MaxCallsPerSecond, 0, 1_000_000)

	p.Env.validate(bad)
	p.Redaction.validate(bad)
	return errors.Join(faults...)
}

// Dirs is Path as a list.
func (e Env) Dirs() []string { return strings.Split(e.Path, ":") }

func (e Env) validate(bad func(key, format string, args ...any)) {
	for i, dir := range e.Dirs() {
		switch {
		case dir == "":
			bad("env.path", "element %d is empty, which would mean the working directory", i+1)
		case !filepath.IsAbs(dir):
			bad("env.path", "%q is not absolute", dir)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Set)) {
		key := "env.set." + name
		switch {
		case !variableName.MatchString(name):
			bad(key, "%q is not a variable's name", name)
		case name == "PATH":
			bad(key, "PATH is set by env.path")
		case name == "HOME":
			bad(key, "HOME is an empty directory of the server")
		case loaders.MatchString(name):
			bad(key, "makes programs load code of the variable's choosing")
		case strings.ContainsRune(e.Set[name], 0):
			bad(key, "holds a NUL")
		}
	}
}

func (r Redaction) validate(bad func(key, format string, args ...any)) {
	for i, p := range r.ExtraPatterns {
		key := fmt.Sprintf("redaction.extra_patterns[%d]", i)
		if p.Name == "" {
			bad(key, "has no name")
		}
		if p.Regex == "" {
			bad(key, "has no regex")
		}
	}
}

// checkNames holds a list of command names to the form argv[0] must have: no
// slash, so that nothing in the jail can be named, and no "=".
func checkNames(key string, names []string, bad func(key, format string, args ...any)) {
	seen := map[string]bool{}
	for i, name := range names {
		at := fmt.Sprintf("%s[%d]", key, i)
		switch {
		case name == "":
			bad(at, "is empty")
		case strings.Contains(name, "/"):
			bad(at, "%q holds a slash; commands are looked up by name in env.path", name)
		case !commandName.MatchString(name):
			bad(at, "%q is not a command's name (letters, digits and _.+- after a letter or digit)", name)
		case seen[name]:
			bad(at, "%q stands there twice", name)
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
	if p.Output.KeepEscapes {
		warn("output.keep_escapes is on: output can repaint the terminal it is shown on")
	}
	return out
}
