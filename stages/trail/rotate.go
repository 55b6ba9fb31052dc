package trail

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"slices"
	"strconv"
	"strings"
)

// tornMark follows the log's name in the name of a side file.
const tornMark = ".torn."

// full reports whether a line of n bytes belongs into a new file.
func (s *scribe) full(n int) bool {
	most := s.l.opts.MaxBytes
	return most > 0 && s.size > 0 && s.size+int64(n) > most
}

// firstName is what the current file is called once it is finished: the log's name and
// the number of its first record, so that names sort in the order of the chain and a
// deleted one is missed.
func (s *scribe) firstName() string {
	seq := firstSeq(s.h)
	if seq == 0 {
		seq = s.head.Seq
	}
	return fmt.Sprintf("%s.%012d", s.h.dir.base, seq)
}

// rotate finishes the current file under a name and begins the next, holding the lock of
// both. Whoever opens the path in between creates the new file in our place and finds
// the head in the finished one.
func (s *scribe) rotate(name string) error {
	if s.reserved > s.size && s.sure {
		_ = s.h.Truncate(s.size) // gives back reserved blocks
	}
	err := s.h.dir.rename(name)
	for i := 2; errors.Is(err, fs.ErrExist) && i < 100; i++ {
		err = s.h.dir.rename(name + "-" + strconv.Itoa(i))
	}
	if err != nil {
		return err
	}
	h, err := openHandle(s.l.opts)
	if err != nil {
		return err
	}
	if err := s.change(h); err != nil {
		return err
	}
	s.prune()
	return nil
}

// begun reports whether a rotation that was due by size succeeded. One that fails is put
// off: a long file is better than a refusal.
func (s *scribe) begun(err error) bool {
	if err != nil {
		s.l.bell.warn("audit log could not be rotated", slog.Any("error", err))
	}
	return err == nil
}

// prune removes finished files beyond Options.Keep, the oldest first.
func (s *scribe) prune() {
	if s.l.opts.Keep == 0 {
		return
	}
	names, err := s.h.dir.names()
	finished := slices.DeleteFunc(names, func(name string) bool { return !s.finished(name) })
	slices.Sort(finished)
	for _, name := range finished[:max(0, len(finished)-s.l.opts.Keep)] {
		err = errors.Join(err, s.h.dir.remove(name))
	}
	if err != nil {
		s.l.bell.warn("audit log: old files could not be removed", slog.Any("error", err))
	}
}

// finished reports whether a name is one that rotate gives.
func (s *scribe) finished(name string) bool { return isFinished(s.h.dir.base, name) }

func isFinished(base, name string) bool {
	rest, ok := strings.CutPrefix(name, base+".")
	if !ok || len(rest) < 12 {
		return false
	}
	digits, again, _ := strings.Cut(rest, "-")
	return strings.Trim(digits, "0123456789") == "" && strings.Trim(again, "0123456789") == ""
}

// repair cuts damage off the end. Complete records keep every byte; the fragment goes to
// a side file first, unless it is part of a record this process failed to write.
func (s *scribe) repair(t tail, size int64) error {
	if !s.ours(t.keep, size) {
		if err := s.saveFragment(t, size); err != nil {
			return s.fault(fmt.Errorf("save a torn record: %w", err))
		}
	}
	if err := s.h.Truncate(t.keep); err != nil {
		return s.fault(fmt.Errorf("cut off a torn record: %w", err))
	}
	return nil
}

func (s *scribe) ours(from, size int64) bool {
	if s.doubt == nil || from != s.size || size-from > int64(len(s.doubt)) {
		return false
	}
	b := make([]byte, size-from)
	_, err := s.h.ReadAt(b, from)
	return err == nil && bytes.HasPrefix(s.doubt, b)
}

func (s *scribe) saveFragment(t tail, size int64) error {
	name := fmt.Sprintf("%s%s%012d", s.h.dir.base, tornMark, t.last.seq)
	f, err := s.h.dir.create(name)
	for i := 2; errors.Is(err, fs.ErrExist) && i < 100; i++ {
		f, err = s.h.dir.create(name + "-" + strconv.Itoa(i))
	}
	if err != nil {
		return err
	}
	_, err = io.Copy(f, io.NewSectionReader(s.h, t.keep, size-t.keep))
	if err == nil && s.l.opts.Sync != SyncNever {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	s.l.bell.warn("audit log ended in a torn record, which was moved aside",
		slog.Int64("bytes", size-t.keep), slog.Uint64("last_seq", t.last.seq), slog.String("moved_to", f.Name()))
	return nil
}
