package config

import (
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// positions knows the line of each key that stands on a line of its own.
type positions map[string]int

// lines finds the keys of a document that has been parsed before. The keys of
// an inline table share the line of the key that holds it.
func lines(data []byte) positions {
	at := positions{}
	var p unstable.Parser
	p.Reset(data)
	table := ""
	arrays := map[string]int{}
	for p.NextExpression() {
		e := p.Expression()
		var names []string
		line := 0
		for it := e.Key(); it.Next(); {
			if line == 0 {
				line = p.Shape(it.Node().Raw).Start.Line
			}
			names = append(names, string(it.Node().Data))
		}
		key := strings.Join(names, ".")
		switch e.Kind {
		case unstable.Table:
			table = key
		case unstable.ArrayTable:
			table = fmt.Sprintf("%s[%d]", key, arrays[key])
			arrays[key]++
			key = table
		case unstable.KeyValue:
			if table != "" {
				key = table + "." + key
			}
		}
		at[key] = line
	}
	return at
}

// of says "line 3: " for a key, or for the nearest key that holds it; "" when
// there is none.
func (at positions) of(key string) string {
	for key != "" {
		for _, k := range []string{key, key + "[0]"} {
			if line, ok := at[k]; ok {
				return fmt.Sprintf("line %d: ", line)
			}
		}
		key = key[:max(strings.LastIndexAny(key, ".["), 0)]
	}
	return ""
}
