package secrets

import "math"

const (
	entropyLength = 20  // shortest token that counts
	entropyBits   = 4.5 // bits a character
)

// highEntropy adds the tokens of [A-Za-z0-9+/_=-] that the other rules left
// and that are too random to be words. It reports much that is no secret.
func highEntropy(s string, found []Span) []Span {
	out := found
	k := 0
	for i := 0; i < len(s); {
		if !runChars[s[i]] {
			i++
			continue
		}
		end := skipClass(s, i, &runChars)
		for k < len(found) && found[k].End <= i {
			k++
		}
		free := k == len(found) || found[k].Start >= end
		if free && end-i >= entropyLength && shannon(s[i:end]) >= entropyBits && !insideMarker(s, i) {
			out = append(out, Span{Start: i, End: end, Name: "high_entropy", rank: byEntropy})
		}
		i = end
	}
	return out
}

// shannon is the entropy of s in bits a character.
func shannon(s string) float64 {
	var count [256]int
	for i := 0; i < len(s); i++ {
		count[s[i]]++
	}
	h, n := 0.0, float64(len(s))
	for _, c := range count {
		if c > 0 {
			p := float64(c) / n
			h -= p * math.Log2(p)
		}
	}
	return h
}
