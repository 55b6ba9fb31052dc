//go:build unix

package features_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/envelope"
)

// children are the processes that a process has started.
func children(pid int) []int {
	var out []int
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		stat, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		if len(fields) > 1 && fields[0] != "Z" && fields[1] == strconv.Itoa(pid) {
			child, _ := strconv.Atoi(e.Name())
			out = append(out, child)
		}
	}
	return out
}

var _ = Describe("When the process that starts commands dies", func() {
	It("every call under load is answered and recorded, and nothing runs outside the jail", func() {
		w := newWorld()
		w.write(filepath.Join(w.out, "secret.txt"), "OUTSIDE-SECRET\n")
		w.program("peek", "cat "+w.out+"/secret.txt; sleep 0.0$1; echo done")
		w.allows("peek")
		w.write(w.policy, strings.Replace(string(mustRead(w.policy)), fmt.Sprintf("sandbox.write = [%q]\n", w.out), "", 1))
		s := w.serve()
		if s.rung() > 2 {
			Skip("this machine has no helper")
		}

		stop := make(chan struct{})
		var load sync.WaitGroup
		var mu sync.Mutex
		codes := map[envelope.ResultCode]int{}
		for i := range 8 {
			load.Go(func() {
				defer GinkgoRecover()
				for {
					select {
					case <-stop:
						return
					default:
					}
					r := s.run(fmt.Sprintf("peek %d", i))
					Expect(r.Stdout).NotTo(ContainSubstring("OUTSIDE-SECRET"))
					mu.Lock()
					codes[r.Code]++
					mu.Unlock()
				}
			})
		}
		answered := func() int {
			mu.Lock()
			defer mu.Unlock()
			return codes[envelope.OK]
		}
		for range times("FEATURES_HELPER_KILLS", 25) {
			before := answered()
			Eventually(func() []int { return children(s.cmd.Process.Pid) }).WithTimeout(10e9).ShouldNot(BeEmpty())
			for _, pid := range children(s.cmd.Process.Pid) {
				syscall.Kill(pid, syscall.SIGKILL)
			}
			Eventually(answered).WithTimeout(10e9).Should(BeNumerically(">", before), "a new helper takes over")
		}
		close(stop)
		load.Wait()

		Expect(codes).To(HaveKey(envelope.ExecutorError), "the kills were felt: %v", codes)
		Expect(codes).To(HaveLen(2), "%v", codes)
		Expect(s.stop()).To(Equal(0))
		Expect(w.attempts()).To(HaveLen(codes[envelope.OK] + codes[envelope.ExecutorError]))
		Expect(w.outcomes()).To(HaveLen(len(w.attempts())+1), "and the one that asked for the rung")
		Eventually(w.commands).Should(BeEmpty())
	})
})
