package trail

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Filter chooses records. A zero field lets everything pass.
type Filter struct {
	Since time.Time
	Event string // an event id or its beginning
	Code  string
	Tool  string
}

// Match reports whether a record passes every field.
func (f Filter) Match(e Entry) bool {
	return !e.TS.Before(f.Since) &&
		strings.HasPrefix(e.EventID, f.Event) &&
		(f.Code == "" || f.Code == e.Code) &&
		(f.Tool == "" || f.Tool == e.Tool)
}

// Columns are the headings of [Entry.Row].
var Columns = [...]string{"SEQ", "TIME", "EVENT", "WHAT", "EXIT", "MS", "COMMAND"}

// Row gives a record as a line of a table, safe to print on a terminal.
func (e Entry) Row() [len(Columns)]string {
	what, exit, took := "attempt", "", ""
	if e.Kind == Outcome {
		what, took = e.Code, strconv.FormatInt(e.DurationMS, 10)
	}
	if e.ExitCode != nil {
		exit = strconv.Itoa(*e.ExitCode)
	}
	event := e.EventID[:min(len(e.EventID), 8)]
	return [...]string{
		strconv.FormatUint(e.Seq, 10), e.TS.UTC().Format("2006-01-02 15:04:05.000"),
		Visible(event), Visible(what), exit, took, Visible(e.command()),
	}
}

// command is what the client asked for, as it asked.
func (e Entry) command() string {
	if e.CommandRaw != nil {
		return *e.CommandRaw
	}
	return strings.Join(e.Argv, " ")
}

// Visible makes text safe to show: what a terminal would obey or hide (controls, escape
// sequences, bidi marks, zero-width characters) is spelled \uXXXX, and a backslash is
// doubled so that nothing can pass for it.
func Visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\\':
			b.WriteString(`\\`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
