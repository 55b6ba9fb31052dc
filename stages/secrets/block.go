package secrets

import "strings"

// A private key is taken from its BEGIN line to its END line, whatever stands
// between: indentation, escaped line ends, log prefixes. When one of the two
// lines is missing the body is followed as far as it looks like one.

// privateLabel reports whether the rest of a BEGIN or END line names a private
// key, and returns the length of the line's armour after the word.
func privateLabel(s string) (n int, ok bool) {
	n = strings.Index(s[:min(len(s), 80)], "----")
	if n < 0 {
		return 0, false
	}
	label := s[:n]
	if strings.ContainsAny(label, "\n\\") || !strings.Contains(label, "PRIVATE KEY") {
		return 0, false
	}
	for n < len(s) && s[n] == '-' {
		n++
	}
	return n, true
}

// begin handles the BEGIN line whose dashes end at v.s[at].
func (v *view) begin(at int) {
	s := v.s
	if at < v.block {
		return
	}
	label := at + strings.Index(s[at:], "BEGIN ") + len("BEGIN ")
	n, ok := privateLabel(s[label:])
	if !ok {
		return
	}
	start := dashesBefore(s, at)
	body := label + n
	end := v.blockEnd(body)
	if end == 0 {
		end = armour(s, body)
	}
	if end == 0 {
		return
	}
	v.add(start, end, "private_key", byShape)
	v.block, v.until = end, max(v.until, end)
}

func dashesBefore(s string, at int) int {
	for n := max(0, at-8); at > n && s[at-1] == '-'; at-- {
	}
	return at
}

// blockEnd finds the END line that belongs to a body, 0 when another block
// begins first or none comes.
func (v *view) blockEnd(body int) int {
	s := v.s[body:min(len(v.s), body+holdBlock)]
	if next := strings.Index(s, "BEGIN "); next > 0 && strings.IndexByte("- ", s[next-1]) >= 0 {
		s = s[:next]
	}
	for _, mark := range []string{"----END ", "---- END "} {
		i := strings.Index(s, mark)
		if i < 0 {
			continue
		}
		if n, ok := privateLabel(s[i+len(mark):]); ok {
			return body + i + len(mark) + n
		}
	}
	return 0
}

// armour follows the body of a block without an END from s[i] on. It returns
// 0 when there is no body, so that a BEGIN line quoted in prose stays.
func armour(s string, i int) int {
	last, lines := 0, 0
	for i < len(s) {
		end := lineEnd(s, i)
		line := s[i:end]
		switch {
		case bodyLine(line), lines > 0 && shortBody(line):
			lines++
			last = i + len(strings.TrimRight(line, " \t\r\"',;"))
		case strings.TrimSpace(line) == "" || headerLine(line) || i == end:
		case lines == 0 && strings.TrimLeft(line, "-\\nr\"'`, ") == "":
		default:
			if n := bodyPrefix(line); n > 0 && lines+n > 40 {
				last = i + n
			}
			return last
		}
		if end >= len(s) {
			break
		}
		i = end
		if s[i] == '\n' {
			i++
		}
	}
	return last
}

// bodyPrefix is how much of a line is body written on one line, with escaped
// line ends or blanks.
func bodyPrefix(line string) int {
	n, longest, run := 0, 0, 0
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case base64Chars[c] || c == '=':
			run++
			longest = max(longest, run)
			n = i + 1
		case c == '\\' && i+1 < len(line) && strings.IndexByte("nrt\\", line[i+1]) >= 0:
			run = 0
			i++
		case c == ' ' && run >= 16 || c == ' ' && longest == 0:
			run = 0
		default:
			i = len(line)
		}
	}
	if longest < 16 {
		return 0
	}
	return n
}

// bodyLine reports a line that ends in base64, possibly after a prefix: a log
// stamp, a line number, a + or > or quote.
func bodyLine(line string) bool {
	line = strings.TrimRight(line, " \t\r\n\"',;+\\")
	for strings.HasSuffix(line, "\\n") || strings.HasSuffix(line, "\\r") {
		line = strings.TrimRight(line[:len(line)-2], "\\")
	}
	i := len(line)
	for i > 0 && (base64Chars[line[i-1]] || line[i-1] == '=') {
		i--
	}
	run := line[i:]
	if len(run) < 4 {
		return false
	}
	before := strings.TrimRight(line[:i], " \t")
	switch {
	case len(run) >= 40:
		return true
	case before == "" || strings.Trim(before, "+->|#*\"'`:0123456789. \t") == "":
		return len(run) >= 16 || strings.HasSuffix(run, "=") || allClasses(run) || len(run)%4 == 0 && looksRandom(run)
	}
	return len(run) >= 16 && (allClasses(run) || strings.HasSuffix(run, "=="))
}

