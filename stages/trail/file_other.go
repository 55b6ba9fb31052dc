//go:build !unix

package trail

import (
	"errors"
	"fmt"
	"os"
)

// Without flock, O_NOFOLLOW, owners and modes none of the promises about the file could be
// kept, so a log is not opened at all. Reading and verifying one works everywhere.
var errSystem = fmt.Errorf("audit log: %w on this system", errors.ErrUnsupported)

type folder struct {
	*os.File
	base string
}

type osFile struct{ *os.File }

func (osFile) Stat() (Stat, error)        { return Stat{}, errSystem }
func (osFile) TryLock() (bool, error)     { return false, errSystem }
func (osFile) Unlock() error              { return errSystem }
func (osFile) Reserve(int64, int64) error { return errSystem }

func openFolder(string) (folder, error) { return folder{}, errSystem }

func (folder) open() (*os.File, bool, error)   { return nil, false, errSystem }
func (folder) create(string) (*os.File, error) { return nil, errSystem }
func (folder) read(string) (*os.File, error)   { return nil, errSystem }
func (folder) rename(string) error             { return errSystem }
func (folder) remove(string) error             { return errSystem }
func (folder) names() ([]string, error)        { return nil, errSystem }
func (folder) outside([]string) error          { return errSystem }
func (folder) sameFileSystem(string) bool      { return false }
func lstat(string) (Stat, error)               { return Stat{}, errSystem }

// Reachable cannot be answered here.
func Reachable(string, ...string) error { return errSystem }
