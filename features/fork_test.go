package features_test

import (
	"os/exec"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A fork with a stage of its own", func() {
	It("is the same program with one more gate", func() {
		w := newWorld()
		w.allows("git echo")
		fork := func(args ...string) outcome {
			c := exec.Command(filepath.Join(filepath.Dir(binary), "example-fork"), args...)
			c.Env, c.Dir = append(w.env, w.settings()...), w.root
			return finish(c)
		}
		Expect(fork("run", "echo push").stdout).To(Equal("push\n"))
		o := fork("explain", "git push origin main")
		Expect(o.status).To(Equal(126))
		Expect(o.stderr).To(ContainSubstring("no-push: git push is not allowed here"))
		Expect(w.outcomes()).To(ContainElement(HaveKeyWithValue("policy_reason", HavePrefix("no-push: "))))
	})
})
