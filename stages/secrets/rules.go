package secrets

import (
	"regexp"
	"sync"
)

// A ruleRef says which rule a keyword starts.
type ruleRef struct {
	kind  ruleKind
	shape int // index into the shapes, for ruleShape
}

type ruleKind uint8

const (
	ruleShape ruleKind = iota
	ruleName
	ruleURL
	ruleHeader
	ruleScheme
	ruleCookie
	ruleBegin
	ruleEnd
	rulePutty
	ruleTool
	ruleShortFlag
	rulePgpass
	ruleDSN
	ruleOracle
	ruleIdentified
)

// A ruleset is the built-in rules, ready to run.
type ruleset struct {
	filter *prefilter
	shapes []shape
}

// A shape is a built-in pattern with its expression, compiled when first used.
type shape struct {
	*BuiltIn
	expr func() *regexp.Regexp
}

// builtInRules are made once a process; they are not changed afterwards.
var builtInRules = sync.OnceValue(func() *ruleset {
	rs := new(ruleset)
	var words []keyword
	for i, b := range table {
		b := b
		rs.shapes = append(rs.shapes, shape{BuiltIn: &b, expr: sync.OnceValue(func() *regexp.Regexp {
			return regexp.MustCompile(b.anchored())
		})})
		for _, k := range b.Keywords {
			w := keyword{text: k, rule: ruleRef{kind: ruleShape, shape: i}}
			if len(k) < 4 {
				w.after = &base64Chars
			}
			words = append(words, w)
		}
	}
	rs.filter = newPrefilter(append(words, contextWords()...))
	return rs
})

// contextWords start the rules that go by what stands around a secret.
func contextWords() []keyword {
	var out []keyword
	add := func(kind ruleKind, fold bool, texts ...string) {
		for _, t := range texts {
			out = append(out, keyword{text: t, fold: fold, rule: ruleRef{kind: kind}})
		}
	}
	add(ruleName, true, nameStems...)
	for _, n := range shortNames {
		out = append(out, keyword{text: n, fold: true, after: &nameEnd, rule: ruleRef{kind: ruleName}})
	}
	out = append(out, keyword{text: "://", before: &alnumChars, rule: ruleRef{kind: ruleURL}})
	add(ruleHeader, true, "authorization")
	add(ruleScheme, true, "bearer ", "bearer%20", "basic ")
	add(ruleCookie, true, "cookie:", "cookie\"", "cookie'", "cookie=", "cookies:", "cookie \"", "cookie '")
	add(ruleBegin, false, "---- BEGIN ", "----BEGIN ")
	add(ruleEnd, false, "---- END ", "----END ")
	add(rulePutty, false, "Private-Lines:")
	add(ruleTool, false, toolWords()...)
	add(ruleShortFlag, false, " -p ", "\"-p\"", "'-p'", "\t-p ")
	add(rulePgpass, false, ":5432:", ":5433:", ":5434:", ":6432:", ":3306:", ":*:*:", "pgpass")
	add(ruleDSN, false, "@tcp(", "@unix(")
	add(ruleOracle, false, "oracle:thin:", "sqlplus ")
	add(ruleIdentified, true, "identified ")
	return out
}
