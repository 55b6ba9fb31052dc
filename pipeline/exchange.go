package pipeline

import (
	"crypto/rand"
	"encoding/hex"
	"maps"
	"slices"
	"time"

	"hardened-terminal-mcp/envelope"
)

// Mode tells a dry run from a real one. The zero value is the harmless one.
type Mode int

// Explain asks for the verdict of the gates only; Run executes.
const (
	Explain Mode = iota
	Run
)

// A Request is what the client asked for, untouched.
type Request struct {
	Mode    Mode
	Tool    string  // the tool's name as the client sent it
	Command *string // the command line; nil when the call carried none
	Dir     string  // the working directory asked for; "" is the jail root
	Client  string  // the client's name and version, for the record

	// Refusal, when set, is a call that was refused before any stage could see
	// it: arguments that do not decode, a busy server. Gates and actions are
	// skipped; the finalizers run, so that it is recorded like every other.
	Refusal *Verdict
}

// A Grant is what the policy allows to run. Exec runs it and nothing else.
type Grant struct {
	Rule string   // the rule that accepted the command, for example "allow/ls"
	Exe  string   // absolute path of the program; "" when it is not in the policy's PATH
	Argv []string // argv[0] and everything the server adds included
	Env  []string // NAME=value, the whole environment
}

// A Capture is the beginning of one output stream and the length of all of it.
type Capture struct {
	Bytes []byte // at most the cap and a margin of it, raw
	Total int64  // bytes the command wrote, kept or not
}

// Output is what a command left behind, before redaction.
type Output struct {
	Stdout, Stderr Capture
	ExitCode       *int // nil unless it ran to its end
}

// Text is what the client will read of a request. Nothing else of the output
// or of a reason can reach it, so redact, which writes it, cannot be left out.
type Text struct {
	Stdout, Stderr string
	Reason         string
	Argv           []string       // the argv that ran or would run
	Redactions     map[string]int // pattern name to number of replacements
	Truncated      bool           // some of the output is missing from Stdout or Stderr
}

// An Exchange is the state of one request. Facts that later stages rely on are
// written once and handed out as copies: a stage may refuse a command, but none
// can change it after another approved it. A second write and a read before the
// write panic, which [Chain.Run] turns into an internal error.
type Exchange struct {
	request Request
	id      string
	started time.Time

	argv   []string
	grant  *Grant
	dir    string
	output *Output
	text   *Text

	launched  bool
	code      envelope.ResultCode
	reason    string
	stoppedBy Role
}

// NewExchange starts the exchange of one request. [Chain.Run] calls it; tests
// of a single stage do too.
func NewExchange(r Request) *Exchange {
	var id [16]byte
	rand.Read(id[:]) // never fails, see crypto/rand
	return &Exchange{request: r, id: hex.EncodeToString(id[:]), started: time.Now(), code: envelope.OK}
}

// ID is the request's event id: 128 random bits in hexadecimal.
func (x *Exchange) ID() string { return x.id }

// Request is the client's request.
func (x *Exchange) Request() Request { return x.request }

// Command is the command line as sent, "" when the call carried none.
func (x *Exchange) Command() string {
	if x.request.Command == nil {
		return ""
	}
	return *x.request.Command
}

// SetArgv records the parsed command. It panics when called twice, or with
// nothing.
func (x *Exchange) SetArgv(argv []string) {
	if x.argv != nil || len(argv) == 0 {
		panic("pipeline: argv is written once, and never empty")
	}
	x.argv = slices.Clone(argv)
}

// Argv is a copy of the parsed command. It panics before SetArgv, so a check
// placed too early fails closed instead of approving an empty command.
func (x *Exchange) Argv() []string {
	if x.argv == nil {
		panic("pipeline: argv is read before it was parsed")
	}
	return slices.Clone(x.argv)
}

// Parsed reports whether there is an argv.
func (x *Exchange) Parsed() bool { return x.argv != nil }

