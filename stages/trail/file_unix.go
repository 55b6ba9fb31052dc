//go:build unix

package trail

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// osFile is the real [File].
type osFile struct{ *os.File }

func (f osFile) Sync() error {
	if err := datasync(f.File); err != nil {
		return &fs.PathError{Op: "fdatasync", Path: f.Name(), Err: err}
	}
	return nil
}

func (f osFile) Stat() (Stat, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return Stat{}, &fs.PathError{Op: "fstat", Path: f.Name(), Err: err}
	}
	return statOf(&st), nil
}

// TryLock uses flock: fcntl locks would be dropped when any descriptor of the file
// is closed anywhere in the process.
func (f osFile) TryLock() (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, unix.EWOULDBLOCK), errors.Is(err, unix.EINTR):
		return false, nil
	}
	return false, &fs.PathError{Op: "flock", Path: f.Name(), Err: err}
}

func (f osFile) Unlock() error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }

func (f osFile) Reserve(off, n int64) error {
	if err := reserve(int(f.Fd()), off, n); err != nil {
		return &fs.PathError{Op: "fallocate", Path: f.Name(), Err: err}
	}
	return nil
}

func statOf(st *unix.Stat_t) Stat {
	s := Stat{
		Dev: uint64(st.Dev), Ino: uint64(st.Ino), Links: uint64(st.Nlink), //nolint:unconvert // widths differ by system
		UID: st.Uid, Size: st.Size, Mode: fs.FileMode(st.Mode & 0o777),
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFLNK:
		s.Mode |= fs.ModeSymlink
	case unix.S_IFDIR:
		s.Mode |= fs.ModeDir
	case unix.S_IFIFO:
		s.Mode |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		s.Mode |= fs.ModeSocket
	default:
		s.Mode |= fs.ModeDevice
	}
	return s
}

// lstat looks at a path without following a final symbolic link.
func lstat(path string) (Stat, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return Stat{}, &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	return statOf(&st), nil
}

// folder is the directory that holds the log. Everything in it is opened and renamed
// relative to this descriptor, so that what was checked is what is used.
type folder struct {
	*os.File
	base string // the log's own name
}

func openFolder(path string) (folder, error) {
	dir, base := filepath.Split(path)
	if base == "" || base == "." || base == ".." {
		return folder{}, fmt.Errorf("audit log %s: names no file", path)
	}
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return folder{}, fmt.Errorf("audit log directory %s: %w", dir, err)
	}
	return folder{os.NewFile(uintptr(fd), dir), base}, nil
}

// open opens the log in the folder, or creates it empty. It looks before it opens: the
// mere opening of a device can have effects.
func (d folder) open() (f *os.File, created bool, err error) {
	dirfd := int(d.Fd())
	var st unix.Stat_t
	switch err := unix.Fstatat(dirfd, d.base, &st, unix.AT_SYMLINK_NOFOLLOW); {
	case errors.Is(err, unix.ENOENT):
		f, err := d.create(d.base)
		if !errors.Is(err, fs.ErrExist) {
			return f, true, err
		}
	case err != nil:
		return nil, false, d.fault(d.base, err)
	default:
		if err := statOf(&st).check(os.Geteuid()); err != nil {
			return nil, false, d.fault(d.base, err)
		}
	}
	const flags = unix.O_RDWR | unix.O_APPEND | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC
	fd, err := unix.Openat(dirfd, d.base, flags, 0)
	if err != nil {
		return nil, false, d.fault(d.base, err)
	}
	return os.NewFile(uintptr(fd), filepath.Join(d.Name(), d.base)), false, nil
}

// create makes a new file of mode 0600, whatever the umask.
func (d folder) create(name string) (*os.File, error) {
	const flags = unix.O_RDWR | unix.O_APPEND | unix.O_CREAT | unix.O_EXCL | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := unix.Openat(int(d.Fd()), name, flags, 0o600)
	if err != nil {
		return nil, d.fault(name, err)
	}
	f := os.NewFile(uintptr(fd), filepath.Join(d.Name(), name))
	if err := unix.Fchmod(fd, 0o600); err != nil {
		return nil, errors.Join(d.fault(name, err), f.Close())
	}
	return f, nil
}

// read opens another file of the folder for reading, if it is one of ours.
func (d folder) read(name string) (*os.File, error) {
	const flags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC
	fd, err := unix.Openat(int(d.Fd()), name, flags, 0)
	if err != nil {
		return nil, d.fault(name, err)
	}
	f := os.NewFile(uintptr(fd), filepath.Join(d.Name(), name))
	st, err := osFile{f}.Stat()
	if err == nil && !st.Mode.IsRegular() {
		err = errors.New("is not a regular file")
	}
	if err == nil && st.UID != uint32(os.Geteuid()) {
		err = fmt.Errorf("belongs to uid %d", st.UID)
	}
	if err != nil {
		return nil, errors.Join(d.fault(name, err), f.Close())
	}
	return f, nil
}

// rename moves the log to a name that nobody has yet; fs.ErrExist otherwise.
func (d folder) rename(to string) error {
	if err := renameNew(int(d.Fd()), d.base, to); err != nil {
		return d.fault(d.base, fmt.Errorf("rename to %s: %w", to, err))
	}
	return nil
}

func (d folder) remove(name string) error {
	if err := unix.Unlinkat(int(d.Fd()), name, 0); err != nil {
		return d.fault(name, err)
	}
	return nil
}

func (d folder) fault(name string, err error) error {
	return fmt.Errorf("audit log %s: %w", filepath.Join(d.Name(), name), err)
}

// names lists the folder. It opens it anew, since a directory descriptor is read
// only once.
func (d folder) names() ([]string, error) {
	entries, err := os.ReadDir(d.Name())
	if err != nil {
		return nil, fmt.Errorf("audit log directory: %w", err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, nil
}
