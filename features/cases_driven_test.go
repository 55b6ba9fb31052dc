package features_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

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
	for range 500 {
		r := s.runIn("sw", "cat secret.txt")
		Expect(r.Stdout + r.Stderr).NotTo(ContainSubstring("OUTSIDE-SECRET"))
	}
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
	Expect(answer).NotTo(Receive())
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
