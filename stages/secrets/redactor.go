package secrets

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// Options say which rules run.
type Options struct {
	// Enabled is the switch for all of it: when false, text passes unchanged.
	Enabled bool

	// EntropyFallback also takes tokens that only look random. It is noisy:
	// hashes, UUIDs and base64 look random too.
	EntropyFallback bool

	// Extra are the operator's own patterns, in regexp2 syntax.
	Extra []Pattern

	// MatchTimeout bounds one match of one extra pattern, Budget all of them
	// on one text. Zero means [DefaultMatchTimeout] and [DefaultBudget].
	MatchTimeout, Budget time.Duration
}

// A Pattern is a rule of the operator's. Name appears in the marker and is
// lower case letters, digits and underscores, beginning with a letter.
type Pattern struct{ Name, Regex string }

// A Span is one replacement: the bytes [Start, End) of the input.
type Span struct {
	Start, End int
	Name       string

	rank rank
}

// A Result is a redacted text and what was taken out of it.
type Result struct {
	Text   string
	Counts map[string]int // replacements by pattern; nil when there were none
	Spans  []Span         // in the coordinates of the input, sorted, disjoint
}

// A Redactor replaces secrets. It is immutable and safe for concurrent use.
type Redactor struct {
	enabled bool
	entropy bool
	rules   *ruleset
	extra   *extras
	scratch *sync.Pool // of *scanner; buffers only
}

// Compile makes a Redactor. It returns every fault of the extra patterns,
// joined: a bad or repeated name, an expression that does not compile or that
// matches the empty string.
func Compile(o Options) (*Redactor, error) {
	extra, err := compileExtras(o)
	if err != nil {
		return nil, err
	}
	r := &Redactor{enabled: o.Enabled, entropy: o.EntropyFallback, extra: extra, scratch: new(sync.Pool)}
	if o.Enabled {
		r.rules = builtInRules()
	}
	r.scratch.New = func() any { return &scanner{r: r} }
	return r, nil
}

// Text redacts a whole text.
func (r *Redactor) Text(s string) Result {
	if !r.enabled {
		return Result{Text: s}
	}
	spans, slow := r.find(s)
	if slow != "" {
		return withheld(s, slow)
	}
	if len(spans) == 0 {
		return Result{Text: s}
	}
	return splice(s, len(s), spans)
}

// Head redacts s, the kept beginning of a longer stream. Raw text is kept
// only up to len(s)-margin; a match that starts before that point is replaced
// whole, so none is cut in two. The margin must be as long as the longest
// secret to be recognised (exec keeps 64 KiB).
func (r *Redactor) Head(s string, margin int) Result {
	keep := max(0, len(s)-max(0, margin))
	if !r.enabled {
		return Result{Text: s[:keep]}
	}
	spans, slow := r.find(s)
	if slow != "" {
		return withheld(s, slow)
	}
	spans = slices.DeleteFunc(spans, func(sp Span) bool { return sp.Start >= keep })
	if len(spans) == 0 {
		return Result{Text: s[:keep]}
	}
	return splice(s, keep, spans)
}

// find returns the spans of s. When an extra pattern did not finish it
// returns that pattern's name instead.
func (r *Redactor) find(s string) (spans []Span, slow string) {
	sc := r.scratch.Get().(*scanner)
	defer r.scratch.Put(sc)

	found := sc.text(s)
	if sc.slow != "" {
		return nil, sc.slow
	}
	if len(found) == 0 {
		return nil, ""
	}
	return slices.Clone(found), ""
}

const timedOut = " timed out"

// withheld is the answer when an extra pattern could not be tried: nothing of
// the text may leave, because nobody knows what the pattern would have found.
func withheld(s, name string) Result {
	name += timedOut
	return Result{
		Text:   marker(name),
		Counts: map[string]int{name: 1},
		Spans:  []Span{{End: len(s), Name: name}},
	}
}

// splice replaces the spans in s and keeps raw text only up to keep.
func splice(s string, keep int, spans []Span) Result {
	var b strings.Builder
	b.Grow(keep + 24*len(spans))
	order := byteOrder(s)
	counts := make(map[string]int, 1)
	pos := 0
	for _, sp := range spans {
		b.WriteString(s[pos:sp.Start])
		b.WriteString(order.encode(marker(sp.Name)))
		counts[sp.Name]++
		pos = sp.End
	}
	if pos < keep {
		b.WriteString(s[pos:keep])
	}
	return Result{Text: b.String(), Counts: counts, Spans: spans}
}