// SetGrant records what the policy allows. It panics when called twice.
func (x *Exchange) SetGrant(g Grant) {
	if x.grant != nil || len(g.Argv) == 0 {
		panic("pipeline: the grant is written once, and never empty")
	}
	g.Argv, g.Env = slices.Clone(g.Argv), slices.Clone(g.Env)
	x.grant = &g
}

// Grant is a copy of what the policy allows. It panics before SetGrant.
func (x *Exchange) Grant() Grant {
	if x.grant == nil {
		panic("pipeline: the grant is read before it was given")
	}
	g := *x.grant
	g.Argv, g.Env = slices.Clone(g.Argv), slices.Clone(g.Env)
	return g
}

// Granted reports whether there is a grant.
func (x *Exchange) Granted() bool { return x.grant != nil }

// SetDir records the working directory, relative to the jail root and without
// symlinks; "." is the root. It panics when called twice.
func (x *Exchange) SetDir(dir string) {
	if x.dir != "" || dir == "" {
		panic("pipeline: dir is written once, and never empty")
	}
	x.dir = dir
}

// Dir is the working directory, relative to the jail root. It panics before
// SetDir.
func (x *Exchange) Dir() string {
	if x.dir == "" {
		panic("pipeline: dir is read before it was jailed")
	}
	return x.dir
}

// SetOutput records what the command left behind. It panics when called twice.
func (x *Exchange) SetOutput(o Output) {
	if x.output != nil {
		panic("pipeline: output is written once")
	}
	x.output = &o
	x.launched = true
}

// Output is what the command left behind; empty when nothing ran.
func (x *Exchange) Output() Output {
	if x.output == nil {
		return Output{}
	}
	return *x.output
}

// SetText records what the client will read. Only redact, and truncate after
// it, have a reason to call it.
func (x *Exchange) SetText(t Text) {
	t.Argv, t.Redactions = slices.Clone(t.Argv), maps.Clone(t.Redactions)
	x.text = &t
}

// Text is what the client will read. It panics before SetText: cutting or
// recording what was not redacted would be a leak.
func (x *Exchange) Text() Text {
	if x.text == nil {
		panic("pipeline: text is read before it was redacted")
	}
	return *x.text
}

// Reason is the reason so far as the stages gave it, not yet redacted.
func (x *Exchange) Reason() string { return x.reason }

// StoppedBy is the role that stopped the request, or "" if none did.
func (x *Exchange) StoppedBy() Role { return x.stoppedBy }

// Launched reports whether the request got as far as exec, so that its command
// ran or may have run.
func (x *Exchange) Launched() bool { return x.launched }

// Code is the code the client gets if nothing else happens.
func (x *Exchange) Code() envelope.ResultCode {
	if x.code == envelope.OK && x.text != nil && x.text.Truncated {
		return envelope.OutputTruncated
	}
	return x.code
}

// Result is the envelope as it stands.
func (x *Exchange) Result() envelope.CommandResult {
	code := x.Code()
	r := envelope.CommandResult{OK: code == envelope.OK, Code: code, DurationMS: x.Elapsed().Milliseconds()}
	if x.text != nil {
		r.Stdout, r.Stderr, r.PolicyReason = x.text.Stdout, x.text.Stderr, x.text.Reason
	}
	if code.Completed() {
		r.ExitCode = x.Output().ExitCode
	}
	return r
}

// Elapsed is the time since the request came in, by the monotonic clock.
func (x *Exchange) Elapsed() time.Duration { return time.Since(x.started) }

// stop ends the request with v, given by the stage in role by.
func (x *Exchange) stop(by Role, v Verdict) {
	x.code, x.stoppedBy = v.Code(), by
	x.reason = join(x.reason, v.Reason())
}

// note adds fixed text to the reason, also when it has been redacted already.
func (x *Exchange) note(text string) {
	x.reason = join(x.reason, text)
	if x.text != nil {
		x.text.Reason = join(x.text.Reason, text)
	}
}

// fail is a finalizer that stopped: whatever it was to make safe is withheld,
// and only fixed text is said.
func (x *Exchange) fail(by Role, v Verdict) {
	x.code, x.stoppedBy, x.reason = v.Code(), by, v.Reason()
	x.text = &Text{Reason: v.Reason()}
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}
