// Package argv turns a command line into an argv without a shell: quotes and
// blanks, nothing else. No variable, glob, tilde or comment means anything, and
// no character can start a second command.
package argv

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// ErrNotUTF8 is the fault of a line that is not valid UTF-8.
var ErrNotUTF8 = errors.New("the command is not valid UTF-8")

// An UnterminatedError is a quote that is never closed.
type UnterminatedError struct {
	Quote byte
	At    int // byte offset of the opening quote
}

func (e *UnterminatedError) Error() string {
	return fmt.Sprintf("the %c at byte %d is never closed", e.Quote, e.At)
}

// Split cuts a command line into its words. Blanks are space and TAB; what
// stands in '...' or "..." is literal and joins what it touches; a backslash is
// an ordinary character. For a line without backslash, CR and LF, which the
// metachar stage refuses, the words are those of Python's shlex.split: the rules
// of POSIX quoting, so that what an operator reads is what runs.
func Split(line string) ([]string, error) {
	if !utf8.ValidString(line) {
		return nil, ErrNotUTF8
	}
	var (
		words []string
		word  []byte
		open  bool // in a word, which may be empty: ''
		quote byte // the quote we are in, or 0
		at    int  // where it was opened
	)
	for i := range len(line) {
		c := line[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word = append(word, c)
		case c == '\'' || c == '"':
			quote, at, open = c, i, true
		case c == ' ' || c == '\t':
			if open {
				words, word, open = append(words, string(word)), word[:0], false
			}
		default:
			word, open = append(word, c), true
		}
	}
	if quote != 0 {
		return nil, &UnterminatedError{Quote: quote, At: at}
	}
	if open {
		words = append(words, string(word))
	}
	return words, nil
}
