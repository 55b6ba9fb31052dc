package trail

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

var (
	// ErrClosed is returned by Append after Close.
	ErrClosed = errors.New("audit log is closed")
	// ErrTimeout is returned when a record could not be confirmed in time: the disk
	// hangs, or another server holds the lock.
	ErrTimeout = errors.New("audit log did not answer in time")
)

// A Log is an open audit log. It is safe for concurrent use, and other processes may
// have the same file open.
//
// One goroutine writes and another syncs, so that a disk that hangs blocks them and not
// the callers, and so that callers arriving during one fdatasync share the next.
type Log struct {
	opts   Options
	bell   *bell
	syncer *syncer
	scribe *scribe

	mu     sync.Mutex
	bells  []*bell // of sinks made by FailOpen
	queue  []*request
	closed bool
	open   map[string]int64 // attempts in the file whose outcome is due, and room kept for it

	wake   chan struct{}
	tally  tally
	busy   stopwatch // runs while the scribe works
	head   atomic.Pointer[Head]
	policy string // the policy hash of the last record found at Open
}

// request is one Append on its way.
type request struct {
	rec       Record
	lenient   bool        // open mode: to be counted when it is lost
	done      chan answer // holds one, for a caller that may have left
	abandoned atomic.Bool
}

// answer says how an Append went. An error with kept set is a record that is in the
// file without being durable, or that will still be written.
type answer struct {
	err  error
	kept bool
}

// reply never waits: an owed record may have been answered before.
func (r *request) reply(a answer) {
	select {
	case r.done <- a:
	default:
	}
}

// Open opens the log, creating the file if need be, but not its directory. It refuses a
// file that is not a plain one of this user with mode 0600 and one link, or that can be
// reached through the jail. It repairs a torn tail.
func Open(o Options) (*Log, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	b := newBell(o.Logger)
	l := &Log{opts: o, bell: b, open: make(map[string]int64), wake: make(chan struct{}, 1)}
	l.head.Store(&Head{Hash: genesis})
	l.syncer = newSyncer(o.Sync, b)
	l.scribe = newScribe(l)
	started := make(chan error, 1)
	go l.scribe.run(started)
	select {
	case err = <-started:
	case <-time.After(o.Timeout):
		err = fmt.Errorf("open audit log %s: %w", o.Path, ErrTimeout)
		l.mu.Lock()
		l.closed = true // should it come back, it has nothing to do
		l.mu.Unlock()
		l.nudge()
	}
	if err != nil {
		b.stop()
		return nil, err
	}
	return l, nil
}

// Append returns nil when the record is in the file, and, as [Options.Sync] demands,
// durable. On an error for an attempt the command must not run. On an error for the
// outcome of a recorded attempt the log keeps the record and refuses further attempts
// until it has been written. The record must not be changed afterwards.
func (l *Log) Append(ctx context.Context, r Record) error {
	return l.append(ctx, &request{rec: r, done: make(chan answer, 1)}).err
}

func (l *Log) append(ctx context.Context, req *request) answer {
	if err := req.rec.check(); err != nil {
		return answer{err: err}
	}
	if err := l.submit(ctx, req); err != nil {
		due := l.due(req.rec)
		if !due {
			l.tally.lose(req)
		}
		return answer{err, due}
	}
	timer := time.NewTimer(l.opts.Timeout)
	defer timer.Stop()
	select {
	case a := <-req.done:
		return a
	case <-ctx.Done():
		return l.abandon(req, fmt.Errorf("audit: %w", context.Cause(ctx)))
	case <-timer.C:
		return l.abandon(req, ErrTimeout)
	}
}

// submit queues a record, unless it is known that it would wait in vain. The outcome of
// a recorded attempt is queued even then.
func (l *Log) submit(ctx context.Context, req *request) error {
	if err := ctx.Err(); err != nil && req.rec.Kind == Attempt {
		return fmt.Errorf("audit: %w", err)
	}
	stuck := l.busy.over(l.opts.Timeout) || l.syncer.busy.over(l.opts.Timeout)
	if (!stuck || l.due(req.rec)) && !l.enqueue(req) {
		return ErrClosed
	}
	if stuck {
		return fmt.Errorf("%w: an earlier operation still hangs", ErrTimeout)
	}
	return nil
}

// check refuses a programmer's mistake before it becomes a line nobody can read.
func (r *Record) check() error {
	switch {
	case r.EventID == "":
		return errors.New("audit record without an event id")
	case r.Kind == Attempt && r.Result == nil, r.Kind == Outcome && r.Result != nil:
		return nil
	}
	return fmt.Errorf("audit record of kind %q does not fit its result", r.Kind)
}

// abandon gives up waiting. An attempt will not be written any more unless that has
// begun; the outcome of a recorded attempt stays in the queue.
func (l *Log) abandon(req *request, err error) answer {
	l.tally.leave(req)
	req.abandoned.Store(true)
	return answer{err, l.due(req.rec)}
}

// due reports whether a record is the outcome of an attempt that is in the file.
func (l *Log) due(r Record) bool {
	if r.Kind != Outcome {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.open[r.EventID]
	return ok
}

func (l *Log) enqueue(req *request) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.queue = append(l.queue, req)
	l.nudge()
	return true
}

func (l *Log) nudge() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// take empties the queue, and tells whether the log has been closed.
func (l *Log) take(into []*request) ([]*request, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	into = append(into[:0], l.queue...)
	clear(l.queue)
	l.queue = l.queue[:0]
	return into, l.closed
}

// Head returns the place of the last record this log has seen.
func (l *Log) Head() Head { return *l.head.Load() }

// LastPolicyHash returns the policy hash of the last record found at Open, or "".
func (l *Log) LastPolicyHash() string { return l.policy }

// Close writes what is queued, syncs and releases the file, within Options.Timeout. The
// head it returns is the anchor for a later [Verify].
func (l *Log) Close() (Head, error) {
	l.mu.Lock()
	again, bells := l.closed, append(l.bells, l.bell)
	l.closed = true
	l.mu.Unlock()
	if again {
		return l.Head(), ErrClosed
	}
	l.nudge()
	defer func() {
		for _, b := range bells {
			b.stop()
		}
	}()
	timer := time.NewTimer(l.opts.Timeout)
	defer timer.Stop()
	for _, done := range []<-chan struct{}{l.scribe.done, l.syncer.done} {
		select {
		case <-done:
		case <-timer.C:
			return l.Head(), fmt.Errorf("close: %w", ErrTimeout)
		}
	}
	return l.Head(), errors.Join(l.scribe.lost, l.syncer.lost)
}
