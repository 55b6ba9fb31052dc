package trail_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/sys/unix"

	"hardened-terminal-mcp/stages/trail"
)

// ext4Shutdown is EXT4_IOC_SHUTDOWN; with noLogFlush what is not on the disk is lost, as
// when the power fails.
const ext4Shutdown, noLogFlush = 0x8004587d, 2

var _ = Describe("a power cut", func() {
	var p place
	var image, disk string

	mount := func() {
		GinkgoHelper()
		out, err := exec.Command("mount", "-o", "loop,commit=300", image, disk).CombinedOutput()
		if err != nil {
			Skip("loop file systems cannot be mounted here: " + string(out))
		}
		DeferCleanup(func() { _ = exec.Command("umount", "-l", disk).Run() })
	}

	BeforeEach(func() {
		p = newPlace()
		image, disk = filepath.Join(p.dir, "image"), filepath.Join(p.dir, "disk")
		Expect(os.Mkdir(disk, 0o700)).To(Succeed())
		Expect(os.WriteFile(image, nil, 0o600)).To(Succeed())
		Expect(os.Truncate(image, 16<<20)).To(Succeed())
		if out, err := exec.Command("mkfs.ext4", "-q", "-F", image).CombinedOutput(); err != nil {
			Skip("no ext4 file system can be made here: " + err.Error() + string(out))
		}
	})

	// cut starts a server, cuts the power at a random time, and returns what it had run.
	cut := func() []string {
		GinkgoHelper()
		mount()
		c := startChild("busy", filepath.Join(disk, "audit.jsonl"), "TRAIL_MAX_BYTES=200000")
		Expect(c.hear()).To(Equal("ready"))
		<-time.After(time.Duration(rand.IntN(30_000)) * time.Microsecond)
		// Stopped first: an fsync that races with the shutdown is told that it succeeded.
		Expect(c.Process.Signal(syscall.SIGSTOP)).To(Succeed())
		var status syscall.WaitStatus
		_, err := syscall.Wait4(c.Process.Pid, &status, syscall.WUNTRACED, nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(status.Stopped()).To(BeTrue())
		d, err := os.Open(disk)
		Expect(err).NotTo(HaveOccurred())
		Expect(unix.IoctlSetPointerInt(int(d.Fd()), ext4Shutdown, noLogFlush)).To(Succeed())
		Expect(d.Close()).To(Succeed())
		Expect(c.Process.Kill()).To(Succeed())
		var ran []string
		for c.out.Scan() {
			if id, ok := strings.CutPrefix(c.out.Text(), "ran "); ok {
				ran = append(ran, id)
			}
		}
		_ = c.Wait()
		// The disk is taken elsewhere: whoever copied our mounts in the meantime keeps the
		// dead file system alive on the old image.
		Expect(exec.Command("umount", "-l", disk).Run()).To(Succeed())
		content, err := os.ReadFile(image)
		Expect(err).NotTo(HaveOccurred())
		Expect(os.Remove(image)).To(Succeed())
		image += "+"
		Expect(os.WriteFile(image, content, 0o600)).To(Succeed())
		return ran
	}

	// TRAIL_POWERCUTS=300 is the long run.
	It("leaves no command that ran unlogged and no torn line", func() {
		var ran []string
		for range trials("TRAIL_POWERCUTS", 5) {
			ran = append(ran, cut()...)
		}
		Expect(ran).NotTo(BeEmpty())
		mount()
		log := filepath.Join(disk, "audit.jsonl")
		l, err := trail.Open(trail.Options{Path: log}) // repairs
		Expect(err).NotTo(HaveOccurred())
		_, err = l.Close()
		Expect(err).NotTo(HaveOccurred())
		records, _ := census(log)
		for _, id := range ran {
			Expect(records).To(HaveKeyWithValue("attempt "+id, 1))
		}
	})
})
