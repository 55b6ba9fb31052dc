package stages

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"hardened-terminal-mcp/config"
	"hardened-terminal-mcp/envelope"
	"hardened-terminal-mcp/pipeline"
	"hardened-terminal-mcp/stages/argv"
	"hardened-terminal-mcp/stages/sandbox"
)

// Exec runs what was granted, and nothing else.
type Exec struct {
	launcher *sandbox.Launcher
	programs map[string]sandbox.Executable // by absolute path
	limits   config.Limits
}

// NewExec takes the launcher and the programs found at startup.
func NewExec(l *sandbox.Launcher, programs map[string]sandbox.Executable, limits config.Limits) *Exec {
	byPath := map[string]sandbox.Executable{}
	for _, e := range programs {
		byPath[e.Path] = e
	}
	return &Exec{launcher: l, programs: byPath, limits: limits}
}

// Spec puts exec behind everything that may refuse a command and behind the
// record of the attempt, and before everything that makes its output safe.
func (*Exec) Spec() pipeline.Spec {
	return pipeline.Spec{
		Role:   pipeline.Exec,
		After:  []pipeline.Role{pipeline.Parse, pipeline.Metachar, pipeline.Policy, pipeline.Jail, pipeline.AuditAttempt},
		Before: []pipeline.Role{pipeline.Redact, pipeline.Truncate, pipeline.AuditOutcome},
	}
}

// Act runs the grant in the jailed directory.
func (e *Exec) Act(ctx context.Context, x *pipeline.Exchange) pipeline.Verdict {
	grant := x.Grant()
	program, found := e.programs[grant.Exe]
	if !found {
		return pipeline.Stop(envelope.ExecutorError, "exec: the command is allowed, but not found in the policy's PATH")
	}
	r, err := e.launcher.Run(ctx, sandbox.Command{
		Exe: program, Argv: grant.Argv, Env: grant.Env, Dir: x.Dir(),
		Timeout:   e.limits.Timeout,
		MaxStdout: e.limits.MaxStdoutBytes + Margin,
		MaxStderr: e.limits.MaxStderrBytes + Margin,
	})
	if err != nil {
		return notRun(ctx, err)
	}
	x.SetOutput(pipeline.Output{Stdout: pipeline.Capture(r.Stdout), Stderr: pipeline.Capture(r.Stderr), ExitCode: r.ExitCode})
	switch {
	case r.TimedOut:
		return pipeline.Stop(envelope.Timeout, fmt.Sprintf("exec: ended after the time limit of %s", e.limits.Timeout))
	case r.Cancelled:
		return pipeline.Interrupted(ctx)
	case r.Signal != "":
		return pipeline.Note("exec: ended by signal " + r.Signal)
	case r.ExitCode != nil && *r.ExitCode != 0:
		return pipeline.Note(argv.Hint(grant.Argv))
	}
	return pipeline.Continue()
}

// notRun is the verdict on a command that could not be started.
func notRun(ctx context.Context, err error) pipeline.Verdict {
	say := func(code envelope.ResultCode, reason string) pipeline.Verdict {
		return pipeline.Stop(code, "exec: "+reason).Because(err)
	}
	switch {
	case errors.Is(err, sandbox.ErrClosed):
		return pipeline.Stop(envelope.ExecutorError, pipeline.ErrShutdown.Error())
	case ctx.Err() != nil:
		return pipeline.Interrupted(ctx)
	case errors.Is(err, sandbox.ErrHelper):
		return say(envelope.ExecutorError, "the process that starts commands was lost; what the command did until then is done, and the next call gets a new one")
	case errors.Is(err, sandbox.ErrEscapes):
		return say(envelope.CwdEscape, "cwd was replaced while it was checked; it is no longer the directory that was allowed")
	case errors.Is(err, sandbox.ErrDirMissing):
		return say(envelope.ExecutorError, "the working directory does not exist any more")
	case errors.Is(err, sandbox.ErrNotDirectory):
		return say(envelope.ExecutorError, "cwd is not a directory any more")
	case errors.Is(err, sandbox.ErrGone):
		return say(envelope.ExecutorError, "the jail root is gone")
	case errors.Is(err, sandbox.ErrChanged):
		return say(envelope.ExecutorError, "the program's file has changed since the server started; restart the server if that was meant")
	case errors.Is(err, syscall.E2BIG):
		return say(envelope.ExecutorError, "the arguments are larger than the kernel takes")
	case errors.Is(err, syscall.ENOEXEC):
		return say(envelope.ExecutorError, "the program's file is no executable and names no interpreter (#!)")
	case errors.Is(err, syscall.EACCES):
		return say(envelope.ExecutorError, "the server's user may not run the program, or not in that directory")
	case errors.Is(err, syscall.ENOENT):
		return say(envelope.ExecutorError, "the interpreter that the program names does not exist")
	}
	return say(envelope.ExecutorError, "the program could not be started")
}
