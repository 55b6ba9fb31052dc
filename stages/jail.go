package stages

import (
	"context"
	"errors"

	"hardened-terminal-mcp/envelope"
	"hardened-terminal-mcp/pipeline"
	"hardened-terminal-mcp/stages/jailpath"
)

// Jail resolves the working directory beneath the jail root.
type Jail struct {
	Root *jailpath.Root
}

// Spec puts the jail behind the policy, whose verdict needs no file system: a
// denied command learns nothing about directories.
func (Jail) Spec() pipeline.Spec {
	return pipeline.Spec{Role: pipeline.Jail, After: []pipeline.Role{pipeline.Policy}}
}

// Check records where the command may run. Where it does run, exec checks again.
func (j Jail) Check(_ context.Context, x *pipeline.Exchange) pipeline.Verdict {
	dir, err := j.Root.Dir(x.Request().Dir)
	switch {
	case err == nil:
		x.SetDir(dir)
		return pipeline.Continue()
	case errors.Is(err, jailpath.ErrEscapes):
		return pipeline.Stop(envelope.CwdEscape, "jail: cwd leads outside the jail; name a directory beneath the jail root, or leave cwd out")
	case errors.Is(err, jailpath.ErrNotDirectory):
		return pipeline.Stop(envelope.ExecutorError, "jail: cwd is not a directory")
	case errors.Is(err, jailpath.ErrGone):
		return pipeline.Stop(envelope.ExecutorError, "jail: the jail root is gone; the server must be started again on a directory that exists").Because(err)
	}
	return pipeline.Stop(envelope.ExecutorError, "jail: the working directory does not exist in the jail, or may not be entered")
}
