//go:build unix

package trail

import (
	"errors"

	"golang.org/x/sys/unix"
)

// renameChecked looks before it renames, for file systems that cannot refuse to
// replace. Between servers the log's lock keeps the two steps together.
func renameChecked(dirfd int, from, to string) error {
	var st unix.Stat_t
	switch err := unix.Fstatat(dirfd, to, &st, unix.AT_SYMLINK_NOFOLLOW); {
	case err == nil:
		return unix.EEXIST
	case !errors.Is(err, unix.ENOENT):
		return err
	}
	return unix.Renameat(dirfd, from, dirfd, to)
}
