package trail

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// A File is the log file as the log uses it: the door at which a test can fail any
// operation. Write appends, and Sync is fdatasync where there is one.
type File interface {
	io.Writer
	io.ReaderAt
	Sync() error
	Truncate(size int64) error
	Stat() (Stat, error)
	Close() error
	// TryLock takes the lock that servers sharing the file agree on, or says that
	// somebody else has it.
	TryLock() (bool, error)
	Unlock() error
	// Reserve makes sure that n bytes from off can be written on a full disk,
	// without changing the size. Where the system cannot, it does nothing.
	Reserve(off, n int64) error
}

// Stat is what the log looks at in a file.
type Stat struct {
	Dev, Ino, Links uint64
	UID             uint32
	Mode            fs.FileMode
	Size            int64
}

func (s Stat) same(t Stat) bool { return s.Dev == t.Dev && s.Ino == t.Ino }

// check refuses what an audit log must not be: somebody else could read, write,
// replace or never finish reading it.
func (s Stat) check(uid int) error {
	switch {
	case s.Mode.Type() == fs.ModeSymlink:
		return errors.New("is a symbolic link")
	case s.Mode.Type() != 0:
		return fmt.Errorf("is not a regular file (%v)", s.Mode.Type())
	case s.UID != uint32(uid):
		return fmt.Errorf("belongs to uid %d, not %d", s.UID, uid)
	case s.Mode.Perm()&0o077 != 0:
		return fmt.Errorf("has mode %04o; use chmod 600", s.Mode.Perm())
	case s.Links > 1:
		return fmt.Errorf("has %d hard links", s.Links)
	case s.Links == 0:
		return errors.New("has been deleted")
	}
	return nil
}
