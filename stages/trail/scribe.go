package trail

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"
)

const (
	outcomeRoom  = 2 << 10   // what an outcome may be longer than its attempt
	reserveChunk = 256 << 10 // asked for at once, so that fallocate is rare
	retryEvery   = time.Second
)

// scribe writes the file. All its fields belong to its goroutine; it works in turns, each
// under one hold of the file's lock.
type scribe struct {
	l        *Log
	name     string // of this writer
	pid, uid int
	seal     *sealer
	h        *handle

	head     Head
	size     int64 // of the file when head was its last record; -1 is unknown
	sure     bool  // head and size hold, for as long as the lock is held
	room     int64 // sum of what is kept for outcomes
	reserved int64 // the disk has blocks up to here

	line    []byte     // the record being written
	told    int64      // the unlogged calls it tells of
	writing *request   // whose it is, while the file may hold a part of it
	doubt   []byte     // a record that failed and could not be taken back
	doubted *request   // whose it is
	owed    []*request // outcomes of recorded attempts that could not be written
	toSync  []*request // written to h in this turn, to be answered by the syncer
	sick    error      // why the last turn failed
	renewed time.Time  // when a file was last given up after a failed fsync

	done chan struct{}
	lost error // what Close could not put right; to be read after done
}

func newScribe(l *Log) *scribe {
	return &scribe{
		l: l, name: NewEventID(), pid: os.Getpid(), uid: os.Geteuid(), seal: newSealer(l.opts.Key),
		head: Head{Hash: genesis}, size: -1, done: make(chan struct{}),
	}
}

// start opens the file and finds the head.
func (s *scribe) start() error {
	h, err := openHandle(s.l.opts)
	if err != nil {
		return err
	}
	s.h = h
	err = guard(s.begin)
	if err == nil {
		err = guard(s.greet)
	}
	if end := guard(s.end); err == nil {
		err = end
	}
	if err != nil {
		s.l.syncer.add(syncJob{file: s.h, retire: true})
	}
	return err
}

// greet looks at what was found. A file whose last record does not verify was edited or
// has another key; what is written from now on goes to a file of its own.
func (s *scribe) greet() error {
	if s.h.dir.sameFileSystem(s.l.opts.Jail) {
		s.l.bell.warn("audit log and jail share a file system: a command that fills it stops the log",
			slog.String("path", s.l.opts.Path))
	}
	s.listOrphans()
	t, err := readTail(s.h, s.size)
	if err != nil || t.last.seq == 0 {
		return err
	}
	if e, err := ParseEntry(t.line); err == nil {
		s.l.policy = e.PolicyHash
	}
	if s.seal.sound(t.line) || !s.begun(s.rotate(s.firstName())) {
		return nil
	}
	return s.settle()
}

func (s *scribe) run(started chan<- error) {
	defer close(s.done)
	err := s.start()
	started <- err
	if err != nil {
		s.l.syncer.stop()
		return
	}
	var batch []*request
	retry := time.NewTicker(retryEvery)
	defer retry.Stop()
	for closed := false; !closed; {
		select {
		case <-s.l.wake:
		case <-retry.C:
			if len(s.owed) == 0 {
				continue
			}
		}
		batch, closed = s.l.take(batch)
		s.l.busy.start()
		s.turn(batch)
		clear(batch)
		if closed {
			s.finish()
		}
		s.l.busy.stop()
	}
}

// turn writes a batch of records under one lock, and never leaves one unanswered.
func (s *scribe) turn(batch []*request) {
	err := guard(s.begin)
	if err != nil {
		s.sure = false
	}
	for _, r := range batch {
		if r.abandoned.Load() && !s.l.due(r.rec) {
			s.l.tally.lose(r)
			continue
		}
		failed := err
		if failed == nil {
			failed = s.try(r)
		}
		if failed != nil {
			s.refuse(r, failed)
		}
	}
	s.flush()
	if end := guard(s.end); err == nil {
		err = end
	}
	s.report(err)
}

// begin takes the lock, makes sure of the head, and pays what is owed first: an attempt
// must not be taken while an earlier outcome is missing.
func (s *scribe) begin() error {
	if err := s.lock(s.h); err != nil {
		return err
	}
	if err := s.settle(); err != nil {
		return err
	}
	for len(s.owed) > 0 {
		if err := s.try(s.owed[0]); err != nil {
			return fmt.Errorf("an outcome is still to be written: %w", err)
		}
		s.owed = s.owed[1:]
	}
	return nil
}

func (s *scribe) end() error {
	s.sure = false
	return s.h.Unlock()
}

// lock waits for another server, but no longer than a stopped one may hold us up.
func (s *scribe) lock(h *handle) error {
	deadline := time.Now().Add(s.l.opts.LockTimeout)
	for wait := 20 * time.Microsecond; ; wait = min(2*wait, 2*time.Millisecond) {
		if ok, err := h.TryLock(); ok || err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("audit log %s: locked by another process for %v", s.l.opts.Path, s.l.opts.LockTimeout)
		}
		time.Sleep(wait)
	}
}

