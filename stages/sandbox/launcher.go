package sandbox

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
)

// A Launcher runs commands, as many at a time as it has slots. It is safe for concurrent use.
type Launcher struct {
	root *root
	free chan slot

	prepared chan struct{} // closed once what follows is set
	rig      rig
	err      error // why there are no slots

	closing sync.Once
	closed  chan struct{}
}

// A slot runs one command at a time.
type slot interface {
	run(context.Context, Command) (Result, error)
	interrupt() // ends the running command, or the next one when none is running
	close()     // frees the slot; no command may be running
}

// A rig is the slots of one rung.
type rig struct {
	slots  []slot
	report Report
	close  func() // after the slots
}

// New opens the jail's root, which stays the same directory for good, and finds the best rung. Unless the mode is
// [Off] that starts a helper process, and with [BestEffort] New does not wait for it; the first [Launcher.Run] does.
// With [Required] New waits, and fails when the file system cannot be confined.
func New(o Options) (*Launcher, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	r, err := openRoot(o.Jail)
	if err != nil {
		return nil, fmt.Errorf("open jail %s: %w", o.Jail, err)
	}
	l := &Launcher{
		root: r, free: make(chan slot, o.Slots),
		prepared: make(chan struct{}), closed: make(chan struct{}),
	}
	if o.Mode == BestEffort {
		go l.prepare(o)
		return l, nil
	}
	l.prepare(o)
	if l.err != nil {
		return nil, errors.Join(l.err, l.Close())
	}
	return l, nil
}

func (l *Launcher) prepare(o Options) {
	defer close(l.prepared)
	l.rig, l.err = climb(o, l.root)
	if l.err != nil {
		l.rig.report = Report{Refused: []string{l.err.Error()}}
	}
	for _, s := range l.rig.slots {
		l.free <- s
	}
}

// Report says which rung was found. It waits until that is known.
func (l *Launcher) Report() Report {
	<-l.prepared
	return l.rig.report
}

// Run starts the command in a free slot, waits for its end and returns what it printed. Whatever the command left
// behind is killed before Run returns, as far as the [Report] goes; the answer does not wait for it. When ctx ends
// first, the command is killed and the result says Cancelled. An error means that nothing was run, except for
// [ErrHelper].
func (l *Launcher) Run(ctx context.Context, c Command) (Result, error) {
	if c.Timeout <= 0 {
		return Result{}, fmt.Errorf("%w %s: it has no time limit", ErrStart, c.Exe.Path)
	}
	if !filepath.IsLocal(filepath.FromSlash(c.Dir)) {
		return Result{}, fmt.Errorf("%w: %q", ErrEscapes, c.Dir)
	}
	s, err := l.acquire(ctx)
	if s == nil {
		return Result{Cancelled: err == nil}, err
	}
	defer func() { l.free <- s }()
	if err := c.Exe.check(); err != nil {
		return Result{}, err
	}
	return s.run(ctx, c)
}

// acquire waits for a free slot; it returns none and no error when ctx ends first.
func (l *Launcher) acquire(ctx context.Context) (slot, error) {
	select {
	case <-l.prepared:
	case <-ctx.Done():
		return nil, nil
	}
	if l.err != nil {
		return nil, l.err
	}
	var s slot
	select {
	case s = <-l.free:
	case <-ctx.Done():
		return nil, nil
	case <-l.closed:
		return nil, ErrClosed
	}
	select {
	case <-l.closed: // both were ready, and the other was chosen
		l.free <- s
		return nil, ErrClosed
	case <-ctx.Done():
		l.free <- s
		return nil, nil
	default:
		return s, nil
	}
}

// Close kills what still runs, waits until it is gone and frees the slots. Run answers [ErrClosed] from then on.
func (l *Launcher) Close() error {
	l.closing.Do(func() {
		close(l.closed)
		<-l.prepared
		for _, s := range l.rig.slots {
			s.interrupt()
		}
		for range l.rig.slots {
			(<-l.free).close()
		}
		if l.rig.close != nil {
			l.rig.close()
		}
		l.root.close()
	})
	return nil
}

// groupRig is the lowest rung, for which a process group is all there is.
func groupRig(o Options, r *root, refused ...string) (rig, error) {
	g := rig{report: groupReport(refused...)}
	for range o.Slots {
		s, err := newGroupSlot(r)
		if err != nil {
			for _, s := range g.slots {
				s.close()
			}
			return rig{}, fmt.Errorf("prepare jail %s: %w", o.Jail, err)
		}
		g.slots = append(g.slots, s)
	}
	return g, nil
}

// errUnconfined is why [New] fails with [Required].
func errUnconfined(reasons ...string) error {
	err := errors.New("sandbox: confinement is required and the kernel offers none")
	for _, reason := range reasons {
		err = errors.Join(err, errors.New(reason))
	}
	return err
}
