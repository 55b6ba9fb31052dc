package sandbox

import (
	"fmt"
	"slices"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// scopedABI is the first Landlock that keeps signals and abstract sockets inside, and so the first with which a
// thread can kill all that it ever started, and only that, with one kill(2).
const scopedABI = 6

const (
	readAccess  landlock.AccessFSSet = ll.AccessFSExecute | ll.AccessFSReadFile | ll.AccessFSReadDir
	writeAccess                      = readAccess | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSRefer |
		ll.AccessFSRemoveDir | ll.AccessFSRemoveFile | ll.AccessFSMakeDir | ll.AccessFSMakeReg | ll.AccessFSMakeSym |
		ll.AccessFSMakeSock | ll.AccessFSMakeFifo
	fileAccess = ll.AccessFSExecute | ll.AccessFSReadFile | ll.AccessFSWriteFile | ll.AccessFSTruncate
)

// landlockABI is the kernel's Landlock version, at most limit unless that is 0; 0 means that there is none.
func landlockABI(limit int) int {
	abi, err := ll.LandlockGetABIVersion()
	if err != nil || abi < 0 {
		return 0
	}
	if limit > 0 {
		abi = min(abi, limit)
	}
	return abi
}

// A ruleset is what the commands' Landlock domains are made of.
type ruleset struct {
	fd    int
	flags uint32
}

// newRuleset allows the same paths as the view shows. Where there is a view it is the second lock on the same door; on
// the rung below it is the only one.
func newRuleset(s setup, abi int, proc bool) (ruleset, error) {
	// ABI 1 cannot allow a file to be moved between directories, and an archiver or compiler that cannot is of no use.
	if abi < 2 {
		return ruleset{}, fmt.Errorf("landlock ABI %d is too old", abi)
	}
	config := landlock.V11
	switch {
	case abi < 3:
		config = landlock.V2
	case abi < 5:
		config = landlock.V3
	case abi < scopedABI:
		config = landlock.V5
	}
	config.HandledAccessNet = 0 // sockets are the system call filter's business
	config = config.BestEffort()
	handled := config.HandledAccessFS
	var rules []landlock.Rule
	allow := func(access landlock.AccessFSSet, paths ...string) {
		for _, path := range paths {
			var st unix.Stat_t
			if unix.Stat(path, &st) != nil {
				continue
			}
			a := access & handled
			if st.Mode&unix.S_IFMT != unix.S_IFDIR {
				a &= fileAccess
			}
			rules = append(rules, landlock.PathAccess(a, path))
		}
	}
	allow(readAccess, slices.Concat(systemDirs, s.Read)...)
	allow(readAccess&^ll.AccessFSExecute, systemFiles...)
	if s.Network {
		allow(readAccess&^ll.AccessFSExecute, networkFiles...)
	}
	if s.Home != "" {
		allow(readAccess&^ll.AccessFSExecute, s.Home)
	}
	if proc {
		allow(readAccess&^ll.AccessFSExecute, "/proc")
	}
	allow(ll.AccessFSReadFile, devices...)
	allow(ll.AccessFSReadFile|ll.AccessFSWriteFile|ll.AccessFSTruncate, "/dev/null", "/dev/full", "/dev/zero")
	allow(writeAccess, append([]string{s.Jail}, s.Write...)...)
	fd, flags, err := config.NewRulesetFD(rules...)
	if err != nil {
		return ruleset{}, fmt.Errorf("landlock ruleset: %w", err)
	}
	return ruleset{fd, flags}, nil
}

// apply puts the calling thread, and what it starts, into a new domain of its own.
func (r ruleset) apply() error {
	if err := ll.LandlockRestrictSelf(r.fd, r.flags); err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	return nil
}