// shortBody reports a line of nothing but base64, too short to be told from a
// word: behind a body it is the line where the output was cut.
func shortBody(line string) bool {
	line = strings.Trim(line, " \t\r\n")
	if len(line) < 8 {
		return false
	}
	for i := 0; i < len(line); i++ {
		if !base64Chars[line[i]] && line[i] != '=' {
			return false
		}
	}
	return true
}

// headerLine reports the headers that may stand in a block.
func headerLine(line string) bool {
	line = strings.TrimLeft(line, " \t>|+-\"'")
	for _, h := range []string{"Proc-Type:", "DEK-Info:", "Version:", "Comment:", "Hash:", "Charset:", "MessageID:", "Subject:", "x-"} {
		if strings.HasPrefix(line, h) {
			return true
		}
	}
	return false
}

// armourLine reports a line that may belong to a key block, for where a
// stream may be cut.
func armourLine(line string) bool {
	t := strings.TrimSpace(line)
	return bodyLine(line) || shortBody(line) || headerLine(t) || strings.Contains(t, "-----BEGIN ")
}

// end handles the END line whose dashes end at v.s[at]: when no BEGIN took it,
// the lines above it that look like a body go.
func (v *view) end(at int) {
	s := v.s
	if at < v.block {
		return
	}
	label := at + strings.Index(s[at:], "END ") + len("END ")
	n, ok := privateLabel(s[label:])
	if !ok {
		return
	}
	start := dashesBefore(s, at)
	floor := max(v.block, start-holdBlock)
	from, lines := start, 0
	line := s[max(floor, lineStart(s, start)):start]
	if n := bodySuffix(line); n > 0 {
		from, lines = start-n, 1
	} else if t := strings.Trim(line, " \t+->|\"'\\nr"); t != "" && !strings.HasSuffix(t, ":") && len(line) > 40 {
		floor = start
	}
	for end := start - len(line); end > floor && lines < 2000 && len(line) < 4096; {
		begin := strings.LastIndexByte(s[floor:end-1], '\n') + 1 + floor
		if !bodyLine(s[begin:end]) && strings.TrimSpace(s[begin:end]) != "" && !headerLine(s[begin:end]) {
			break
		}
		if bodyLine(s[begin:end]) {
			from = begin + len(s[begin:end]) - len(strings.TrimLeft(s[begin:end], " \t"))
			lines++
		}
		end = begin
	}
	if lines == 0 {
		return
	}
	v.block = label + n
	v.until = max(v.until, v.block)
	v.add(from, v.block, "private_key", byShape)
}

// bodySuffix is how much of the end of a line is body written on one line.
func bodySuffix(line string) int {
	i, longest, run := len(line), 0, 0
	for i > 0 {
		c := line[i-1]
		switch {
		case (c == 'n' || c == 'r') && i > 1 && line[i-2] == '\\':
			i--
			for i > 0 && line[i-1] == '\\' {
				i--
			}
			run = 0
			continue
		case base64Chars[c] || c == '=':
			run++
			longest = max(longest, run)
		case c == ' ' && (run == 0 || run >= 16):
			run = 0
		default:
			if longest < 16 {
				return 0
			}
			return len(line) - i
		}
		i--
	}
	if longest < 16 {
		return 0
	}
	return len(line)
}

// putty takes the private lines of a PuTTY key file. v.s[i] stands after
// "Private-Lines:".
func (v *view) putty(i int) {
	s := v.s
	i = skipBlanks(s, i)
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	if end := armour(s, i); end > 0 {
		start := i
		for start < end && (isSpace(s[start]) || s[start] == '\\' || s[start] == 'n' && s[start-1] == '\\' || s[start] == 'r' && s[start-1] == '\\') {
			start++
		}
		v.add(start, end, "private_key", byShape)
		v.block, v.until = end, max(v.until, end)
	}
}
