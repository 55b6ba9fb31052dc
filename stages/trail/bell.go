package trail

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// bell tells the operator. Standard error may be a pipe nobody reads, so it never waits:
// a goroutine does the telling, what does not fit in its short queue is dropped, and the
// same message comes at most once a second.
type bell struct {
	log    *slog.Logger
	queue  chan notice
	quit   chan struct{}
	once   sync.Once
	done   chan struct{}
	recent map[string]*echo // the goroutine's
}

type notice struct {
	level slog.Level
	text  string
	attrs []slog.Attr
}

// echo counts a message that is being held back.
type echo struct {
	last time.Time
	held int
}

func newBell(log *slog.Logger) *bell {
	b := &bell{log: log, queue: make(chan notice, 64), quit: make(chan struct{}), done: make(chan struct{}), recent: make(map[string]*echo)}
	go b.run()
	return b
}

func (b *bell) warn(text string, attrs ...slog.Attr) { b.ring(slog.LevelWarn, text, attrs) }
func (b *bell) info(text string, attrs ...slog.Attr) { b.ring(slog.LevelInfo, text, attrs) }

func (b *bell) ring(level slog.Level, text string, attrs []slog.Attr) {
	select {
	case b.queue <- notice{level, text, attrs}:
	default:
	}
}

func (b *bell) run() {
	defer close(b.done)
	for {
		select {
		case n := <-b.queue:
			b.tell(n)
		case <-b.quit:
			for {
				select {
				case n := <-b.queue:
					b.tell(n)
				default:
					return
				}
			}
		}
	}
}

func (b *bell) tell(n notice) {
	e := b.recent[n.text]
	if e == nil {
		e = &echo{}
		b.recent[n.text] = e // as many as there are texts in this package
	}
	if time.Since(e.last) < time.Second {
		e.held++
		return
	}
	if e.held > 0 {
		n.attrs = append(n.attrs, slog.Int("not_shown", e.held))
	}
	*e = echo{last: time.Now()}
	b.log.LogAttrs(context.Background(), n.level, n.text, n.attrs...)
}

// stop tells what is queued, but does not wait for a reader that has stopped reading.
func (b *bell) stop() {
	b.once.Do(func() { close(b.quit) })
	select {
	case <-b.done:
	case <-time.After(100 * time.Millisecond):
	}
}