// try writes one record and answers for it, unless it returns an error.
func (s *scribe) try(r *request) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
		if s.writing != nil {
			s.doubt, s.doubted, s.writing, s.sure = bytes.Clone(s.line), s.writing, nil, false
		}
	}()
	if !s.sure {
		if err := s.settle(); err != nil {
			return err
		}
	}
	return s.put(r)
}

func (s *scribe) put(r *request) error {
	head := s.encode(r)
	if s.full(len(s.line)) && s.begun(s.rotate(s.firstName())) {
		if err := s.settle(); err != nil {
			return err
		}
		head = s.encode(r)
	}
	if !s.l.due(r.rec) {
		if err := s.reserve(r.rec.Kind); err != nil {
			return err
		}
	}
	s.writing = r
	if err := s.write(); err != nil {
		return err
	}
	s.writing = nil
	s.written(r, head)
	s.answer(r)
	return nil
}

// encode makes the line that follows the head, and returns the head it would become.
func (s *scribe) encode(r *request) Head {
	s.told = s.l.tally.load()
	next := stamp{s.head.Seq + 1, s.l.opts.Now(), s.name, s.pid, s.told, s.head.Hash}
	line, sum := s.seal.seal(appendBody(s.line[:0], next, &r.rec), 0)
	s.line = line
	return Head{next.seq, sum}
}

// write appends the line, or takes back the part of it that was written.
func (s *scribe) write() error {
	n, err := s.h.Write(s.line)
	if err == nil && n == len(s.line) {
		return nil
	}
	if err == nil {
		err = io.ErrShortWrite
	}
	st, statErr := s.h.Stat()
	if statErr != nil {
		return fmt.Errorf("%w (then: %w)", err, statErr)
	}
	if st.Size != s.size {
		if cutErr := s.h.Truncate(s.size); cutErr != nil {
			return fmt.Errorf("%w (then: %w)", err, cutErr)
		}
		s.reserved = 0
	}
	s.writing = nil
	return err
}

// written takes note of a record that is in the file.
func (s *scribe) written(r *request, head Head) {
	s.size += int64(len(s.line))
	s.setHead(head)
	s.l.tally.told(r, s.told)
	s.l.mu.Lock()
	defer s.l.mu.Unlock()
	if r.rec.Kind == Attempt {
		room := int64(min(len(s.line)+outcomeRoom, MaxLine))
		s.l.open[r.rec.EventID] = room
		s.room += room
		return
	}
	s.room -= s.l.open[r.rec.EventID]
	delete(s.l.open, r.rec.EventID)
}

func (s *scribe) setHead(head Head) {
	s.head = head
	s.l.head.Store(&head)
}

func (s *scribe) answer(r *request) {
	if s.l.syncer.needs(r.rec.Kind) {
		s.toSync = append(s.toSync, r)
		return
	}
	r.reply(answer{})
}

// flush hands over to the syncer what was written to the current file.
func (s *scribe) flush() {
	if len(s.toSync) > 0 {
		s.l.syncer.add(syncJob{file: s.h, waiting: s.toSync})
		s.toSync = nil
	}
}

// refuse answers for a record that could not be written. An outcome that is due is kept:
// its command has run.
func (s *scribe) refuse(r *request, err error) {
	due := s.l.due(r.rec)
	if due {
		s.owed = append(s.owed, r)
	} else {
		s.l.tally.lose(r)
	}
	s.sickened(err)
	r.reply(answer{err, due})
}

// reserve makes sure that a record fits, and with an attempt its outcome, beside what
// is kept for the outcomes of other commands. Otherwise a disk that is nearly full
// would gather attempts without outcomes.
func (s *scribe) reserve(kind Kind) error {
	need := int64(len(s.line)) + s.room
	if kind == Attempt {
		need += int64(min(len(s.line)+outcomeRoom, MaxLine))
	}
	if s.size+need <= s.reserved {
		return nil
	}
	if s.h.Reserve(s.size, need+reserveChunk) == nil {
		s.reserved = s.size + need + reserveChunk
		return nil
	}
	if err := s.h.Reserve(s.size, need); err != nil {
		return err
	}
	s.reserved = s.size + need
	return nil
}

// report tells the operator when the log falls ill and when it is well again.
func (s *scribe) report(err error) {
	if err != nil {
		s.sickened(err)
		return
	}
	if s.sick != nil && len(s.owed) == 0 && s.doubt == nil {
		s.sick = nil
		s.l.bell.info("audit log is sound again")
	}
}

func (s *scribe) sickened(err error) {
	s.sick = err
	s.l.bell.warn("audit log cannot be written", slog.Any("error", err))
}

// finish gives back reserved blocks and lets the syncer close the file.
func (s *scribe) finish() {
	if guard(s.begin) == nil && s.reserved > s.size {
		_ = guard(func() error { return s.h.Truncate(s.size) })
	}
	_ = guard(s.end)
	if len(s.owed) > 0 {
		s.lost = fmt.Errorf("audit log %s: %d outcomes could not be written: %w", s.l.opts.Path, len(s.owed), s.sick)
	}
	s.l.syncer.add(syncJob{file: s.h, retire: true})
	s.l.syncer.stop()
}
