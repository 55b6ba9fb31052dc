package trail

import (
	"context"
	"log/slog"
	"sync"
)

// FailOpen makes a sink of the log for operators who would rather run unrecorded than not
// at all. Its Append never fails; it warns, and the next record that can be written
// carries the number of calls that are missing.
func FailOpen(l *Log, logger *slog.Logger) Sink {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	o := &lenient{l: l, bell: newBell(logger), missed: make(map[string]struct{})}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bells = append(l.bells, o.bell)
	return o
}

type lenient struct {
	l    *Log
	bell *bell

	mu     sync.Mutex
	missed map[string]struct{} // calls in flight whose attempt was counted as missing
}

func (o *lenient) Append(ctx context.Context, r Record) error {
	a := o.l.append(ctx, r)
	if a.err != nil {
		o.bell.warn("a command runs although the audit log cannot be written",
			slog.String("event_id", r.EventID), slog.Any("error", a.err))
	}
	o.count(r, a.err != nil && !a.kept)
	return nil
}

// count counts a call once, whichever of its records is missing.
func (o *lenient) count(r Record, lost bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, counted := o.missed[r.EventID]
	if lost && !counted {
		o.l.unlogged.Add(1)
	}
	if r.Kind == Outcome {
		delete(o.missed, r.EventID)
		return
	}
	if lost {
		o.missed[r.EventID] = struct{}{}
	}
}
