package config

import (
	"fmt"
	"slices"
	"strings"
)

// keys are the keys of policy.toml, in the order of the documentation. A spec
// holds the list against [Policy].
func keys() []string {
	return []string{
		"version", "allow", "deny", "require_rules", "audit_log", "audit_fail_mode",
		"limits.timeout", "limits.max_stdout_bytes", "limits.max_stderr_bytes", "limits.max_command_bytes",
		"limits.max_args", "limits.max_concurrent", "limits.max_calls_per_second",
		"limits.max_processes", "limits.max_memory_bytes", "limits.max_file_bytes", "limits.max_open_files", "limits.max_cpu",
		"env.path", "env.set",
		"output.keep_escapes",
		"sandbox.mode", "sandbox.network", "sandbox.read", "sandbox.write",
		"redaction.enabled", "redaction.entropy_fallback", "redaction.extra_patterns",
		"redaction.extra_patterns.name", "redaction.extra_patterns.regex",
		"audit.sync", "audit.max_bytes", "audit.keep", "audit.key_file",
	}
}

// unknown lists the keys of a table that mean nothing, in order. at is the
// table's own key, "" for the document. A table that means nothing is listed by
// the keys in it, so that a misspelt one among them is named.
func unknown(at string, table map[string]any) []string {
	var out []string
	for name, value := range table {
		key := strings.TrimPrefix(at+"."+name, ".")
		inner, isTable := value.(map[string]any)
		list, isList := value.([]any)
		switch {
		case key == "env.set": // names of the operator's own
		case slices.Contains(keys(), key) && isList:
			for i, element := range list {
				if t, ok := element.(map[string]any); ok {
					out = append(out, unknownIn(fmt.Sprintf("%s[%d]", key, i), key, t)...)
				}
			}
		case slices.Contains(keys(), key):
		case slices.ContainsFunc(keys(), func(k string) bool { return strings.HasPrefix(k, key+".") }):
			if isTable { // else the decoder says that it wants one
				out = append(out, unknown(key, inner)...)
			}
		default:
			out = append(out, leaves(key, value)...)
		}
	}
	slices.Sort(out)
	return out
}

// unknownIn is unknown for one element of an array of tables.
func unknownIn(at, array string, table map[string]any) []string {
	out := unknown(array, table)
	for i, key := range out {
		out[i] = at + strings.TrimPrefix(key, array)
	}
	return out
}

func leaves(key string, value any) []string {
	table, ok := value.(map[string]any)
	if !ok || len(table) == 0 {
		return []string{key}
	}
	var out []string
	for name, v := range table {
		out = append(out, leaves(key+"."+name, v)...)
	}
	return out
}

// suggest says which key was probably meant by an unknown one: the known key
// whose last part is nearest, wherever it belongs. "" when none is near.
func suggest(key string) string {
	best, least := "", 3 // more than two letters off is another word
	for _, known := range keys() {
		if d := distance(last(key), last(known)); d < least {
			best, least = known, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

func last(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }

// distance is the number of letters to insert, delete, replace or swap with
// their neighbour to turn a into b (optimal string alignment).
func distance(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}
