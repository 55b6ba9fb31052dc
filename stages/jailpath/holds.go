package jailpath

import (
	"os"
	"path/filepath"
)

// Holds reports whether path, which need not exist, lies in the jail: whether
// the root is among the ancestors of the nearest one of its ancestors that
// exists. Directories are compared by identity (device and inode), so another
// spelling, a symlink or a bind mount does not hide it.
func (r *Root) Holds(path string) bool {
	path, err := filepath.Abs(path)
	if err != nil {
		return true // no working directory: nothing good can be said of path
	}
	for {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			path = real
			break
		}
		if filepath.Dir(path) == path {
			return false
		}
		path = filepath.Dir(path)
	}
	for {
		info, err := os.Stat(path)
		if err == nil && os.SameFile(info, r.info) {
			return true
		}
		if filepath.Dir(path) == path {
			return false
		}
		path = filepath.Dir(path)
	}
}
