package features_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const module = "hardened-terminal-mcp"

// listed is a package as `go list` sees it, its tests left out.
type listed struct {
	ImportPath string
	Imports    []string
}

func (p listed) name() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
}

var _ = Describe("The architecture", Ordered, func() {
	var packages []listed

	BeforeAll(func() {
		out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"/...").Output()
		Expect(err).NotTo(HaveOccurred())
		for d := json.NewDecoder(strings.NewReader(string(out))); ; {
			var p listed
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else {
				Expect(err).NotTo(HaveOccurred())
			}
			packages = append(packages, p)
		}
		Expect(len(packages)).To(BeNumerically(">", 10))
	})

	// ours are the packages of this module that p imports.
	ours := func(p listed) []string {
		var out []string
		for _, i := range p.Imports {
			if rest, ok := strings.CutPrefix(i, module+"/"); ok {
				out = append(out, rest)
			}
		}
		return out
	}

	DescribeTable("lets a package import of ours only what stands below it:", func(who string, may ...string) {
		checked := 0
		for _, p := range packages {
			if ok, _ := filepath.Match(who, p.name()); !ok {
				continue
			}
			checked++
			for _, i := range ours(p) {
				Expect(may).To(ContainElement(i), "%s imports %s", p.name(), i)
			}
		}
		Expect(checked).To(BeNumerically(">", 0))
	},
		Entry("envelope nothing", "envelope"),
		Entry("config nothing", "config"),
		Entry("pipeline the envelope", "pipeline", "envelope"),
		Entry("pipelinetest both", "pipeline/pipelinetest", "envelope", "pipeline"),
		Entry("the hard parts nothing: they know no Exchange", "stages/*"),
		Entry("the stages what they are made of", "stages", "envelope", "pipeline", "config",
			"stages/argv", "stages/jailpath", "stages/sandbox", "stages/secrets", "stages/trail"),
		Entry("the transport the chain and the policy", "cmd/stdio", "envelope", "pipeline", "config"),
		Entry("the program only cmd", "cmd/hardened-terminal-mcp", "cmd"),
	)

	DescribeTable("keeps a library to the packages that need it:", func(library string, homes ...string) {
		users := 0
		for _, p := range packages {
			uses := slices.ContainsFunc(p.Imports, func(i string) bool { return i == library || strings.HasPrefix(i, library+"/") })
			if !uses {
				continue
			}
			users++
			Expect(homes).To(ContainElement(p.name()), "%s imports %s", p.name(), library)
		}
		Expect(users).To(BeNumerically(">", 0), "nobody uses %s any more", library)
	},
		Entry("mcp-go", "github.com/mark3labs/mcp-go", "cmd/stdio"),
		Entry("koanf", "github.com/knadh/koanf", "config"),
		Entry("go-toml", "github.com/pelletier/go-toml", "config"),
		Entry("regexp2", "github.com/dlclark/regexp2", "stages/secrets"),
		Entry("cobra", "github.com/spf13/cobra", "cmd"),
		Entry("x/sys", "golang.org/x/sys", "stages/sandbox", "stages/jailpath", "stages/trail", "cmd/stdio"),
		Entry("ginkgo and gomega, outside tests", "github.com/onsi", "pipeline/pipelinetest"),
	)

	It("starts processes in the sandbox alone", func() {
		for _, p := range packages {
			if p.name() != "stages/sandbox" {
				Expect(p.Imports).NotTo(ContainElement("os/exec"), p.name())
			}
		}
	})

	It("has the top level that is documented", func() {
		entries, err := os.ReadDir("..")
		Expect(err).NotTo(HaveOccurred())
		var dirs []string
		for _, e := range entries {
			if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && e.Name() != "node_modules" {
				dirs = append(dirs, e.Name())
			}
		}
		Expect(dirs).To(ConsistOf("cmd", "config", "envelope", "features", "pipeline", "stages"))
	})

	It("has neither init functions nor blank imports", func() {
		Expect(filepath.WalkDir("..", func(path string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "node_modules") {
				return filepath.SkipDir
			}
			if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			text, err := os.ReadFile(path)
			Expect(err).NotTo(HaveOccurred())
			Expect(string(text)).NotTo(MatchRegexp(`(?m)^func init\(\)`), path)
			if !strings.Contains(string(text), "//go:embed") {
				Expect(string(text)).NotTo(MatchRegexp(`(?m)^\s*(import )?_ "`), path)
			}
			return nil
		})).To(Succeed())
	})
})
