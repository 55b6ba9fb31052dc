package secrets

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dlclark/regexp2/v2"
)

const (
	// DefaultMatchTimeout bounds one search of one extra pattern.
	DefaultMatchTimeout = 100 * time.Millisecond
	// DefaultBudget bounds all extra patterns over one text.
	DefaultBudget = time.Second
)

// extras are the operator's patterns, compiled. The engine backtracks, so
// every search has a timeout and a text has a budget.
type extras struct {
	patterns []extraPattern
	budget   time.Duration
}

type extraPattern struct {
	name string
	re   *regexp2.Regexp
}

func compileExtras(o Options) (*extras, error) {
	x := &extras{budget: o.Budget}
	if x.budget <= 0 {
		x.budget = DefaultBudget
	}
	timeout := o.MatchTimeout
	if timeout <= 0 {
		timeout = DefaultMatchTimeout
	}
	taken := map[string]bool{}
	for _, name := range Names() {
		taken[name] = true
	}
	var faults []error
	for _, p := range o.Extra {
		if err := checkName(p.Name, taken); err != nil {
			faults = append(faults, err)
		}
		taken[p.Name] = true
		re, err := compileExtra(p, timeout)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		x.patterns = append(x.patterns, extraPattern{p.Name, re})
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	if len(x.patterns) == 0 || !o.Enabled {
		return nil, nil
	}
	return x, nil
}

func checkName(name string, taken map[string]bool) error {
	good := name != "" && len(name) <= 64 && isLower(name[0])
	for i := 0; i < len(name); i++ {
		good = good && (isLower(name[i]) || isDigit(name[i]) || name[i] == '_')
	}
	switch {
	case !good:
		return fmt.Errorf("extra pattern %q: the name must be lower case letters, digits and underscores, begin with a letter and have at most 64 of them", name)
	case taken[name]:
		return fmt.Errorf("extra pattern %q: the name is taken", name)
	}
	return nil
}

func compileExtra(p Pattern, timeout time.Duration) (*regexp2.Regexp, error) {
	re, err := regexp2.Compile(p.Regex)
	if err != nil {
		return nil, fmt.Errorf("extra pattern %q: %w", p.Name, err)
	}
	re.MatchTimeout = timeout
	empty, err := re.MatchString("")
	if err != nil {
		return nil, fmt.Errorf("extra pattern %q: matching the empty string takes too long", p.Name)
	}
	if empty {
		return nil, fmt.Errorf("extra pattern %q: it matches the empty string", p.Name)
	}
	return re, nil
}

// look runs the patterns over a view. It returns the name of a pattern that
// did not finish in time. The engine's own error quotes the text, so it goes
// no further than this function.
func (x *extras) look(v *view) (slow string) {
	deadline := time.Now().Add(x.budget)
	for _, p := range x.patterns {
		m, err := p.re.FindStringMatch(v.s)
		for err == nil && m != nil {
			from, n := m.ByteRange()
			if n > 0 && onlyMarkers(v.s[from:from+n]) {
				n = 0
			}
			v.add(from, from+n, p.name, byExtra)
			if time.Now().After(deadline) {
				return p.name
			}
			m, err = p.re.FindNextMatch(m)
		}
		if err != nil || time.Now().After(deadline) {
			return p.name
		}
	}
	return ""
}

// hostile are texts that send a backtracking engine down every path: long runs
// of what patterns repeat, each with an end that does not fit.
func hostile() []string {
	var out []string
	for _, unit := range []string{"a", "A", "0", "a1", "aA0_-", " ", "a ", "a.", "a-", "=", "a=", "\"", "\\", "x@", "/a", "a\n", "-----BEGIN ", "AKIA", "key=", "eyJ.", "ghp_", "{", "(", "\"a\":"} {
		for _, n := range []int{40, 4000} {
			out = append(out, strings.Repeat(unit, n/len(unit)+1)+"\x01!")
		}
	}
	return out
}

// Backtracks tries a pattern on texts made to be hard and reports whether one
// of them takes it beyond 100 ms. Such a pattern still fails closed, but will
// withhold output that a better one would only redact.
func Backtracks(p Pattern) (bool, error) {
	re, err := compileExtra(p, DefaultMatchTimeout)
	if err != nil {
		return false, err
	}
	for _, text := range hostile() {
		for _, s := range []string{text, seed(p.Regex) + text} {
			if _, err := re.MatchString(s); err != nil {
				return true, nil
			}
		}
	}
	return false, nil
}

// seed is the literal beginning of an expression, so that the texts get past
// it.
func seed(regex string) string {
	i := 0
	for i < len(regex) && (isAlnum(regex[i]) || strings.IndexByte("_-=: @/\"'", regex[i]) >= 0) {
		i++
	}
	if i > 0 && i < len(regex) && strings.IndexByte("*+?{", regex[i]) >= 0 {
		i--
	}
	return regex[:i]
}

// Names returns the names of all built-in patterns, each once.
func Names() []string {
	var out []string
	seen := map[string]bool{}
	for _, b := range table {
		if !seen[b.Name] {
			seen[b.Name] = true
			out = append(out, b.Name)
		}
	}
	return append(out, "private_key", "auth_header", "cookie", "key_value", "flag_value", "aws_secret_key", "url_userinfo", "connection_string", "pgpass", "high_entropy")
}
