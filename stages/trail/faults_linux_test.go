package trail_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/sys/unix"

	"hardened-terminal-mcp/stages/trail"
)

// The flags of ioctl_iflags(2) that chattr +i and +a set.
const immutable, appendOnly = 0x10, 0x20

// mounted mounts something on a new directory of the fixture, or skips.
func mounted(p place, source, name, kind string, flags uintptr, data string) string {
	GinkgoHelper()
	at := filepath.Join(p.dir, name)
	Expect(os.MkdirAll(at, 0o700)).To(Succeed())
	if err := syscall.Mount(source, at, kind, flags, data); err != nil {
		Skip("mounting is not allowed here: " + err.Error())
	}
	DeferCleanup(func() { _ = syscall.Unmount(at, syscall.MNT_DETACH) })
	return at
}

// flag sets or clears an attribute of chattr(1), or skips.
func flag(path string, bit int, on bool) {
	GinkgoHelper()
	f, err := os.Open(path)
	Expect(err).NotTo(HaveOccurred())
	defer f.Close()
	now, err := unix.IoctlGetInt(int(f.Fd()), unix.FS_IOC_GETFLAGS)
	if err == nil {
		now &^= bit
		if on {
			now |= bit
		}
		err = unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, now)
	}
	if err != nil {
		Skip("file attributes cannot be set here: " + err.Error())
	}
}

