package features_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/envelope"
	. "hardened-terminal-mcp/pipeline/pipelinetest"
)

// driven runs a case that takes more than one call.
func driven(c publicCase) {
	GinkgoHelper()
	w := c.prepare()
	drive, ok := map[string]func(*world){
		"cwd-race":            cwdRace,
		"exec-cancel":         execCancel,
		"exec-disconnect":     execDisconnect,
		"exec-stdin-protocol": execStdinProtocol,
		"aud-two-writers":     audTwoWriters,
		"aud-outcome-fails":   audOutcomeFails,
		"aud-rotate":          audRotate,
		"aud-tamper":          audTamper,
		"ux-annotations":      uxAnnotations,
	}[c.ID]
	Expect(ok).To(BeTrue(), "%s has no driver", c.ID)
	drive(w)
}

func cwdRace(w *world) {
	GinkgoHelper()
	s := w.serve()
	sw, real := filepath.Join(w.jail, "sw"), filepath.Join(w.jail, "sw_real")
	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			os.Rename(real, sw)
			os.Rename(sw, real)
			os.Symlink("../out", sw)
			os.Remove(sw)
		}
	})
	codes := map[envelope.ResultCode]int{}
	for range 500 {
		r := s.runIn("sw", "cat secret.txt")
		Expect(r.Stdout + r.Stderr).NotTo(ContainSubstring("OUTSIDE-SECRET"))
		codes[r.Code]++
	}
	Expect(codes).To(HaveKey(envelope.OK), "the race was not run: %v", codes)
	close(stop)
	swapping.Wait()
}

func execCancel(w *world) {
	GinkgoHelper()
	s := w.serve()
	id, answer := s.tool("run_command", map[string]any{"command": "sleep 30"})
	Eventually(processes).WithArguments("sleep 30", w.root).WithTimeout(5 * time.Second).ShouldNot(BeEmpty())
	s.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": map[string]any{"requestId": id}})
	Eventually(processes).WithArguments("sleep 30", w.root).WithTimeout(time.Second).Should(BeEmpty())
	Eventually(w.outcomes).Should(ContainElement(And(HaveKeyWithValue("code", "EXECUTOR_ERROR"), HaveKeyWithValue("policy_reason", "cancelled"))))
	Consistently(answer).WithTimeout(300 * time.Millisecond).ShouldNot(Receive())
}

func execDisconnect(w *world) {
	GinkgoHelper()
	s := w.serve()
	s.tool("run_command", map[string]any{"command": "sleep 30"})
	Eventually(processes).WithArguments("sleep 30", w.root).WithTimeout(5 * time.Second).ShouldNot(BeEmpty())
	Expect(s.stop()).To(Equal(0))
	Expect(processes("sleep 30", w.root)).To(BeEmpty())
	Expect(w.attempts()).To(HaveLen(1))
	Expect(w.outcomes()).To(HaveLen(1))
}

func execStdinProtocol(w *world) {
	GinkgoHelper()
	s := w.serve()
	_, first := s.tool("run_command", map[string]any{"command": "head -c 100"})
	_, second := s.tool("run_command", map[string]any{"command": "head -c 100"})
	for _, answer := range []<-chan reply{first, second} {
		r := result(await(answer))
		Expect(r.CommandResult).To(HaveRun(0))
		Expect(r.Stdout).To(BeEmpty())
	}
}

func audTwoWriters(w *world) {
	GinkgoHelper()
	a, b := w.serve(), w.serve()
	var answers []<-chan reply
	for range 200 {
		for _, s := range []*server{a, b} {
			_, answer := s.tool("run_command", map[string]any{"command": "ls"})
			answers = append(answers, answer)
			if len(answers) >= 16 {
				Expect(result(await(answers[0])).CommandResult).To(HaveRun(0))
				answers = answers[1:]
			}
		}
	}
	for _, answer := range answers {
		Expect(result(await(answer)).CommandResult).To(HaveRun(0))
	}
	Expect(w.records()).To(HaveLen(800))
}

