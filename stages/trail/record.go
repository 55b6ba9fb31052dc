package trail

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"time"
)

// Kind says whether a record announces a command or accounts for a call.
type Kind string

const (
	// Attempt is written, and made durable, before a command starts.
	Attempt Kind = "attempt"
	// Outcome ends every call, whether or not anything ran.
	Outcome Kind = "outcome"
)

// Record is what the caller knows about a call. Sequence number, time, writer
// and hashes are the log's. Text must be redacted already: it is written as
// given, only escaped, and cut when the line would pass [MaxLine].
type Record struct {
	EventID    string
	Kind       Kind
	Tool       string   // as the client sent it
	CommandRaw *string  // nil when the call carried none
	Argv       []string // nil is written as [], "not parsed"
	ExecArgv   []string // nil is written as null, "nothing ran"
	Cwd, Jail  string
	Exe        string // "" is written as null
	PolicyHash string
	Client     string
	Result     *Result // nil for an attempt
}

// Result is the part of a record that only an outcome has.
type Result struct {
	Code                     string
	ExitCode                 *int          // nil unless the command ran to its end
	Duration                 time.Duration // monotonic; written in whole milliseconds
	StdoutBytes, StderrBytes int64         // what the child wrote, before redaction and cut
	Truncated                bool
	Redactions               map[string]int // pattern name to count
	PolicyReason             string
}

// A Sink takes audit records: a [Log], which refuses what it cannot record, or
// the one [FailOpen] makes of it, which never refuses.
type Sink interface {
	Append(ctx context.Context, r Record) error
}

// NewEventID returns 128 random bits in hex, the name that ties an attempt to its
// outcome.
func NewEventID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	return hex.EncodeToString(b[:])
}
