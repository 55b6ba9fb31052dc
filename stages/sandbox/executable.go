package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// An Executable is a program found in a search path, with what identifies the file it was then.
type Executable struct {
	Path string // absolute; the name it was found under, symbolic links and all
	id   identity
}

// Find looks a bare name up in the directories of path, in order. A name with a separator is never found, and a
// directory that is empty or relative is refused: it would be looked up in whatever directory the server happens to be.
func Find(path []string, name string) (Executable, error) {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00"+string(filepath.Separator)) {
		return Executable{}, fmt.Errorf("%w: %q", ErrNotFound, name)
	}
	for _, dir := range path {
		if !filepath.IsAbs(dir) {
			return Executable{}, fmt.Errorf("sandbox: search path entry %q is not absolute", dir)
		}
	}
	for _, dir := range path {
		file := filepath.Join(dir, name)
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() || !runnable(file, info) {
			continue
		}
		return Executable{Path: file, id: identify(info)}, nil
	}
	return Executable{}, fmt.Errorf("%w: %q", ErrNotFound, name)
}

// check tells whether the file is still the one that was found. A swap between this look and execve(2) is not seen:
// executing by descriptor would close that gap, but breaks programs that start with "#!".
func (e Executable) check() error {
	info, err := os.Stat(e.Path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrChanged, err)
	}
	if !identify(info).same(e.id) {
		return fmt.Errorf("%w: %s", ErrChanged, e.Path)
	}
	return nil
}