var _ = Describe("a real fault", func() {
	var p place

	BeforeEach(func() { p = newPlace() })

	When("the disk is full", func() {
		var (
			o      trail.Options
			l      *trail.Log
			filler string
		)

		BeforeEach(func() {
			o = p.options()
			disk := mounted(p, "tmpfs", "disk", "tmpfs", 0, "size=64k,mode=0700")
			o.Path, filler = filepath.Join(disk, "audit.jsonl"), filepath.Join(disk, "filler")
			l = open(o)
		})

		It("refuses attempts before it would have to refuse outcomes", func(ctx SpecContext) {
			var running []string
			var err error
			for i := 0; err == nil; i++ {
				id := fmt.Sprint("event", i)
				if err = l.Append(ctx, attempt(id)); err == nil {
					running = append(running, id)
				}
			}
			Expect(err).To(MatchError(syscall.ENOSPC))
			Expect(len(running)).To(BeNumerically(">", 10))
			for _, id := range running {
				Expect(l.Append(ctx, outcome(id))).To(Succeed())
			}
			Expect(trail.VerifyFiles(trail.Check{}, o.Path)).To(And(HaveField("Bad", 0), HaveField("Orphans", BeEmpty())))
		})

		It("works again when there is room", func(ctx SpecContext) {
			call(ctx, l, "before")
			_, err := l.Close() // gives back the reserved room, so that the disk can be filled
			Expect(err).NotTo(HaveOccurred())
			l = open(o)
			if err := os.WriteFile(filler, make([]byte, 64<<10), 0o600); !errors.Is(err, syscall.ENOSPC) {
				Fail("the disk should be full")
			}
			for i := range 20 { // the last page takes some more
				id := fmt.Sprint("event", i)
				if err = l.Append(ctx, attempt(id)); err != nil {
					break
				}
				Expect(l.Append(ctx, outcome(id))).To(Succeed())
			}
			Expect(err).To(MatchError(syscall.ENOSPC))
			Expect(os.Remove(filler)).To(Succeed())
			call(ctx, l, "after")
			Expect(trail.VerifyFiles(trail.Check{}, o.Path)).To(And(HaveField("Bad", 0), HaveField("Orphans", BeEmpty())))
		})

		It("cuts back the part of a record that did fit", func(ctx SpecContext) {
			l = open(func() trail.Options { // a system that cannot reserve
				o.Wrap = func(f trail.File) trail.File { return unreserved{f} }
				return o
			}())
			big := strings.Repeat("x", 7_000)
			r := attempt("big")
			r.CommandRaw = &big
			for range 20 {
				if err := l.Append(ctx, r); err != nil {
					Expect(err).To(MatchError(syscall.ENOSPC))
				}
			}
			Expect(trail.VerifyFiles(trail.Check{}, o.Path)).To(And(HaveField("Bad", 0), HaveField("Records", BeNumerically("<", 10))))
		})
	})

	It("of a file size limit is refused and passes (EFBIG)", func() {
		c := startChild("serve", p.log)
		Expect(c.hear()).To(Equal("ready"))
		Expect(c.say("attempt a")).To(Equal("ok"))
		Expect(c.say("outcome a")).To(Equal("ok"))
		limit := func(n uint64) {
			GinkgoHelper()
			Expect(unix.Prlimit(c.Process.Pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: n, Max: unix.RLIM_INFINITY}, nil)).To(Succeed())
		}
		limit(1000)
		Expect(c.say("attempt b")).To(ContainSubstring("file too large"))
		limit(unix.RLIM_INFINITY)
		Expect(c.say("attempt c")).To(Equal("ok"))
		Expect(c.say("outcome c")).To(Equal("ok"))
		Expect(trail.VerifyFiles(trail.Check{}, p.log)).To(And(HaveField("Bad", 0), HaveField("Records", 4)))
	})

	It("of an immutable file is refused and passes", func(ctx SpecContext) {
		l := open(p.options())
		call(ctx, l, "before")
		flag(p.log, immutable, true)
		DeferCleanup(flag, p.log, immutable, false)
		Expect(l.Append(ctx, attempt("refused"))).To(MatchError(os.ErrPermission))
		flag(p.log, immutable, false)
		call(ctx, l, "after")
		Expect(trail.VerifyFiles(trail.Check{}, p.log)).To(And(HaveField("Bad", 0), HaveField("Records", 4)))
	})

	It("is not that a file can only be appended to", func(ctx SpecContext) {
		o := p.options()
		o.MaxBytes = trail.MaxLine
		l := open(o)
		call(ctx, l, "before")
		flag(p.log, appendOnly, true)
		DeferCleanup(flag, p.log, appendOnly, false)
		big := strings.Repeat("x", 10_000)
		for i := range 10 { // past the size at which it cannot be rotated
			r := attempt(fmt.Sprint("after", i))
			r.CommandRaw = &big
			Expect(l.Append(ctx, r)).To(Succeed())
		}
		Expect(trail.VerifyFiles(trail.Check{}, p.log)).To(And(HaveField("Bad", 0), HaveField("Records", 12)))
	})

	It("of a directory that is read-only is refused and passes", func(ctx SpecContext) {
		l := open(p.options())
		call(ctx, l, "before")
		state := mounted(p, filepath.Dir(p.log), "state", "", syscall.MS_BIND, "")
		Expect(os.Remove(p.log)).To(Succeed())
		Expect(syscall.Mount("", state, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, "")).To(Succeed())
		Expect(l.Append(ctx, attempt("refused"))).To(MatchError(syscall.EROFS))
		_, err := trail.Open(p.options())
		Expect(err).To(MatchError(syscall.EROFS))
		Expect(syscall.Unmount(state, 0)).To(Succeed())
		call(ctx, l, "after")
		Expect(entries(p.log)[0].Seq).To(BeEquivalentTo(3))
	})

	It("of an fsync that takes 6 s is refused in less than 5", func(ctx SpecContext) {
		d, release := &door{}, make(chan struct{})
		o := p.options()
		o.Wrap = d.wrap
		l := open(o)
		d.every("sync", func(string, trail.File, []byte) (int, error) { <-release; return 0, nil })
		start := time.Now()
		Expect(l.Append(ctx, attempt("a"))).To(MatchError(trail.ErrTimeout))
		Expect(time.Since(start)).To(BeNumerically("<", 5*time.Second))
		d.set(nil)
		close(release)
		Eventually(func() error { return l.Append(ctx, attempt("b")) }).Should(Succeed())
	})
})

// unreserved is a file on a system without fallocate.
type unreserved struct{ trail.File }

func (unreserved) Reserve(int64, int64) error { return nil }
