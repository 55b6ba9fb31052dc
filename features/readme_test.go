package features_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/config"
	"hardened-terminal-mcp/envelope"
)

var _ = Describe("The README", func() {
	var text string

	BeforeEach(func() {
		data, err := os.ReadFile("../README.md")
		Expect(err).NotTo(HaveOccurred())
		text = string(data)
	})

	It("links only to files that exist", func() {
		links := regexp.MustCompile(`\]\(([^)#:]+)\)`).FindAllStringSubmatch(text, -1)
		Expect(len(links)).To(BeNumerically(">", 12))
		for _, link := range links {
			Expect(filepath.Join("..", link[1])).To(BeAnExistingFile())
		}
	})

	It("names every guarantee that has a spec file", func() {
		files, err := filepath.Glob("*_test.go")
		Expect(err).NotTo(HaveOccurred())
		found := 0
		for _, file := range files {
			data, err := os.ReadFile(file)
			Expect(err).NotTo(HaveOccurred())
			if strings.Contains(string(data), `Describe("`+`Guarantee: `) {
				found++
				Expect(text).To(ContainSubstring("features/" + file))
			}
		}
		Expect(found).To(BeNumerically(">", 7))
	})

	It("names every code, variable and profile", func() {
		for _, code := range envelope.Codes() {
			Expect(text).To(ContainSubstring("`" + string(code) + "`"))
		}
		for _, name := range []string{config.PolicyFileVar, config.JailRootVar, config.AuditLogVar, config.AuditFailModeVar} {
			Expect(text).To(ContainSubstring("`" + name + "`"))
		}
		for _, name := range config.Profiles() {
			Expect(text).To(ContainSubstring("`" + name + "`"))
		}
	})

	It("shows the example fork as it is", func() {
		fork, err := os.ReadFile("../cmd/example-fork/main.go")
		Expect(err).NotTo(HaveOccurred())
		_, code, found := strings.Cut(string(fork), "func main()")
		Expect(found).To(BeTrue())
		Expect(text).To(ContainSubstring("func main()" + code))
	})

	It("shows what a refused command really says", func() {
		w := newWorld()
		c := exec.Command(binary, "explain", "--profile", "explorer", "cat notes.txt | wc -l")
		c.Env, c.Dir = w.env, w.jail
		Expect(text).To(ContainSubstring("# " + finish(c).stderr))
	})
})
