//go:build !linux

package sandbox

import (
	"os"
	"runtime"
)

// identity leaves out ctime, which not every system has.
type identity struct{ info os.FileInfo }

func identify(info os.FileInfo) identity { return identity{info} }

func (i identity) same(other identity) bool {
	return i.info != nil && other.info != nil && os.SameFile(i.info, other.info) &&
		i.info.Size() == other.info.Size() && i.info.ModTime().Equal(other.info.ModTime())
}

func runnable(_ string, info os.FileInfo) bool {
	return runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0
}
