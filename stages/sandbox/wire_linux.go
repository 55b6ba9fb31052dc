package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// The server and a slot's thread in the helper speak over a SOCK_SEQPACKET socket, so messages have bounds. A request
// is the command's strings, each ended by NUL, with the writing ends of its two pipes; a lone NUL-free byte asks to
// kill what runs. A reply follows when nothing of the command is left.
const (
	killRequest = "K"
	maxRequest  = 192 << 10 // fits the default socket buffer
)

// appendRequest encodes what the helper has to know. No string may hold a NUL: execve(2) could not take it either.
func appendRequest(b []byte, c Command) ([]byte, error) {
	put := func(s string) error {
		if strings.IndexByte(s, 0) >= 0 {
			return syscall.EINVAL
		}
		b = append(append(b, s...), 0)
		return nil
	}
	err := errors.Join(put(c.Exe.Path), put(c.Dir), put(strconv.Itoa(len(c.Argv))))
	for _, s := range c.Argv {
		err = errors.Join(err, put(s))
	}
	for _, s := range c.Env {
		err = errors.Join(err, put(s))
	}
	if err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrStart, c.Exe.Path, syscall.EINVAL)
	}
	if len(b) > maxRequest {
		return nil, fmt.Errorf("%w %s: %w", ErrStart, c.Exe.Path, syscall.E2BIG)
	}
	return b, nil
}

func parseRequest(b []byte) (Command, error) {
	fields := strings.Split(string(b), "\x00")
	if len(fields) < 4 || fields[len(fields)-1] != "" {
		return Command{}, errors.New("sandbox: malformed request")
	}
	n, err := strconv.Atoi(fields[2])
	strs := fields[3 : len(fields)-1]
	if err != nil || n < 0 || n > len(strs) {
		return Command{}, errors.New("sandbox: malformed request")
	}
	return Command{Exe: Executable{Path: fields[0]}, Dir: fields[1], Argv: strs[:n], Env: strs[n:]}, nil
}

// A reply is how a command ended, or why it was not started.
type reply struct {
	kind   replyKind
	detail uint32 // a wait status or an errno
}

type replyKind uint32

const (
	replyEnded replyKind = iota + 1
	replyNotStarted
	replyEscapes
	replyDirMissing
	replyNotDirectory
	replyGone
)

const replySize = 8

func (r reply) bytes() []byte {
	b := binary.NativeEndian.AppendUint32(nil, uint32(r.kind))
	return binary.NativeEndian.AppendUint32(b, r.detail)
}

func parseReply(b []byte) (reply, error) {
	if len(b) != replySize {
		return reply{}, fmt.Errorf("reply of %d bytes", len(b))
	}
	return reply{replyKind(binary.NativeEndian.Uint32(b)), binary.NativeEndian.Uint32(b[4:])}, nil
}

// refusal is the reply for a command that could not be started.
func refusal(err error) reply {
	for kind, sentinel := range dirErrors {
		if errors.Is(err, sentinel) {
			return reply{kind: kind}
		}
	}
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		errno = unix.EIO
	}
	return reply{replyNotStarted, uint32(errno)}
}

// err is the error that the reply stands for, nil when the command ran.
func (r reply) err(c Command) error {
	if r.kind == replyEnded {
		return nil
	}
	if sentinel, ok := dirErrors[r.kind]; ok {
		return fmt.Errorf("%w: %q", sentinel, c.Dir)
	}
	return fmt.Errorf("%w %s: %w", ErrStart, c.Exe.Path, syscall.Errno(r.detail))
}

var dirErrors = map[replyKind]error{
	replyEscapes:      ErrEscapes,
	replyDirMissing:   ErrDirMissing,
	replyNotDirectory: ErrNotDirectory,
	replyGone:         ErrGone,
}
