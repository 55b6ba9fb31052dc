// Package jailpath decides where a path leads beneath the jail root, walking it
// as the kernel would: a symlink is followed before the ".." behind it, and the
// first step outside is refused without a look at what is there.
//
// A verdict here is about one moment. It names a directory by a path without
// symlinks, so that whoever uses it later can insist on exactly that path and
// notice a swap: stages/sandbox does.
package jailpath

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// What a path can be instead of a directory in the jail.
var (
	ErrEscapes      = errors.New("the path leads outside the jail")
	ErrMissing      = errors.New("the path does not exist")
	ErrNotDirectory = errors.New("the path is not a directory")
	ErrGone         = errors.New("the jail root is gone")
)

// maxLinks is how many symlinks one path may follow, as in Linux (ELOOP, see
// path_resolution(7)).
const maxLinks = 40

// A Root is a jail root, held open: a directory put in its place later is not
// the jail.
type Root struct {
	root  *os.Root
	info  fs.FileInfo
	path  string // canonical
	given string // absolute, as configured
}

// Open opens the jail root dir, which may itself be reached through symlinks.
func Open(dir string) (*Root, error) {
	given, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("jail root %s: %w", dir, err)
	}
	path, err := filepath.EvalSymlinks(given)
	if err != nil {
		return nil, fmt.Errorf("jail root: %w", err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("jail root: %w", err)
	}
	info, err := root.Stat(".")
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("jail root %s: %w", path, err)
	}
	return &Root{root: root, info: info, path: path, given: given}, nil
}

// Path is the canonical absolute path of the root.
func (r *Root) Path() string { return r.path }

// Close releases the root.
func (r *Root) Close() error { return r.root.Close() }

// Dir resolves a directory: relative to the root, or absolute and beginning
// with it; "" is the root. The answer is relative to the root, holds no symlink
// and no "..", and is "." for the root itself. Errors are the package's own.
func (r *Root) Dir(path string) (string, error) {
	now, err := os.Stat(r.path)
	if err != nil || !os.SameFile(now, r.info) {
		return "", ErrGone
	}
	rest, err := r.beneath(path)
	if err != nil {
		return "", err
	}
	at, err := r.walk(rest)
	if err != nil {
		return "", err
	}
	info, err := r.root.Lstat(at)
	switch {
	case err != nil:
		return "", classify(err)
	case !info.IsDir():
		return "", ErrNotDirectory
	}
	return at, nil
}

// beneath strips the root from an absolute path, component by component: /jail
// is no prefix of /jail-evil.
func (r *Root) beneath(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return path, nil
	}
	for _, root := range []string{r.path, r.given} {
		if rest, ok := strings.CutPrefix(path, root); ok && (rest == "" || os.IsPathSeparator(rest[0]) || root == "/") {
			return strings.TrimLeft(rest, "/"), nil
		}
	}
	return "", ErrEscapes
}

// walk follows rest from the root, one component at a time. done holds only
// names that were seen not to be symlinks; [os.Root] refuses to leave the root
// even if one of them is swapped meanwhile.
func (r *Root) walk(rest string) (string, error) {
	var done []string
	links := 0
	todo := split(rest)
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		if name == ".." {
			if len(done) == 0 {
				return "", ErrEscapes
			}
			done = done[:len(done)-1]
			continue
		}
		at := filepath.Join(append(done, name)...)
		info, err := r.root.Lstat(at)
		if err != nil {
			return "", classify(err)
		}
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			if links++; links > maxLinks {
				return "", ErrMissing
			}
			target, err := r.root.Readlink(at)
			if err != nil {
				return "", classify(err)
			}
			if filepath.IsAbs(target) {
				if target, err = r.beneath(target); err != nil {
					return "", err
				}
				done = nil
			}
			todo = append(split(target), todo...)
		case !info.IsDir():
			return "", ErrNotDirectory
		default:
			done = append(done, name)
		}
	}
	return filepath.Join(append([]string{"."}, done...)...), nil
}

// split cuts a path into components; "." and empty ones mean nothing.
func split(path string) []string {
	var out []string
	for name := range strings.FieldsFuncSeq(path, func(c rune) bool { return c < 0x80 && os.IsPathSeparator(uint8(c)) }) {
		if name != "." {
			out = append(out, name)
		}
	}
	return out
}

// classify keeps the kernel's words, which hold paths, from the caller. A name
// that no file can have (NUL, too long) does not exist.
func classify(err error) error {
	var fault *fs.PathError
	if errors.As(err, &fault) && fault.Err.Error() == "path escapes from parent" { // os.Root has no exported error for it
		return ErrEscapes
	}
	return ErrMissing
}
