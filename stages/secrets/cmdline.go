package secrets

import "strings"

// commandLine looks at the command line in the text that holds the keyword at
// v.s[at]: the name of a tool, or -p.
func (v *view) commandLine(at int) {
	s := v.s
	if at < v.line {
		return
	}
	start := commandStart(s, at)
	words, list := commandWords(s, start)
	if len(words) < 2 {
		return
	}
	v.line = max(v.line, at+1)
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = s[w.Start:w.End]
	}
	for _, p := range toolSecrets(texts, list) {
		w := words[p.word]
		v.take(w.Start+p.from, w.Start+p.to, "flag_value")
	}
	if end := words[len(words)-1].End; end > at {
		v.line = end
	}
}

// commandStart finds where the command that holds s[at] begins: a line, or
// after a prompt, a quote, a pipe or a semicolon.
func commandStart(s string, at int) int {
	from := max(lineStart(s, at), at-512)
	i := at
	for i > from {
		c := s[i-1]
		if c == '|' || c == ';' || c == '&' || c == '(' || c == '`' || c == '[' {
			break
		}
		if (c == '"' || c == '\'') && !listBefore(s, i) {
			break
		}
		if c == 'n' && i-2 >= from && s[i-2] == '\\' {
			break
		}
		i--
	}
	for {
		i = skipBlanks(s, i)
		switch rest := s[i:min(len(s), i+10)]; {
		case rest == "" || i >= at:
			return min(i, at)
		case (rest[0] == '$' || rest[0] == '+' || rest[0] == '#' || rest[0] == '>' || rest[0] == '%') && len(rest) > 1 && (rest[1] == ' ' || rest[1] == rest[0]):
			i++
		case strings.HasPrefix(rest, "RUN ") || strings.HasPrefix(rest, "CMD "):
			i += 4
		case isDigit(rest[0]), rest[0] == '-' && len(rest) > 1 && rest[1] == ' ':
			n := strings.IndexByte(s[i:at], ' ')
			if n < 0 {
				return at
			}
			i += n
		case promptEnd(s, i, at) > i:
			i = promptEnd(s, i, at)
		default:
			return toolStart(s, i, at)
		}
	}
}

// listBefore reports whether the quote before s[i] belongs to a list of quoted
// words rather than to a string that holds the command.
func listBefore(s string, i int) bool {
	rest := s[i:min(len(s), i+4)]
	if strings.HasPrefix(rest, ", ") || strings.HasPrefix(rest, ",") {
		return true
	}
	j := i - 2
	for j >= 0 && isBlank(s[j]) {
		j--
	}
	return j >= 0 && s[j] == ','
}

// promptEnd skips user@host:~$ and the like.
func promptEnd(s string, i, at int) int {
	n := strings.IndexAny(s[i:at], "$#>%")
	if n <= 0 || n > 80 || i+n+1 >= len(s) || s[i+n+1] != ' ' {
		return i
	}
	if p := s[i : i+n]; strings.ContainsAny(p, "@:~]") || strings.HasPrefix(p, "PS ") {
		return i + n + 1
	}
	return i
}

// toolStart is where the keyword's own word begins, when it is the name of a
// tool that stands further right on the line (as in the output of ps).
func toolStart(s string, i, at int) int {
	end := at
	for end < len(s) && nameChars[s[end]] {
		end++
	}
	word := s[at:end]
	if t := toolNamed(word, []string{word, "login", "secret"}); t != nil && word[0] != '-' {
		if at == 0 || !nameChars[s[at-1]] {
			for at > i && s[at-1] > ' ' && !isQuote(s[at-1]) {
				at--
			}
			return at
		}
	}
	return i
}

// commandWords splits the command that begins at s[start] into words and
// returns where they stand, without their quotes. list reports that the words
// were given one by one, as JSON or as a language prints a list.
func commandWords(s string, start int) (words []Span, list bool) {
	i := start
	end := lineEnd(s, start)
	for len(words) < 256 {
		for i < end && (isBlank(s[i]) || list && (s[i] == ',' || s[i] == '\n')) {
			i++
		}
		if i >= end {
			return words, list
		}
		level, quote := openQuote(s[:end], i)
		if quote != 0 {
			from := i + level + 1
			to, _ := quoteEnd(s[:end], from, quote, level)
			words = append(words, Span{Start: from, End: to})
			i = min(end, to+level+1)
			if i < end && s[i] == ',' {
				list = true
			} else if list {
				return words, list
			}
			continue
		}
		if list || strings.IndexByte("|;&)]", s[i]) >= 0 {
			return words, list
		}
		from := i
		for i < end && !isBlank(s[i]) && !isQuote(s[i]) && !(s[i] == '\\' && escapesEnd(s[i:end])) {
			i++
		}
		to := i
		if i < end && !isBlank(s[i]) {
			level, quote := openQuote(s[:end], i)
			head := s[from:to]
			switch {
			case quote != 0 && len(words) == 0 && i+level+1 < end && s[i+level+1] == ',': // the first of a list
				words = append(words, Span{Start: from, End: to})
				i += level + 1
				list = true
				continue
			case quote != 0 && (strings.HasSuffix(head, "=") || strings.HasSuffix(head, ":") || len(head) == 2 && head[0] == '-'):
				last, _ := quoteEnd(s[:end], i+level+1, quote, level)
				words = append(words, Span{Start: from, End: last})
				i = min(end, last+level+1)
				continue
			default: // the string that holds the command ends
				if to > from {
					words = append(words, Span{Start: from, End: to})
				}
				return words, list
			}
		}
		words = append(words, Span{Start: from, End: to})
	}
	return words, list
}
