package secrets

// A prefilter finds every place where one of its keywords stands, in one pass
// over the text. It looks at every second position only: two neighbouring
// 3-byte groups of each keyword, with letter case folded, are marked in a
// table small enough for the first-level cache, and whichever way the keyword
// falls one of the two is looked at. What is marked is then compared.
type prefilter struct {
	marked [1 << gramBits]bool
	first  [1 << gramBits]uint16 // index+1 of the first slot
	slots  []slot
	words  []keyword
}

const gramBits = 14

// A keyword is what the prefilter looks for, and which rule then runs.
type keyword struct {
	text string // lower case when fold is set; at least 4 bytes
	fold bool   // matches in any letter case
	head int    // how many bytes before the rule's own text the keyword begins
	rule ruleRef
}

// A slot says that a group belongs to the word at this offset.
type slot struct {
	word uint16
	off  uint8
	next uint16
}

func gram(a, b, c byte) uint32 {
	return gramHash(uint32(a) | uint32(b)<<8 | uint32(c)<<16 | 0x202020)
}

func gramHash(x uint32) uint32 { return (x & 0xFFFFFF) * 0x9E3779B1 >> (32 - gramBits) }

func newPrefilter(words []keyword) *prefilter {
	p := &prefilter{words: words}
	for i, w := range words {
		off := rarest(w.text)
		p.mark(i, off)
		p.mark(i, off+1)
	}
	return p
}

func (p *prefilter) mark(word, off int) {
	t := p.words[word].text
	h := gram(t[off], t[off+1], t[off+2])
	p.marked[h] = true
	p.slots = append(p.slots, slot{word: uint16(word), off: uint8(off), next: p.first[h]})
	p.first[h] = uint16(len(p.slots))
}

// common is how frequent letters are in source code and logs, most frequent
// first. It only decides which two groups of a keyword are marked.
const common = " etaoinsrlcdpumfghb-/.:=\"_01yvwkxjqz"

// rarest picks the offset of the two neighbouring groups least likely in text.
func rarest(text string) int {
	weight := func(c byte) int {
		for i := 0; i < len(common); i++ {
			if common[i] == c {
				return i
			}
		}
		return len(common)
	}
	best, most := 0, -1
	for off := 0; off+4 <= len(text); off++ {
		w := weight(lower(text[off])) + 2*weight(lower(text[off+1])) + 2*weight(lower(text[off+2])) + weight(lower(text[off+3]))
		if w > most {
			best, most = off, w
		}
	}
	return best
}

// scan calls v.hit for every keyword in s, roughly from left to right.
func (p *prefilter) scan(s string, v *view) {
	i := 0
	for ; i+8 <= len(s); i += 6 {
		x := word64(s, i) | 0x2020202020202020
		h0, h1, h2 := gramHash(uint32(x)), gramHash(uint32(x>>16)), gramHash(uint32(x>>32))
		if !p.marked[h0] && !p.marked[h1] && !p.marked[h2] {
			continue
		}
		p.compare(s, i, h0, v)
		p.compare(s, i+2, h1, v)
		p.compare(s, i+4, h2, v)
	}
	for ; i+3 <= len(s); i++ {
		p.compare(s, i, gram(s[i], s[i+1], s[i+2]), v)
	}
}

// word64 reads eight bytes; the compiler makes it one load.
func word64(s string, i int) uint64 {
	b := s[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

func (p *prefilter) compare(s string, i int, h uint32, v *view) {
	for n := p.first[h]; n != 0; n = p.slots[n-1].next {
		sl := p.slots[n-1]
		w := &p.words[sl.word]
		at := i - int(sl.off)
		if at < 0 || at+len(w.text) > len(s) {
			continue
		}
		if t := s[at : at+len(w.text)]; t == w.text || w.fold && equalFold(t, w.text) {
			v.hit(w, at+w.head)
		}
	}
}

// equalFold compares ASCII; b is lower case.
func equalFold(a, b string) bool {
	for i := 0; i < len(b); i++ {
		if lower(a[i]) != b[i] {
			return false
		}
	}
	return true
}
