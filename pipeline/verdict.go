package pipeline

import (
	"context"
	"errors"

	"hardened-terminal-mcp/envelope"
)

// A Verdict is a stage's answer. Its zero value is neither [Continue] nor a
// [Stop] and counts as an internal error: a stage that forgets to decide denies.
type Verdict struct {
	proceeds bool
	code     envelope.ResultCode
	reason   string
	cause    error
}

// Continue lets the request go on to the next stage.
func Continue() Verdict { return Verdict{proceeds: true} }

// Note lets the request go on and adds text to the result's policy_reason. The
// text is a constant of the program: a note may come after redaction.
func Note(text string) Verdict { return Verdict{proceeds: true, reason: text} }

// Stop ends the request with code. The reason reaches the client, redacted; it
// is one sentence with a stable beginning that a caller can act on.
func Stop(code envelope.ResultCode, reason string) Verdict {
	return Verdict{code: code, reason: reason}
}

// Because attaches the error behind a verdict, for the operator's standard
// error only. It never reaches the client.
func (v Verdict) Because(err error) Verdict {
	v.cause = err
	return v
}

// Proceeds reports whether v came from [Continue] or [Note].
func (v Verdict) Proceeds() bool { return v.proceeds }

// Code is the code of a stopping verdict. It is InternalError for a verdict no
// stage may give: the zero value, an unknown code, Stop(OK).
func (v Verdict) Code() envelope.ResultCode {
	switch {
	case v.proceeds:
		return envelope.OK
	case v.code == envelope.OK, !v.code.Valid():
		return envelope.InternalError
	}
	return v.code
}

// Reason is the text for the client. An internal error never carries detail.
func (v Verdict) Reason() string {
	if v.Code() == envelope.InternalError {
		return "internal: the server failed on this call; the operator's log has the details"
	}
	return v.reason
}

// Cause is the error behind the verdict, or nil.
func (v Verdict) Cause() error { return v.cause }

// ErrShutdown is the cause to cancel a request's context with when the server
// itself is going down, see [context.WithCancelCause].
var ErrShutdown = errors.New("the server is shutting down")

// Interrupted is the verdict for a request whose context has ended.
func Interrupted(ctx context.Context) Verdict {
	if errors.Is(context.Cause(ctx), ErrShutdown) {
		return Stop(envelope.ExecutorError, ErrShutdown.Error())
	}
	return Stop(envelope.ExecutorError, "cancelled")
}
