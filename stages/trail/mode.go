package trail

import (
	"context"
	"log/slog"
)

// FailOpen makes a sink of the log for operators who would rather run unrecorded than not
// at all. Its Append never fails; it warns, and the next record that can be written
// carries the number of calls that are missing.
func FailOpen(l *Log, logger *slog.Logger) Sink {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	o := &lenient{l, newBell(logger)}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bells = append(l.bells, o.bell)
	return o
}

type lenient struct {
	l    *Log
	bell *bell
}

func (o *lenient) Append(ctx context.Context, r Record) error {
	if a := o.l.append(ctx, &request{rec: r, lenient: true, done: make(chan answer, 1)}); a.err != nil {
		o.bell.warn("a command runs although the audit log cannot be written",
			slog.String("event_id", r.EventID), slog.Any("error", a.err))
	}
	return nil
}
