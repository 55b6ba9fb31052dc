package features_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/envelope"
	. "hardened-terminal-mcp/pipeline/pipelinetest"
)

func chmodX(path string) error { return os.Chmod(path, 0o755) }

var _ = Describe("Guarantee: the working directory stays in the jail", func() {
	var w *world

	BeforeEach(func() {
		w = newWorld()
		w.allows("pwd cat ls")
		for _, d := range []string{"jail/sub/deep", "jail-evil", "out/deep"} {
			Expect(os.MkdirAll(filepath.Join(w.root, d), 0o755)).To(Succeed())
		}
		w.write(filepath.Join(w.out, "secret.txt"), "OUTSIDE")
		for name, target := range map[string]string{
			"in": "sub", "out": "../out", "abs": w.out, "deepout": "../out/deep", "evil": "../jail-evil", "absin": filepath.Join(w.jail, "sub"),
		} {
			Expect(os.Symlink(target, filepath.Join(w.jail, name))).To(Succeed())
		}
	})

	DescribeTable("runs in", func(cwd, where string) {
		r := w.serve().runIn(strings.ReplaceAll(cwd, "{JAIL}", w.jail), "pwd")
		Expect(r).To(HaveRun(0))
		Expect(r.Stdout).To(Equal(filepath.Join(w.jail, where) + "\n"))
	},
		Entry("the jail root", "", "."),
		Entry("a directory", "sub", "sub"),
		Entry("an absolute path beneath the root", "{JAIL}/sub/deep", "sub/deep"),
		Entry("a symlink that stays inside", "in/deep", "sub/deep"),
		Entry("an absolute symlink that stays inside", "absin", "sub"),
		Entry("dot-dot that stays inside", "sub/deep/..", "sub"),
	)

	DescribeTable("refuses", func(cwd string) {
		cwd = strings.NewReplacer("{JAIL}", w.jail, "{OUT}", w.out).Replace(cwd)
		r := w.serve().runIn(cwd, "ls")
		Expect(r).To(BeRefused(envelope.CwdEscape, "outside the jail"))
		Expect(w.records()).To(HaveLen(1))
	},
		Entry("dot-dot", ".."),
		Entry("dot-dot behind a directory", "sub/../../out"),
		Entry("an absolute path", "/"),
		Entry("an absolute path outside", "{OUT}"),
		Entry("a sibling that begins with the jail's name", "{JAIL}-evil"),
		Entry("a symlink that leads out", "out"),
		Entry("an absolute symlink that leads out", "abs"),
		Entry("a symlink to the sibling", "evil"),
		Entry("dot-dot behind a symlink, as the kernel walks it", "deepout/.."),
		Entry("a path outside that does not exist, without saying so", "../nothing"),
	)

	It("takes a jail root that is a symlink", func() {
		Expect(os.Symlink(w.jail, filepath.Join(w.root, "alias"))).To(Succeed())
		s := w.serve("--jail", filepath.Join(w.root, "alias"))
		Expect(s.runIn("sub", "pwd").Stdout).To(Equal(filepath.Join(w.jail, "sub") + "\n"))
		Expect(s.runIn(filepath.Join(w.root, "alias", "sub"), "pwd").Stdout).To(Equal(filepath.Join(w.jail, "sub") + "\n"))
	})

	It("never falls back to another directory when the root is gone", func() {
		s := w.serve()
		Expect(os.RemoveAll(w.jail)).To(Succeed())
		Expect(s.run("pwd")).To(BeRefused(envelope.ExecutorError, "the jail root is gone"))
		Expect(os.Mkdir(w.jail, 0o755)).To(Succeed())
		Expect(s.run("pwd")).To(BeRefused(envelope.ExecutorError, "the jail root is gone"))
	})

	It("says what is wrong with a directory inside", func() {
		w.write(filepath.Join(w.jail, "f"), "")
		s := w.serve()
		Expect(s.runIn("nope", "pwd")).To(BeRefused(envelope.ExecutorError, "working directory does not exist"))
		Expect(s.runIn("f", "pwd")).To(BeRefused(envelope.ExecutorError, "not a directory"))
	})

	It("survives a directory that is swapped for a symlink between check and use", func() {
		calls := times("FEATURES_RACE_CALLS", 1000)
		sw, real, link := filepath.Join(w.jail, "sw"), filepath.Join(w.jail, "real"), filepath.Join(w.jail, "link")
		Expect(os.Mkdir(real, 0o755)).To(Succeed())
		Expect(os.Symlink("../out", link)).To(Succeed())
		w.write(filepath.Join(real, "secret.txt"), "inside")
		s := w.serve()

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
				os.Rename(link, sw)
				os.Rename(sw, link)
			}
		})
		codes := map[envelope.ResultCode]int{}
		for range calls {
			r := s.runIn("sw", "cat secret.txt")
			Expect(r.Stdout + r.Stderr).NotTo(ContainSubstring("OUTSIDE"))
			codes[r.Code]++
		}
		close(stop)
		swapping.Wait()
		Expect(codes).To(HaveKey(envelope.OK), "the race was not run: %v", codes)
		Expect(codes).To(HaveKey(envelope.CwdEscape), "the race was not run: %v", codes)
	})
})
