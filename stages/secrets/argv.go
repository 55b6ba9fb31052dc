package secrets

import (
	"slices"
	"strings"
)

// Argv redacts an argument vector: each element as a text, and besides that
// the values whose flag or key stands in another element. The result has the
// length of argv, which is not changed.
func (r *Redactor) Argv(argv []string) []string {
	out := slices.Clone(argv)
	if !r.enabled {
		return out
	}
	for i, spans := range r.argvSpans(argv) {
		switch {
		case len(spans) == 1 && strings.HasSuffix(spans[0].Name, timedOut):
			out[i] = marker(spans[0].Name)
		case len(spans) > 0:
			out[i] = splice(argv[i], len(argv[i]), spans).Text
		}
	}
	return out
}

// argvSpans returns the spans of each element.
func (r *Redactor) argvSpans(argv []string) [][]Span {
	out := make([][]Span, len(argv))
	for i, a := range argv {
		out[i] = r.Text(a).Spans
	}
	add := func(word, from, to int) {
		if markerLen(argv[word][from:to]) == to-from {
			return
		}
		out[word] = merge(append(slices.Clone(out[word]), Span{Start: from, End: to, Name: "flag_value", rank: byName}))
	}
	for _, p := range toolSecrets(argv, true) {
		add(p.word, p.from, p.to)
	}
	for i := 0; i+1 < len(argv); i++ {
		if valueFollows(argv, i) {
			add(i+1, 0, len(argv[i+1]))
		}
	}
	return out
}

// valueFollows reports whether argv[i] names a secret that is argv[i+1].
func valueFollows(argv []string, i int) bool {
	name, v := argv[i], argv[i+1]
	if v == "" || name == "" || len(name) > maxName {
		return false
	}
	for k := 0; k < len(name); k++ {
		if !nameChars[name[k]] {
			return authHeaderName(name) && k == len(name)-1
		}
	}
	s, _ := judge(name)
	if s == no || v == "-" {
		return false
	}
	if name[0] == '-' {
		if strings.HasPrefix(v, "--") || strings.HasPrefix(v, "id=") || isPath(v) || s == weak && (isURL(v) || isWord(v)) {
			return false
		}
		if s == basic {
			return strings.Contains(v, ":") && !isURL(v)
		}
		return s == strong || len(v) >= 8 && (randomish(v) || !strings.HasSuffix(strings.ToLower(name), "key"))
	}
	if i > 0 && (argv[i-1] == "set" || argv[i-1] == "config") || i == 1 && argv[0] == "setx" {
		return s == strong && v[0] != '-'
	}
	return s == strong && v[0] != '-' && randomish(v)
}

// authHeaderName reports a header name given apart from its value.
func authHeaderName(name string) bool {
	return equalFold(name[:min(len(name), 13)], "authorization"[:min(len(name), 13)]) && strings.HasSuffix(name, ":") && len(name) == 14
}

// Command redacts the line that argv was parsed from, for the audit trail: the
// line as a text, and everything that is masked in argv, also where quotes
// inside the line hid it. argv may be nil, when the line could not be parsed.
func (r *Redactor) Command(raw string, argv []string) string {
	if !r.enabled {
		return raw
	}
	spans, slow := r.find(raw)
	if slow != "" {
		return withheld(raw, slow).Text
	}
	words := shellWords(raw)
	texts := make([]string, len(words))
	for i := range words {
		texts[i] = words[i].text
	}
	for i, found := range r.argvSpans(texts) {
		for _, sp := range found {
			sp.Start, sp.End = words[i].span(sp.Start, sp.End)
			spans = append(spans, sp)
		}
	}
	if !slices.Equal(texts, argv) {
		more, ok := r.literal(raw, argv)
		if !ok {
			return marker("flag_value")
		}
		spans = append(spans, more...)
	}
	if len(spans) == 0 {
		return raw
	}
	return splice(raw, len(raw), merge(spans)).Text
}

// literal finds in raw, letter by letter, what is masked in argv. ok is false
// when something is nowhere to be found.
func (r *Redactor) literal(raw string, argv []string) (spans []Span, ok bool) {
	for i, found := range r.argvSpans(argv) {
		for _, sp := range found {
			secret := argv[i][sp.Start:sp.End]
			if len(secret) < 4 {
				continue
			}
			seen := false
			for at := 0; ; {
				n := strings.Index(raw[at:], secret)
				if n < 0 {
					break
				}
				seen = true
				spans = append(spans, Span{Start: at + n, End: at + n + len(secret), Name: sp.Name, rank: sp.rank})
				at += n + len(secret)
			}
			if !seen {
				return nil, false
			}
		}
	}
	return spans, true
}

// A shellWord is a word of a command line without its quoting, and where each
// of its bytes stood.
type shellWord struct {
	text string
	at   []int
}

// span maps bytes of the word to the line, with the quoting between them.
func (w *shellWord) span(start, end int) (from, to int) {
	return w.at[start], w.at[end-1] + 1
}

// shellWords splits a line as a POSIX shell would, as far as quotes and
// backslashes go. A quote that is not closed runs to the end.
func shellWords(line string) []shellWord {
	var out []shellWord
	var text []byte
	var at []int
	inWord := false
	var quote byte
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote == 0 && isSpace(c):
			if inWord {
				out = append(out, shellWord{string(text), at})
				text, at, inWord = nil, nil, false
			}
			continue
		case quote == 0 && (c == '"' || c == '\''):
			quote, inWord = c, true
			continue
		case c == quote:
			quote = 0
			continue
		case c == '\\' && quote != '\'' && i+1 < len(line) && (quote == 0 || strings.IndexByte("\"\\$`", line[i+1]) >= 0):
			i++
		}
		inWord = true
		text, at = append(text, line[i]), append(at, i)
	}
	if inWord {
		out = append(out, shellWord{string(text), at})
	}
	return out
}