func audOutcomeFails(w *world) {
	GinkgoHelper()
	w.program("slow", "while [ ! -e go ]; do sleep 0.05; done; echo ran")
	w.allows("slow touch")
	s := w.serve()
	_, answer := s.tool("run_command", map[string]any{"command": "slow"})
	w.started()
	Expect(os.Rename(w.log, w.log+".away")).To(Succeed())
	Expect(os.Mkdir(w.log, 0o755)).To(Succeed())
	w.write(filepath.Join(w.jail, "go"), "")

	r := result(await(answer))
	Expect(r.CommandResult).To(HaveRun(0))
	Expect(r.Stdout).To(Equal("ran\n"), "the true result goes out")
	Expect(r.PolicyReason).To(ContainSubstring("could not be recorded"))
	Eventually(s.stderr.Contents).Should(ContainSubstring("audit"))
	Expect(s.run("touch later")).To(BeRefused(envelope.AuditUnavailable))
	Expect(filepath.Join(w.jail, "later")).NotTo(BeAnExistingFile())

	Expect(os.Remove(w.log)).To(Succeed())
	Expect(os.Rename(w.log+".away", w.log)).To(Succeed())
	Eventually(func() envelope.ResultCode { return s.run("touch later").Code }).WithTimeout(20 * time.Second).Should(Equal(envelope.OK))
	Expect(w.outcomes()).To(ContainElement(And(HaveKeyWithValue("command_raw", "slow"), HaveKeyWithValue("code", "OK"))), "the outcome that was owed")
	Expect(w.do("audit", "verify", w.log).status).To(Equal(0))
}

func audRotate(w *world) {
	GinkgoHelper()
	s := w.serve()
	Expect(s.run("ls")).To(HaveRun(0))
	old := filepath.Join(w.root, "audit.1")
	Expect(os.Rename(w.log, old)).To(Succeed())
	for range 3 {
		Expect(s.run("ls")).To(HaveRun(0))
	}
	Expect(s.stop()).To(Equal(0))
	Expect(w.outcomes()).To(HaveLen(3))
	o := w.do("audit", "verify", "--whole", old, w.log)
	Expect(o.status).To(Equal(0), o.stdout+o.stderr)
	Expect(o.stdout).To(ContainSubstring("sound: 8 records in 2 files"))
}

func audTamper(w *world) {
	GinkgoHelper()
	s := w.serve()
	for range 10 {
		Expect(s.run("ls")).To(HaveRun(0))
	}
	Expect(s.stop()).To(Equal(0))
	Expect(w.do("audit", "verify", w.log).status).To(Equal(0))
	data, err := os.ReadFile(w.log)
	Expect(err).NotTo(HaveOccurred())
	lines := strings.SplitAfter(string(data), "\n")
	lines[6] = strings.Replace(lines[6], `"argv":["ls"]`, `"argv":["lS"]`, 1)
	w.write(w.log, strings.Join(lines, ""))
	o := w.do("audit", "verify", w.log)
	Expect(o.status).To(Equal(1))
	Expect(o.stdout).To(HavePrefix(w.log+":7:"), "the first broken line")
}

func uxAnnotations(w *world) {
	GinkgoHelper()
	var list struct {
		Tools []struct {
			Name         string
			OutputSchema map[string]any
			Annotations  struct{ ReadOnlyHint, DestructiveHint, OpenWorldHint bool }
		}
	}
	Expect(json.Unmarshal(w.serve().request("tools/list", map[string]any{}).Result, &list)).To(Succeed())
	Expect(list.Tools).To(HaveLen(2))
	for _, t := range list.Tools {
		Expect(t.OutputSchema).NotTo(BeEmpty())
		if t.Name == "explain_command" {
			Expect(t.Annotations.ReadOnlyHint).To(BeTrue())
			Expect(t.Annotations.OpenWorldHint).To(BeFalse())
			continue
		}
		Expect(t.Annotations.DestructiveHint).To(BeTrue())
		Expect(t.Annotations.ReadOnlyHint).To(BeFalse())
	}
}
