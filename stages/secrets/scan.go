package secrets

import "strings"

// A view is one way to look at the bytes of a text, and how to find the way
// back from it.
type view struct {
	s     string
	sc    *scanner
	back  mapping
	depth int  // how many encodings lie between the view and the text
	query bool // it was percent-encoded, so & ends a value

	named  int // where the last key name ended; one name may hold two keywords
	until  int // keyed hits before this lie inside a value that is taken
	block  int // key block hits before this are done with
	line   int // command line hits before this are done with
	listed int // cookies before this are done with
	ends   int // user:password@ before this is done with
	token  int // shape hits before this are taken
	tried  int // tokens that are tried once a run are not tried before this

	extentFrom, extentTo int // the last answer of extent
}

// maxDepth bounds encodings inside encodings.
const maxDepth = 3

// A scanner holds the buffers of one run over a text.
type scanner struct {
	r     *Redactor
	spans []Span
	slow  string // the extra pattern that did not finish
}

// add reports bytes [start, end) of the view as a secret.
func (v *view) add(start, end int, name string, r rank) {
	start, end = outsideMarkers(v.s, start, end)
	if start >= end || onlyMarkers(v.s[start:end]) {
		return
	}
	from, to := v.back.span(start, end)
	v.sc.spans = append(v.sc.spans, Span{Start: from, End: to, Name: name, rank: r})
}

// look runs every rule over the view and the views inside it.
func (v *view) look() {
	v.sc.r.rules.filter.scan(v.s, v)
	v.runs()
	v.tildes()
	v.percent()
}

// hit starts the rule that a keyword at v.s[at] calls for.
func (v *view) hit(w *keyword, at int) {
	switch w.rule.kind {
	case ruleShape:
		v.shape(&v.sc.r.rules.shapes[w.rule.shape], at, at+len(w.text))
	case ruleName:
		v.keyed(at)
	case ruleURL:
		v.userinfo(at)
	case ruleHeader:
		v.header(at, at+len(w.text))
	case ruleScheme:
		v.scheme(at, at+len(w.text))
	case ruleCookie:
		v.cookie(at + len("cookie"))
	case ruleBegin:
		v.begin(at)
	case ruleEnd:
		v.end(at)
	case rulePutty:
		v.putty(at + len(w.text))
	case ruleTool, ruleShortFlag:
		v.commandLine(at)
	case rulePgpass:
		v.pgpass(at)
	case ruleDSN:
		v.dsn(at)
	case ruleOracle:
		v.oracle(at + len(w.text))
	case ruleIdentified:
		v.identified(at, at+len(w.text))
	}
}

// shape tries a token pattern around the keyword [at, after). The pattern may
// begin before the keyword, but not further than its Before.
func (v *view) shape(sh *shape, at, after int) {
	if sh.Before > 0 {
		after = at
	}
	if after == len(v.s) || !afterKey[v.s[after]] || sh.solid && skipClass(v.s[:min(len(v.s), after+8)], after, &alnumChars) < after+8 {
		return
	}
	if at < v.token || sh.once && at < v.tried {
		return
	}
	if sh.alone && amongBase64(v.s, at) {
		return
	}
	end := v.extent(at)
	if sh.once {
		v.tried = end
	}
	from := max(0, at-sh.Before)
	m := sh.expr().FindStringSubmatchIndex(v.s[from:min(end, at+maxToken)])
	if m == nil {
		return
	}
	start, stop := from+m[0], from+m[1]
	if len(m) > 2 && m[2] >= 0 {
		start, stop = from+m[2], from+m[3]
	}
	if stop == at+maxToken {
		stop = end
	}
	if sh.accept != nil && !sh.accept(v.s[start:stop]) {
		return
	}
	v.token = stop
	v.add(start, stop, sh.Name, byShape)
}

// amongBase64 reports base64 characters before s[at] that are no escape's last.
func amongBase64(s string, at int) bool {
	switch {
	case at == 0 || !base64Chars[s[at-1]]:
		return false
	case at > 1 && s[at-2] == '\\':
		return strings.IndexByte("nrt", s[at-1]) < 0
	}
	return at < 3 || !escaped(s, at-3)
}

// maxToken is how much of a token an expression looks at; of a longer one the
// rest goes as well, as far as its characters go on.
const maxToken = 16 << 10

// extent is where the characters that tokens are made of end, from v.s[at] on.
// It is remembered, because many keywords may stand in one long run.
func (v *view) extent(at int) int {
	if at < v.extentFrom || at >= v.extentTo {
		v.extentFrom, v.extentTo = at, skipClass(v.s, at, &tokenChars)
	}
	return v.extentTo
}
