package sandbox

import (
	"context"
	"fmt"

	"golang.org/x/sys/unix"
)

// A bell is an eventfd(2) that wakes the watch of a slot's command.
type bell struct{ fd int }

func newBell() (*bell, error) {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("eventfd: %w", err)
	}
	return &bell{fd}, nil
}

// interrupt ends the running command, or the next one when none is running.
func (b *bell) interrupt() {
	_, _ = unix.Write(b.fd, []byte{7: 1, 0: 1}) // any number but zero rings
}

// interruptOn has ctx interrupt the slot until the returned function is called.
func (b *bell) interruptOn(ctx context.Context) func() {
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		b.interrupt()
		close(interrupted)
	})
	return func() {
		if !stop() {
			<-interrupted
		}
		var count [8]byte
		_, _ = unix.Read(b.fd, count[:]) // whatever interrupted this command must not end the next
	}
}

func (b *bell) close() { unix.Close(b.fd) }
