package sandbox

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// A root is the jail's directory, held open so that it stays the same one whatever happens to its name.
type root struct {
	path     string
	fd       int
	dev, ino uint64
}

func openRoot(path string) (*root, error) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	return &root{path: path, fd: fd, dev: uint64(st.Dev), ino: st.Ino}, nil
}

// check tells whether the root's name still means the same directory.
func (r *root) check() error {
	var st unix.Stat_t
	if err := unix.Stat(r.path, &st); err != nil || uint64(st.Dev) != r.dev || st.Ino != r.ino {
		return fmt.Errorf("%w: %s", ErrGone, r.path)
	}
	return nil
}

// enter makes dir the working directory of the calling thread. The kernel resolves it beneath the root and follows no
// symbolic link on the way, so no rename that happens meanwhile can lead out (openat2(2)).
func (r *root) enter(dir string) error {
	if err := r.check(); err != nil {
		return err
	}
	how := unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	fd, err := unix.Openat2(r.fd, dir, &how)
	for err == unix.EINTR || err == unix.EAGAIN { // EAGAIN: a rename went on beneath the root
		fd, err = unix.Openat2(r.fd, dir, &how)
	}
	switch err {
	case nil:
	case unix.ELOOP, unix.EXDEV:
		return fmt.Errorf("%w: %q", ErrEscapes, dir)
	case unix.ENOENT:
		return fmt.Errorf("%w: %q", ErrDirMissing, dir)
	case unix.ENOTDIR:
		return fmt.Errorf("%w: %q", ErrNotDirectory, dir)
	default:
		return fmt.Errorf("%w in %q: %w", ErrStart, dir, err)
	}
	defer unix.Close(fd)
	if err := unix.Fchdir(fd); err != nil {
		return fmt.Errorf("%w in %q: %w", ErrStart, dir, err)
	}
	return nil
}

func (r *root) close() { unix.Close(r.fd) }
