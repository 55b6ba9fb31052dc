package trail

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"time"
)

// settle makes sure, under the lock, that the open file is the one at the path and that
// the last record in it is known. Whoever serves on after its log was deleted or
// replaced writes for nobody.
func (s *scribe) settle() error {
	for range 8 { // others may rotate between our steps
		at, err := lstat(s.l.opts.Path)
		if errors.Is(err, fs.ErrNotExist) {
			s.l.bell.warn("audit log is gone from its path; a new one is begun", slog.String("path", s.l.opts.Path))
			if err := s.reopen(); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		if !at.same(s.h.is) {
			if err := s.reopen(); err != nil {
				return err
			}
			continue
		}
		if err := at.check(s.uid); err != nil {
			return s.fault(err)
		}
		if s.h.distrusted.Load() {
			if err := s.renew(at.Size); err != nil {
				return err
			}
			continue
		}
		return s.catchUp(at.Size)
	}
	return s.fault(errors.New("keeps being replaced"))
}

func (s *scribe) fault(err error) error {
	return fmt.Errorf("audit log %s: %w", s.l.opts.Path, err)
}

// reopen changes over to the file that is at the path now. The old one is looked at once
// more: another server may have written to it since.
func (s *scribe) reopen() error {
	err := guard(func() error {
		st, err := s.h.Stat()
		if err != nil {
			return err
		}
		return s.catchUp(st.Size)
	})
	if err != nil {
		s.l.bell.warn("audit log: the end of the old file cannot be read", slog.Any("error", err))
	}
	h, err := openHandle(s.l.opts)
	if err != nil {
		return err
	}
	return s.change(h)
}

// change takes the new file's lock before it lets go of the old one's.
func (s *scribe) change(h *handle) error {
	if err := s.lock(h); err != nil {
		return errors.Join(err, h.Close())
	}
	s.flush()
	_ = guard(s.h.Unlock)
	s.l.syncer.add(syncJob{file: s.h, retire: true})
	s.h, s.size, s.reserved, s.sure = h, -1, 0, false
	return nil
}

// catchUp finds the head. When the end of the file is where and what it was, nobody has
// written; else the last record is read, and damage behind it repaired.
func (s *scribe) catchUp(size int64) error {
	if size == s.size && s.doubt == nil && s.atHead() {
		s.sure = true
		return nil
	}
	s.resolve(size)
	t, err := readTail(s.h, size)
	if err != nil {
		return s.fault(err)
	}
	if t.keep < size {
		if err := s.repair(t, size); err != nil {
			return err
		}
	}
	if t.last.seq > 0 && !s.seal.sound(t.line) {
		s.l.bell.warn("audit log: the last record was edited, or written with another key; run audit verify", slog.Uint64("seq", t.last.seq))
	}
	s.adopt(t)
	s.doubt, s.doubted = nil, nil
	s.size, s.reserved, s.sure = t.keep, 0, true
	return nil
}

// atHead compares the end of the file with the hash it should end in. The size alone
// would not do: after a copytruncate another server may have grown it to the same.
func (s *scribe) atHead() bool {
	if s.size == 0 {
		return true
	}
	var b [sealLen]byte
	if _, err := s.h.ReadAt(b[:], s.size-int64(sealLen)); err != nil {
		return false
	}
	return string(b[len(hashKey):len(hashKey)+hashLen]) == s.head.Hash
}

// adopt chooses the record to carry on from. A file that ends before what this process
// has seen was cut, emptied or replaced by an older one; the number goes on from the
// highest known, so that the loss is a gap and not a second record of the same number.
func (s *scribe) adopt(t tail) {
	known := s.head
	if t.last.seq > known.Seq {
		s.setHead(Head{t.last.seq, t.last.hash})
		return
	}
	if t.last.seq == known.Seq && t.last.hash == known.Hash {
		return
	}
	if past := s.predecessor(); past.Seq > known.Seq {
		s.setHead(past)
	}
	if t.last.seq > 0 && t.last.seq < s.head.Seq {
		s.l.bell.warn("audit log: records are missing at its end", slog.Uint64("ends_at", t.last.seq), slog.Uint64("should_end_at", s.head.Seq))
	}
}

// predecessor finds the highest head among the files this log was continued from, for a
// server that starts on a new or emptied file.
func (s *scribe) predecessor() Head {
	best := Head{}
	names, err := s.h.dir.names()
	if err != nil {
		s.l.bell.warn("audit log: earlier files cannot be listed", slog.Any("error", err))
	}
	for _, name := range names {
		if !s.sibling(name) {
			continue
		}
		if head, err := s.headOf(name); err == nil && head.Seq > best.Seq {
			best = head
		}
	}
	return best
}

// sibling reports whether a name looks like an earlier file of this log, whoever
// renamed it.
func (s *scribe) sibling(name string) bool {
	rest, ok := strings.CutPrefix(name, s.h.dir.base)
	return ok && rest != "" && strings.ContainsAny(rest[:1], ".-") && !strings.HasPrefix(rest, tornMark)
}

func (s *scribe) headOf(name string) (Head, error) {
	f, err := s.h.dir.read(name)
	if err != nil {
		return Head{}, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return Head{}, err
	}
	t, err := readTail(f, st.Size())
	return Head{t.last.seq, t.last.hash}, err
}

// resolve looks for a record whose write failed and could not be taken back. If all of it
// is in the file, it was written after all.
func (s *scribe) resolve(size int64) {
	if s.doubt == nil || s.size < 0 {
		return
	}
	r, line := s.doubted, s.doubt
	b := make([]byte, len(line))
	if size-s.size < int64(len(line)) {
		return
	}
	if _, err := s.h.ReadAt(b, s.size); err != nil || string(b) != string(line) {
		return
	}
	s.doubt, s.doubted = nil, nil
	if r.rec.Kind != Outcome {
		return // it was refused, and stays an attempt at which nothing ran
	}
	s.l.mu.Lock()
	defer s.l.mu.Unlock()
	s.room -= s.l.open[r.rec.EventID]
	delete(s.l.open, r.rec.EventID)
	for i, o := range s.owed {
		if o == r {
			s.owed = append(s.owed[:i], s.owed[i+1:]...)
			return
		}
	}
}

// renew begins a new file in place of one that failed to sync, but not many a second: a
// disk on which new files fail as well must not be filled with them.
func (s *scribe) renew(size int64) error {
	if time.Since(s.renewed) < retryEvery {
		return s.fault(errDistrusted)
	}
	if err := s.catchUp(size); err != nil && size != s.size {
		return err
	}
	s.renewed = time.Now()
	return s.rotate(s.firstName())
}
