package secrets

import "strings"

// pairValue finds the value of a pair whose first half names the secret:
//
//   - name: KEY           {"name": "KEY", "value": "v"}
//     value: v            <add key="KEY" value="v"/>
func pairValue(s string, i int) (int, bool) {
	end := min(len(s), i+80)
	j := i
	newline := false
	for j < end && (isSpace(s[j]) || strings.IndexByte("\"'\\,;-+|", s[j]) >= 0) {
		newline = newline || s[j] == '\n'
		j++
	}
	if j < end && s[j] == '<' && j+1 < end && s[j+1] == '/' {
		if k := strings.IndexByte(s[j:end], '>'); k >= 0 {
			j = skipSpace(s, j+k+1)
		}
	}
	if j < end && s[j] == '<' {
		j++
	}
	from := j
	for j < end && nameChars[s[j]] {
		j++
	}
	word := strings.ToLower(s[from:j])
	if strings.Contains(word, ".") || !strings.HasSuffix(word, "value") && word != "string" && word != "val" && word != "content" {
		return 0, false
	}
	j, _ = closeQuote(s, j)
	if word == "string" && (j >= len(s) || s[j] != '>') {
		return 0, false
	}
	j = skipBlanks(s, j)
	if j >= end || strings.IndexByte(":=>", s[j]) < 0 {
		return 0, false
	}
	return skipBlanks(s, j+1), true
}

// blockScalar finds the lines of a YAML block scalar that begins at s[i].
func blockScalar(s string, start, i int) (from, to int, ok bool) {
	if i >= len(s) || s[i] != '|' && s[i] != '>' {
		return 0, 0, false
	}
	j := i + 1
	for j < len(s) && (s[j] == '-' || s[j] == '+' || isDigit(s[j]) || isBlank(s[j]) || s[j] == '\r') {
		j++
	}
	if j >= len(s) || s[j] != '\n' {
		return 0, 0, false
	}
	indent := start - lineStart(s, start)
	for at := j + 1; at < len(s); {
		end := lineEnd(s, at)
		text := skipBlanks(s[:end], at)
		if text < end && s[text] != '\r' {
			if text-at <= indent {
				break
			}
			if from == 0 {
				from = text
			}
			to = end
		}
		if end >= len(s) || s[end] != '\n' {
			break
		}
		at = end + 1
	}
	if from == 0 || markerLen(s[from:]) == to-from || strings.HasPrefix(s[from:], "-----BEGIN") {
		return 0, 0, false
	}
	return from, to, true
}
