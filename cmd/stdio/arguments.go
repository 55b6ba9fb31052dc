package stdio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"hardened-terminal-mcp/envelope"
	"hardened-terminal-mcp/pipeline"
)

// arguments are what both tools take.
type arguments struct {
	command *string
	cwd     string
}

// decode reads the arguments of a call strictly. encoding/json alone would fold
// the case of keys, let the last of two win and ignore unknown ones, so that a
// reviewer and the server could see different commands. What could be read
// stands in the result also when there is an error, for the record. The error
// names the key and what it wants; keys are quoted in ASCII.
func decode(raw json.RawMessage) (arguments, error) {
	var a arguments
	if len(raw) == 0 || string(raw) == "null" {
		return a, errors.New("command is missing")
	}
	if !utf8.Valid(raw) {
		return a, errors.New("the arguments are not valid UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return a, errors.New("the arguments must be an object")
	}
	var faults []string
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		key, ok := t.(string)
		if err != nil || !ok {
			return a, errors.New("the arguments are not JSON")
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return a, errors.New("the arguments are not JSON")
		}
		if fault := a.take(key, value); fault != "" {
			faults = append(faults, fault)
		}
		if seen[key] {
			faults = append(faults, strconv.QuoteToASCII(key)+" is given twice")
		}
		seen[key] = true
	}
	if !seen["command"] {
		faults = append(faults, "command is missing")
	}
	if len(faults) > 0 {
		return a, errors.New(strings.Join(faults, "; "))
	}
	return a, nil
}

// take reads one argument and says what is wrong with it.
func (a *arguments) take(key string, value json.RawMessage) string {
	text, isText := text(value)
	switch {
	case key == "command" && isText:
		a.command = &text
	case key == "cwd" && isText:
		a.cwd = text
	case key == "cwd" && string(value) == "null":
	case key == "command", key == "cwd":
		return key + " must be a string"
	default:
		return fmt.Sprintf("unknown argument %s; there are command and cwd", strconv.QuoteToASCII(short(key)))
	}
	if strings.ContainsRune(text, utf8.RuneError) {
		return key + " holds U+FFFD: its text was damaged on the way"
	}
	return ""
}

func text(value json.RawMessage) (string, bool) {
	var s string
	if len(value) == 0 || value[0] != '"' || json.Unmarshal(value, &s) != nil {
		return "", false
	}
	return s, true
}

// short keeps an unknown key from filling the answer.
func short(key string) string {
	if len(key) > 40 {
		return strings.ToValidUTF8(key[:40], "") + "..."
	}
	return key
}

// request turns the arguments of a call into the chain's request. Arguments
// that do not decode make one that carries its refusal.
func request(tool string, mode pipeline.Mode, client string, raw json.RawMessage) pipeline.Request {
	a, err := decode(raw)
	r := pipeline.Request{Mode: mode, Tool: tool, Command: a.command, Dir: a.cwd, Client: client}
	if err != nil {
		r.Refusal = refuse(envelope.ParseError, "arguments: "+err.Error())
	}
	return r
}

func refuse(code envelope.ResultCode, reason string) *pipeline.Verdict {
	return new(pipeline.Stop(code, reason))
}
