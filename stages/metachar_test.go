package stages_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"hardened-terminal-mcp/envelope"
	. "hardened-terminal-mcp/pipeline/pipelinetest"
	"hardened-terminal-mcp/stages"
)

var _ = Describe("Metachar", func() {
	DescribeTable("refuses", func(ctx SpecContext, line string, words ...string) {
		Expect(stages.Metachar{}.Check(ctx, asked(line))).To(StopWith(envelope.PolicyDenied, append(words, "metachar: ")...))
	},
		Entry("a second command", "ls ; id", "';' at byte 3", "one command per call"),
		Entry("a second command, glued", "ls;id", "';' at byte 2"),
		Entry("a background command", "sleep 9 &", "'&' at byte 8"),
		Entry("a conditional command", "true && id", "'&' at byte 5"),
		Entry("a pipe", "cat a.txt | wc -l", "'|' at byte 10", "pipes are not supported"),
		Entry("a pipe inside quotes", `grep -E "a|b" a.txt`, "'|' at byte 10", "quoted or not"),
		Entry("a redirection", "echo x > f", "'>' at byte 7", "redirection"),
		Entry("a process substitution", "cat <(id)", "'<' at byte 4"),
		Entry("a backslash", `echo a\ b`, `'\' at byte 6`),
		Entry("a backslash inside single quotes, which other parsers misread", `echo 'a\' ';id;'`, `'\' at byte 7`),
		Entry("a backtick", "echo `id`", "'`' at byte 5", "command substitution"),
		Entry("a command substitution", "echo $(id)", "'$(' at byte 5", "command substitution"),
		Entry("a parameter expansion", "echo ${HOME}", "'${' at byte 5", "variables are not expanded"),
		Entry("a newline", "ls\nid", "a newline (U+000A) at byte 2", "one command per call"),
		Entry("a newline inside quotes", "echo 'a\nb'", "U+000A"),
		Entry("a carriage return", "ls\rid", "U+000D"),
		Entry("a NUL", "cat a\x00b", "a control character (U+0000) at byte 5"),
		Entry("an escape, which repaints the reviewer's terminal", "echo \x1b[2Jx", "U+001B"),
		Entry("a delete", "ls\x7f", "U+007F"),
		Entry("a C1 control, which is an escape in one byte", "echo \u009b2J", "U+009B"),
		Entry("a zero-width space", "ls\u200b", "an invisible character (U+200B) at byte 2"),
		Entry("a bidirectional override", "echo \u202etxt", "U+202E"),
		Entry("a byte order mark", "\ufeffls", "U+FEFF"),
		Entry("a line separator, which some readers end a line at", "echo a\u2028id", "a newline (U+2028)"),
		Entry("a Hangul filler", "ls \u3164", "U+3164"),
		Entry("a blank Braille pattern", "ls \u2800", "U+2800"),
		Entry("a combining grapheme joiner", "ls \u034f", "U+034F"),
		Entry("a variation selector, in which text can hide", "echo \U000e0101", "U+E0101"),
		Entry("a tag character, which hides text from people", "echo \U000e0041", "U+E0041"),
	)

	DescribeTable("lets pass", func(ctx SpecContext, line string) {
		Expect(stages.Metachar{}.Check(ctx, asked(line))).To(Proceed())
	},
		Entry("plain words", "ls -la src"),
		Entry("a TAB", "ls\t-la"),
		Entry("a variable, which is passed on as it is", "echo $HOME"),
		Entry("globs, braces and a tilde, which mean nothing here", "ls *.go {a,b} ~ !x [a] a?"),
		Entry("parentheses and a hash", "find . ( -name x ) # y"),
		Entry("an emoji and its selector", "echo \u2764\ufe0f"),
		Entry("text in any script", "grep é日本 ⟨x⟩"),
	)
})
