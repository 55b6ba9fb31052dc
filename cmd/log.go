package cmd

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"hardened-terminal-mcp/stages/secrets"
)

// logBacklog is how many lines wait for a reader of standard error that is slow;
// further ones are counted and dropped.
const logBacklog = 256

// flushTime is how long the end of the program waits for that reader.
const flushTime = 500 * time.Millisecond

// A log is the operator's, on standard error. It never blocks a call: a client
// that does not read standard error would otherwise stop the server. Its lines
// hold no secret and no byte outside 0x20-0x7e.
type log struct {
	*slog.Logger
	w       io.Writer
	lines   chan string
	stop    chan struct{}
	done    chan struct{}
	dropped atomic.Int64
	redact  func(string) string
}

// newLog starts a log on w, of what is at least at this level.
func newLog(w io.Writer, level slog.Level, r *secrets.Redactor) *log {
	l := &log{
		w:      w,
		lines:  make(chan string, logBacklog),
		stop:   make(chan struct{}),
		done:   make(chan struct{}),
		redact: func(s string) string { return r.Text(s).Text },
	}
	l.Logger = slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: level}))
	go l.write()
	return l
}

// write writes lines as they come, and at the end those that are left.
func (l *log) write() {
	defer close(l.done)
	for {
		select {
		case line := <-l.lines:
			l.writeLine(line)
			continue
		case <-l.stop:
		}
		for {
			select {
			case line := <-l.lines:
				l.writeLine(line)
			default:
				return
			}
		}
	}
}

func (l *log) writeLine(line string) {
	if n := l.dropped.Swap(0); n > 0 {
		fmt.Fprintf(l.w, "%s: %d lines of the log were dropped, because nobody read them\n", program, n)
	}
	io.WriteString(l.w, line)
}

// Write takes one line from slog.
func (l *log) Write(p []byte) (int, error) {
	l.put(string(p))
	return len(p), nil
}

// say writes one line without slog's fields, for a person.
func (l *log) say(format string, args ...any) {
	l.put(program + ": " + fmt.Sprintf(format, args...) + "\n")
}

func (l *log) put(line string) {
	select {
	case l.lines <- printable(l.redact(line)):
	default:
		l.dropped.Add(1)
	}
}

// close waits, not for ever, until what was logged is written. What is logged
// afterwards is lost.
func (l *log) close() {
	close(l.stop)
	select {
	case <-l.done:
	case <-time.After(flushTime):
	}
}

// printable escapes what could repaint or forge a line of the operator's
// terminal.
func printable(line string) string {
	body, end := strings.CutSuffix(line, "\n")
	var b strings.Builder
	for _, r := range body {
		if r >= ' ' && r <= '~' {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, "\\u{%x}", r)
	}
	if end {
		b.WriteByte('\n')
	}
	return b.String()
}
