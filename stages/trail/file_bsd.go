//go:build unix && !linux

package trail

import "os"

// datasync is a whole fsync: os.File uses F_FULLFSYNC where fsync alone does not reach
// the disk (macOS).
func datasync(f *os.File) error { return f.Sync() }

// reserve has no portable equivalent of fallocate that keeps the size, so on a full
// disk an outcome may have to wait until there is room.
func reserve(int, int64, int64) error { return nil }

func renameNew(dirfd int, from, to string) error { return renameChecked(dirfd, from, to) }
