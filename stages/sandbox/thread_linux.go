package sandbox

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// onOwnThread runs f on an operating system thread that is f's alone and that ends with f. It is never the main
// thread: a changed main thread would be what the kernel shows as the state of the whole process, and it outlives f.
func onOwnThread(f func()) {
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() != unix.Getpid() {
			f()
			return // without unlocking: the thread, whatever f did to it, ends here
		}
		// While this goroutine holds the main thread, the next one cannot land there.
		elsewhere := make(chan struct{})
		go func() {
			runtime.LockOSThread()
			close(elsewhere)
			f()
		}()
		<-elsewhere
		runtime.UnlockOSThread()
	}()
}
