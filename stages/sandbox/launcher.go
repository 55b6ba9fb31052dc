package sandbox

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
)

// Options say where commands run and how many at once.
type Options struct {
	Jail  string // absolute path of the jail's root, free of symbolic links
	Slots int    // commands that run at the same time; further ones wait
}

// A Launcher runs commands, as many at a time as it has slots. It is safe for concurrent use.
type Launcher struct {
	root  *root
	slots []*slot
	free  chan *slot

	closing sync.Once
	closed  chan struct{}
}

// New opens the jail's root, which stays the same directory for good, and prepares the slots.
func New(o Options) (*Launcher, error) {
	if !filepath.IsAbs(o.Jail) {
		return nil, fmt.Errorf("sandbox: jail root %q is not absolute", o.Jail)
	}
	if o.Slots < 1 {
		return nil, fmt.Errorf("sandbox: %d slots", o.Slots)
	}
	r, err := openRoot(o.Jail)
	if err != nil {
		return nil, fmt.Errorf("open jail %s: %w", o.Jail, err)
	}
	l := &Launcher{root: r, free: make(chan *slot, o.Slots), closed: make(chan struct{})}
	for range o.Slots {
		s, err := newSlot(r)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("prepare jail %s: %w", o.Jail, err), l.Close())
		}
		l.slots = append(l.slots, s)
		l.free <- s
	}
	return l, nil
}

// Run starts the command in a free slot, waits for its end and returns what it printed. Whatever the command left
// behind in its process group is killed before Run returns; the answer does not wait for it. When ctx ends first, the
// command is killed and the result says Cancelled. An error means that nothing was run.
func (l *Launcher) Run(ctx context.Context, c Command) (Result, error) {
	if c.Timeout <= 0 {
		return Result{}, fmt.Errorf("%w %s: it has no time limit", ErrStart, c.Exe.Path)
	}
	if !filepath.IsLocal(filepath.FromSlash(c.Dir)) {
		return Result{}, fmt.Errorf("%w: %q", ErrEscapes, c.Dir)
	}
	var s *slot
	select {
	case s = <-l.free:
		defer func() { l.free <- s }()
	case <-ctx.Done():
		return Result{Cancelled: true}, nil
	case <-l.closed:
		return Result{}, ErrClosed
	}
	select {
	case <-l.closed: // both were ready, and the other was chosen
		return Result{}, ErrClosed
	case <-ctx.Done():
		return Result{Cancelled: true}, nil
	default:
	}
	if err := c.Exe.check(); err != nil {
		return Result{}, err
	}
	return s.run(ctx, c)
}

// Close kills what still runs, waits until it is gone and frees the slots. Run answers [ErrClosed] from then on.
func (l *Launcher) Close() error {
	l.closing.Do(func() {
		close(l.closed)
		for _, s := range l.slots {
			s.interrupt()
		}
		for range l.slots {
			(<-l.free).close()
		}
		l.root.close()
	})
	return nil
}
