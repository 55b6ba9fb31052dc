package argv_test

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/stages/argv"
)

var _ = Describe("A command line", func() {
	DescribeTable("is cut into words", func(line string, want ...string) {
		words, err := argv.Split(line)
		Expect(err).NotTo(HaveOccurred())
		Expect(words).To(Equal(want))
	},
		Entry("at blanks, however many", " ls \t -la  ", "ls", "-la"),
		Entry("not inside quotes", `grep 'a b' "c d"`, "grep", "a b", "c d"),
		Entry("joining what touches", `gh''p_"x"y`, "ghp_xy"),
		Entry("keeping an empty word", `echo '' ""`, "echo", "", ""),
		Entry("keeping the other quote inside", `echo "it's" '"'`, "echo", "it's", `"`),
		Entry("with no comments", "echo a #b", "echo", "a", "#b"),
		Entry("with no expansion", "echo $HOME ~ *", "echo", "$HOME", "~", "*"),
		Entry("not at exotic blanks", "ls\u00a0-l\u3000x", "ls\u00a0-l\u3000x"),
		Entry("a backslash being an ordinary character", `echo a\b 'c\'`, "echo", `a\b`, `c\`),
		Entry("a newline being an ordinary character", "ls\nid", "ls\nid"),
	)

	It("has no words when it is empty or blank", func() {
		Expect(argv.Split(" \t ")).To(BeEmpty())
	})

	DescribeTable("is refused when it", func(line string, want string) {
		words, err := argv.Split(line)
		Expect(words).To(BeNil())
		Expect(err).To(MatchError(want))
	},
		Entry("leaves a double quote open", `echo "a`, `the " at byte 5 is never closed`),
		Entry("leaves a single quote open", `echo 'a"`, `the ' at byte 5 is never closed`),
		Entry("is not UTF-8", "echo \xff", "the command is not valid UTF-8"),
	)

	It("is cut as Python's shlex.split cuts it, on the whole corpus", func() {
		f, err := os.Open("testdata/shlex.jsonl")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(f.Close)
		n := 0
		for s := bufio.NewScanner(f); s.Scan(); n++ {
			var c struct {
				Line string
				Argv []string
			}
			Expect(json.Unmarshal(s.Bytes(), &c)).To(Succeed())
			words, err := argv.Split(c.Line)
			if c.Argv == nil {
				Expect(err).To(HaveOccurred(), "line %q", c.Line)
				continue
			}
			Expect(err).NotTo(HaveOccurred(), "line %q", c.Line)
			Expect(slices.Equal(words, c.Argv)).To(BeTrue(), "line %q: %q, want %q", c.Line, words, c.Argv)
		}
		Expect(n).To(BeNumerically(">=", 5000))
	})
})

var _ = Describe("A hint", func() {
	DescribeTable("names what a shell would have done", func(words []string, want string) {
		Expect(argv.Hint(words)).To(HavePrefix(want))
	},
		Entry("a glob", []string{"ls", "*.txt"}, "hint: globs are not expanded"),
		Entry("a tilde", []string{"ls", "~/x"}, "hint: '~' is not expanded"),
		Entry("a variable", []string{"ls", "$HOME"}, "hint: variables are not expanded"),
	)

	It("is silent about plain words and about the command itself", func() {
		Expect(argv.Hint([]string{"a*b", "-l", "x"})).To(BeEmpty())
		Expect(argv.Hint([]string{"grep", "end$", "a"})).To(BeEmpty())
		Expect(argv.Hint(nil)).To(BeEmpty())
	})
})

func FuzzSplit(f *testing.F) {
	for _, s := range []string{"", "ls -la", `a 'b c' "d"`, `"`, "'\"'", "\xff", "a\x00b", "é\u200b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words, err := argv.Split(line)
		if err != nil {
			return
		}
		for _, w := range words {
			if !utf8.ValidString(w) {
				t.Fatalf("%q: a word is not UTF-8: %q", line, w)
			}
		}
		quoted := make([]string, len(words))
		for i, w := range words { // every word, quoted by the book, must come back whole
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'"'"'`) + "'"
		}
		again, err := argv.Split(strings.Join(quoted, " "))
		if err != nil || !slices.Equal(again, words) {
			t.Fatalf("%q: %q came back as %q, %v", line, words, again, err)
		}
	})
}
