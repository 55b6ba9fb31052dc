// Package envelope defines the one answer every call gets: a [CommandResult]
// with a typed [ResultCode]. Errors are data here. Nothing in an envelope comes
// from a Go error, a stack trace or a path of the server.
package envelope

import (
	"bytes"
	"encoding/json"
	"slices"
)

// A ResultCode says how a call ended. The zero value is no code at all and is
// treated as [InternalError] wherever a code is due.
type ResultCode string

// The nine codes. Their values are the wire names, part of the tool's schema.
const (
	OK               ResultCode = "OK"                // ran to its end, or would be allowed to; a non-zero exit is OK too
	PolicyDenied     ResultCode = "POLICY_DENIED"     // the policy, the metacharacter rule or the jail refuses the command
	ParseError       ResultCode = "PARSE_ERROR"       // the arguments or the command line cannot be read
	Timeout          ResultCode = "TIMEOUT"           // ended by the wall-clock limit; partial output is returned
	OutputTruncated  ResultCode = "OUTPUT_TRUNCATED"  // ran to its end; some of its output is missing from the answer
	CwdEscape        ResultCode = "CWD_ESCAPE"        // the working directory lies outside the jail
	ExecutorError    ResultCode = "EXECUTOR_ERROR"    // allowed, but could not be run to its end: not found, busy, cancelled
	AuditUnavailable ResultCode = "AUDIT_UNAVAILABLE" // not run, because it could not be recorded
	InternalError    ResultCode = "INTERNAL_ERROR"    // a fault of the server
)

// Codes lists every valid code, in the order of the documentation.
func Codes() []ResultCode {
	return []ResultCode{
		OK, PolicyDenied, ParseError, Timeout, OutputTruncated,
		CwdEscape, ExecutorError, AuditUnavailable, InternalError,
	}
}

// Valid reports whether c is one of the nine codes.
func (c ResultCode) Valid() bool { return slices.Contains(Codes(), c) }

// Completed reports whether the command ran to its end: the only codes whose
// result carries an exit code.
func (c ResultCode) Completed() bool { return c == OK || c == OutputTruncated }

// A CommandResult is the answer to one call. It has exactly these seven keys on
// the wire, always all of them.
type CommandResult struct {
	OK           bool       `json:"ok"`            // true exactly when Code is OK
	Code         ResultCode `json:"code"`          //
	Stdout       string     `json:"stdout"`        // redacted, then cut to the cap; valid UTF-8
	Stderr       string     `json:"stderr"`        // likewise
	ExitCode     *int       `json:"exit_code"`     // null unless the command ran to its end; 128+n for death by signal n
	DurationMS   int64      `json:"duration_ms"`   // wall-clock milliseconds the call took
	PolicyReason string     `json:"policy_reason"` // one sentence to act on, "" when there is nothing to say
}

// JSON encodes r on one line. '<', '>' and '&' stay readable: the text goes to
// a model, not into HTML.
func (r CommandResult) JSON() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		panic(err) // strings, numbers and booleans always encode
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
