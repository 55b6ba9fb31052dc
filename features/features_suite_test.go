package features_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestFeatures(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "features")
}

// binary is the program under test, built once for all processes of the run.
var binary string

var _ = SynchronizedBeforeSuite(func() []byte {
	dir, err := os.MkdirTemp("", "features")
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(os.RemoveAll, dir)
	Expect(os.Chmod(dir, 0o755)).To(Succeed())
	build := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "../cmd/hardened-terminal-mcp", "../cmd/example-fork")
	out, err := build.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), string(out))
	return []byte(filepath.Join(dir, "hardened-terminal-mcp"))
}, func(path []byte) {
	binary = string(path)
})
