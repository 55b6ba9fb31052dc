package secrets

// A prefilter finds every place where one of its keywords stands, in one pass
// over the text. It looks at every second position only: two neighbouring
// 3-byte groups of each keyword, with letter case folded, are marked in a
// table small enough for the first-level cache, and whichever way the keyword
// falls one of the two is looked at. What is marked is then compared.
type prefilter struct {
	marked [1 << gramBits / 64]uint64
	first  [1 << gramBits]uint16 // index+1 of the first slot
	slots  []slot
	words  []keyword
}

const gramBits = 16

// A keyword is what the prefilter looks for, and which rule then runs. One of
// three bytes must say which bytes may stand before or after it.
type keyword struct {
	text   string // lower case when fold is set; at least 3 bytes
	fold   bool   // matches in any letter case
	before *class // of the byte before it; nil: any
	after  *class // of the byte after it; nil: any, or the end
	rule   ruleRef
}

// A slot says that a group belongs to the word at this offset.
type slot struct {
	word uint16
	off  int8
	next uint16
}

func gram(a, b, c byte) uint32 {
	return gramHash(uint32(a) | uint32(b)<<8 | uint32(c)<<16 | 0x202020)
}

func gramHash(x uint32) uint32 { return (x & 0xFFFFFF) * 0x9E3779B1 >> (32 - gramBits) }

func newPrefilter(words []keyword) *prefilter {
	p := &prefilter{words: words}
	r := newRanks()
	for i, w := range words {
		t := w.text
		switch {
		case len(t) > 3:
			off := r.rarest(t)
			p.mark(i, off, gram(t[off], t[off+1], t[off+2]))
			p.mark(i, off+1, gram(t[off+1], t[off+2], t[off+3]))
		case w.after != nil:
			p.mark(i, 0, gram(t[0], t[1], t[2]))
			w.after.each(func(c byte) { p.mark(i, 1, gram(t[1], t[2], c)) })
		default:
			p.mark(i, 0, gram(t[0], t[1], t[2]))
			w.before.each(func(c byte) { p.mark(i, -1, gram(c, t[0], t[1])) })
		}
	}
	return p
}

// mark notes that the group h stands at off of the word.
func (p *prefilter) mark(word, off int, h uint32) {
	for n := p.first[h]; n != 0; n = p.slots[n-1].next { // letters fold together
		if sl := p.slots[n-1]; int(sl.word) == word && int(sl.off) == off {
			return
		}
	}
	p.marked[h/64] |= 1 << (h % 64)
	p.slots = append(p.slots, slot{word: uint16(word), off: int8(off), next: p.first[h]})
	p.first[h] = uint16(len(p.slots))
}

// frequent are the commonest groups in source, documentation, logs and
// listings, the first most of all. They only decide which two groups of a
// keyword are marked.
const frequent = `    thot ootroo rother---r-ioninghe estor  reerr intio cot r-- ed tes))) anng ileconstr--r-rwrw-w-rlic: "ice": ` +
	`is  teentand no er ofnse===ensof censt t  if resthofiler istaties les// --- liecttri to dente orforrroverintror` +
	`.pywaron  st mand odehttttpse comes/ foter = in  is serigersmodstato reqare patat.cpn tonscopritigh waghtreaead` +
	`allameretequopyture, prodirderetu", thie turnherqueithmpldinsioend wihonf tnotre an un ythpp.pythis :=:= ndee a` +
	` so pront a uesshaitywitantdis)ifal selpend bper.coe srine iiesyripycpyr bus a aptedct on-ateencmituncay ple di` +
	` beelfrn itet sbutappuses os: fune o ==rsi)//== e f, eranailrr asst,   "ratmayoduinfnt namt (ser fie cake ex fa` +
	`nilrunms )reorg ifcpyle. nivedts .ortinat s dlins =nfo= rd toutulell anyr wmakledctimendul it usexte.cden, ttal` +
	`atuut ninefi://ns sofoftribth oses tjecimeundtwad sftwpr tus arparaprregas  ruwrile essortibuexaid uilbuibjer t` +
	`ampage= n"htthatryce  caildtps mo obhathanpatsrcok rg/"re frus tenadeo rnodg cincr-xxr-g fxamfaiobjy   "hps:s e` +
	`s:/te n any  srs, rniht rc/dep: tegipaslibonn.dilf.solcode:  "sesoepetraermncidefack du --  i/",timurabe  by/ d` +
	`, igis"inarn un juive, "r aom/teged"))tntis.o/rery.dur))r alt tval "r"lion" "lse"porchedat "i pelves/aineolvcal` +
	`ciefo ata "m/aperv, acma)exe":kefil ldirveooksteockexpar ckeacefraonfppeastifimusredepaaddheaurltcpfatg.t`

// rarest picks the offset of the two neighbouring groups least likely in text.
func (r ranks) rarest(text string) int {
	best, most := 0, -1
	for off := 0; off+4 <= len(text); off++ {
		a, b := r.of(text, off), r.of(text, off+1)
		if w := a + b + 4*min(a, b); w > most {
			best, most = off, w
		}
	}
	return best
}

// ranks are the places of the frequent groups.
type ranks map[uint32]int

func newRanks() ranks {
	r := make(ranks, len(frequent)/3)
	for i := 0; i+3 <= len(frequent); i += 3 {
		r[gram(frequent[i], frequent[i+1], frequent[i+2])] = i
	}
	return r
}

func (r ranks) of(text string, off int) int {
	if n, ok := r[gram(text[off], text[off+1], text[off+2])]; ok {
		return n
	}
	return 2 * len(frequent)
}

// scan calls v.hit for every keyword in s, roughly from left to right.
func (p *prefilter) scan(s string, v *view) {
	i := 0
	for ; i+8 <= len(s); i += 6 {
		x := word64(s, i) | 0x2020202020202020
		h0, h1, h2 := gramHash(uint32(x)), gramHash(uint32(x>>16)), gramHash(uint32(x>>32))
		if (p.marked[h0/64]>>(h0%64)|p.marked[h1/64]>>(h1%64)|p.marked[h2/64]>>(h2%64))&1 == 0 {
			continue
		}
		for k, h := range [...]uint32{h0, h1, h2} {
			if p.marked[h/64]>>(h%64)&1 != 0 {
				p.compare(s, i+2*k, h, v)
			}
		}
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
		if w.after != nil && (at+len(w.text) == len(s) || !w.after[s[at+len(w.text)]]) {
			continue
		}
		if w.before != nil && (at == 0 || !w.before[s[at-1]]) {
			continue
		}
		if t := s[at : at+len(w.text)]; w.fold && equalFold(t, w.text) || t == w.text {
			v.hit(w, at)
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
