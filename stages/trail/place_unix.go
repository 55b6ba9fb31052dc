//go:build unix

package trail

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// Reachable refuses a path that can be reached through one of the trees, whatever it
// is called there: by the same path, a symbolic link, "..", a bind mount. Trees that
// do not exist are passed over. The path itself need not exist, its directory must.
func Reachable(path string, trees ...string) error {
	dir, err := openFolder(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.outside(trees)
}

func (d folder) outside(trees []string) error {
	above, err := d.ancestors()
	if err != nil {
		return d.fault(d.base, err)
	}
	for _, tree := range trees {
		if tree == "" {
			continue
		}
		inside, err := d.inside(tree, above)
		if err != nil {
			return d.fault(d.base, fmt.Errorf("compare with %s: %w", tree, err))
		}
		if inside {
			return d.fault(d.base, fmt.Errorf("can be reached through %s; put it elsewhere with --audit-log or HTMCP_AUDIT_LOG", tree))
		}
	}
	return nil
}

func (d folder) inside(tree string, above []Stat) (bool, error) {
	var st unix.Stat_t
	if err := unix.Stat(tree, &st); err != nil {
		if errors.Is(err, unix.ENOENT) {
			err = nil
		}
		return false, err
	}
	root := statOf(&st)
	for _, a := range above {
		if a.same(root) {
			return true, nil
		}
	}
	return d.mountedInside(tree)
}

// ancestors identifies the log, its directory and each one above by device and inode.
// Names would not do: a path is one of many.
func (d folder) ancestors() ([]Stat, error) {
	var st unix.Stat_t
	var found []Stat
	if unix.Fstatat(int(d.Fd()), d.base, &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
		found = append(found, statOf(&st))
	}
	if err := unix.Stat("/", &st); err != nil {
		return nil, fmt.Errorf("look at the root directory: %w", err)
	}
	top := statOf(&st)
	for up := "."; ; up += "/.." {
		if err := unix.Fstatat(int(d.Fd()), up, &st, 0); err != nil {
			return nil, fmt.Errorf("look at the directories above: %w", err)
		}
		found = append(found, statOf(&st))
		if found[len(found)-1].same(top) {
			return found, nil
		}
	}
}

// within reports whether a clean absolute path is dir or below it.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// sameFileSystem reports whether filling the tree would fill the log's disk.
func (d folder) sameFileSystem(tree string) bool {
	var log, st unix.Stat_t
	return tree != "" && unix.Fstat(int(d.Fd()), &log) == nil && unix.Stat(tree, &st) == nil && log.Dev == st.Dev
}
