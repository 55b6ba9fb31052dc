package trail

import (
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
)

const mostListed = 20

// listOrphans tells the operator which commands were running when an earlier server died.
// It runs beside the log: an old file can be long, and nothing waits for the answer. The
// caller holds the lock, so what is read has no record half written.
func (s *scribe) listOrphans() {
	var parts []io.Reader
	var files []*os.File
	for _, name := range append(s.lastFinished(), s.h.dir.base) {
		f, err := s.h.dir.read(name)
		if err != nil {
			continue // a listing that cannot be made must not stop the log
		}
		files = append(files, f)
		if info, err := f.Stat(); err == nil {
			parts = append(parts, io.NewSectionReader(f, 0, info.Size()))
		}
	}
	b := s.l.bell
	go func() {
		found, err := Orphans(parts...)
		if err != nil {
			b.warn("audit log: attempts without outcome cannot be listed", slog.Any("error", err))
		}
		tellOrphans(b, found)
		for _, f := range files {
			_ = f.Close()
		}
	}()
}

// lastFinished gives the newest finished file, where a command of the time of a rotation
// would have its attempt.
func (s *scribe) lastFinished() []string {
	names, err := s.h.dir.names()
	if err != nil {
		return nil
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !s.finished(name) })
	if len(names) == 0 {
		return nil
	}
	return []string{slices.Max(names)}
}

// tellOrphans leaves out what another live server is running. A process of our own number
// is not one: in a container every server has the same.
func tellOrphans(b *bell, found []Orphan) {
	found = slices.DeleteFunc(found, func(o Orphan) bool { return o.PID != os.Getpid() && running(o.PID) })
	if len(found) == 0 {
		return
	}
	var ids []string
	for _, o := range found[:min(len(found), mostListed)] {
		ids = append(ids, o.EventID)
	}
	b.warn("audit log: attempts without outcome, of servers that were killed",
		slog.Int("count", len(found)), slog.String("event_ids", strings.Join(ids, " ")))
}
