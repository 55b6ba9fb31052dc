//go:build !linux

package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A root resolves directories beneath the jail with [os.Root]. The command is then started by path, so a directory
// that is swapped for a symbolic link right after the resolution is entered all the same.
type root struct {
	path string
	dir  *os.Root
	info os.FileInfo
}

func openRoot(path string) (*root, error) {
	dir, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	info, err := dir.Stat(".")
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return &root{path: path, dir: dir, info: info}, nil
}

// resolve returns the absolute path of dir.
func (r *root) resolve(dir string) (string, error) {
	if now, err := os.Stat(r.path); err != nil || !os.SameFile(now, r.info) {
		return "", fmt.Errorf("%w: %s", ErrGone, r.path)
	}
	dir = filepath.FromSlash(dir)
	info, err := r.dir.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%w: %q", ErrDirMissing, dir)
	case err != nil: // os.Root does not say more precisely that a link leads out
		return "", fmt.Errorf("%w: %q: %w", ErrEscapes, dir, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return "", fmt.Errorf("%w: %q", ErrEscapes, dir)
	case !info.IsDir():
		return "", fmt.Errorf("%w: %q", ErrNotDirectory, dir)
	}
	return filepath.Join(r.path, dir), nil
}

func (r *root) close() { r.dir.Close() }
