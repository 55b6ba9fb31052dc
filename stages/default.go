package stages

import (
	"log/slog"

	"hardened-terminal-mcp/config"
	"hardened-terminal-mcp/pipeline"
	"hardened-terminal-mcp/stages/jailpath"
	"hardened-terminal-mcp/stages/sandbox"
	"hardened-terminal-mcp/stages/secrets"
	"hardened-terminal-mcp/stages/trail"
)

// Margin is how many bytes past the cap are kept of a stream, so that a secret
// across the cap can be recognised and replaced whole.
const Margin = 64 << 10

// Parts are what the stages work with, opened and compiled at startup.
type Parts struct {
	Policy   config.Policy
	Hash     string                        // names the policy in the trail
	Programs map[string]sandbox.Executable // by command name; allowed names that were not found are absent
	Env      []string                      // of every command, NAME=value
	Root     *jailpath.Root
	Launcher *sandbox.Launcher
	Redactor *secrets.Redactor
	Trail    trail.Sink
	Log      *slog.Logger
}

// Default is the table of contents: read it from top to bottom and you have
// read what the server promises.
func Default(p Parts) pipeline.Plan {
	limits := p.Policy.Limits
	recorder := Recorder{Sink: p.Trail, Redactor: p.Redactor, Jail: p.Root.Path(), PolicyHash: p.Hash}
	return pipeline.Plan{
		Gates: []pipeline.Gate{
			Parse{MaxBytes: limits.MaxCommandBytes, MaxArgs: limits.MaxArgs},
			Metachar{},
			NewPolicy(p.Policy, p.Programs, p.Env, p.Redactor),
			Jail{Root: p.Root},
		},
		Actions: []pipeline.Action{
			AuditAttempt{Recorder: recorder},
			NewExec(p.Launcher, p.Programs, limits),
		},
		Finalizers: []pipeline.Finalizer{
			Redact{Redactor: p.Redactor, KeepEscapes: p.Policy.Output.KeepEscapes},
			Truncate{MaxStdout: limits.MaxStdoutBytes, MaxStderr: limits.MaxStderrBytes},
			AuditOutcome{Recorder: recorder},
		},
		Log: p.Log,
	}
}
