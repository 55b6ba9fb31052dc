package secrets

import "strings"

// nameStems are found anywhere in a key name; the name must then end in one
// of the endings below.
var nameStems = []string{
	"password", "passwd", "passphrase", "passcode", "passwort", "kennwort", "contrasena", "motdepasse", "secret", "token",
	"credential", "apikey", "api_key", "api-key", "api key", "accesskey", "privatekey", "private_key",
	"signature", "sessionid", "session_id", "session-id", "sessid", "mnemonic", "connect.sid", "connectionstring", "connection_string",
}

// shortNames are too short or too common to be looked for alone: a byte that
// may stand after a key name must follow them.
var (
	shortNames = []string{"key", "pwd", "pass", "psk", "auth", "_pat", "sig", "jwt", "bearer", "seed", "creds", "_mac", "-mac", "pin", "otp"}
	nameEnd    = newClass("=:\"'\\ \t>|`<&\n\r,")
)

// strength is how much a key name says about its value.
type strength uint8

const (
	no     strength = iota
	weak            // token, secret: the value must look random as well
	strong          // password, api_key: most values are taken
	basic           // auth: the value must be base64 of user:password
)

type ending struct {
	text string
	s    strength
	rule string
}

// endings go by the end of a key name, without its separators, in lower case.
// The first that fits decides.
var endings = []ending{
	{"secretaccesskey", strong, "aws_secret_key"},
	{"awssecretkey", strong, "aws_secret_key"},
	{"sessionpassword", strong, "key_value"},
	{"password", strong, "key_value"},
	{"passwd", strong, "key_value"},
	{"passphrase", strong, "key_value"},
	{"passcode", strong, "key_value"},
	{"passwort", strong, "key_value"},
	{"kennwort", strong, "key_value"},
	{"contrasena", strong, "key_value"},
	{"motdepasse", strong, "key_value"},
	{"pwd", strong, "key_value"},
	{"pass", strong, "key_value"},
	{"psk", strong, "key_value"},
	{"clientsecret", strong, "key_value"},
	{"secretkey", strong, "key_value"},
	{"secretkeybase", strong, "key_value"},
	{"secret", strong, "key_value"},
	{"publickey", no, ""},
	{"sshpublickey", no, ""},
	{"privatekey", strong, "key_value"},
	{"apikey", strong, "key_value"},
	{"accesskey", strong, "key_value"},
	{"accountkey", strong, "connection_string"},
	{"authkey", strong, "key_value"},
	{"appkey", strong, "key_value"},
	{"applicationkey", strong, "key_value"},
	{"encryptionkey", strong, "key_value"},
	{"encryptkey", strong, "key_value"},
	{"signingkey", strong, "key_value"},
	{"masterkey", strong, "key_value"},
	{"storagekey", strong, "key_value"},
	{"sharedkey", strong, "key_value"},
	{"licensekey", strong, "key_value"},
	{"integrationkey", strong, "key_value"},
	{"servicekey", strong, "key_value"},
	{"adminkey", strong, "key_value"},
	{"presharedkey", strong, "key_value"},
	{"key", weak, "key_value"},
	{"pagetoken", no, ""},
	{"nexttoken", weak, "key_value"},
	{"tokens", no, ""},
	{"token", strong, "key_value"},
	{"credential", strong, "key_value"},
	{"credentials", weak, "key_value"},
	{"creds", weak, "key_value"},
	{"auth", basic, "key_value"},
	{"pat", weak, "key_value"},
	{"xamzsignature", strong, "key_value"},
	{"signature", weak, "key_value"},
	{"sig", weak, "key_value"},
	{"sessionid", weak, "key_value"},
	{"sessid", weak, "key_value"},
	{"connectsid", weak, "key_value"},
	{"jwt", weak, "key_value"},
	{"bearer", weak, "key_value"},
	{"seed", weak, "key_value"},
	{"otp", weak, "key_value"},
	{"privatemac", strong, "private_key"},
	{"mnemonic", strong, "key_value"},
}

// notKeys are what makes a ..._key something that may be shown.
var notKeys = []string{
	"public", "primary", "foreign", "cache", "sort", "partition", "object", "row", "host", "idempotency", "lookup",
	"group", "index", "dedupe", "routing", "hash", "map", "unique", "natural", "composite", "shortcut", "hot", "registry", "sha", "monkey", "turkey", "hockey", "jockey",
	"whiskey", "storekey", "verify", "verification", "publishable", "site", "config", "resource", "file", "known",
}

// qualifiers may follow the telling part of a name.
var qualifiers = []string{
	"prod", "production", "dev", "test", "staging", "stage", "live", "old", "new", "current", "previous", "prev", "next", "primary",
	"secondary", "value", "val", "str", "string", "b64", "base64", "raw", "plain", "plaintext", "text", "hash", "base", "env", "enc", "encrypted", "confirm", "confirmation", "again", "default", "backup", "main", "hex", "data",
}

// weakAlone are names that say little without something before them.
func weakAlone(name string) bool {
	switch name {
	case "token", "secret", "credential", "pass", "pat":
		return true
	}
	return false
}

// judge classifies a key name.
func judge(raw string) (strength, string) {
	raw = strings.TrimRight(raw, "0123456789_.-")
	var buf [maxName + 20]byte
	if s, rule := judgeEnd(flat(raw, buf[:0])); s != no {
		return s, rule
	}
	cut := strings.LastIndexAny(raw, "_.-")
	if cut <= 0 {
		cut = lastHump(raw)
	}
	if cut <= 0 {
		return no, ""
	}
	last := strings.TrimLeft(raw[cut:], "_.-")
	for _, q := range qualifiers {
		if len(last) == len(q) && equalFold(last, q) {
			return judgeEnd(flat(strings.TrimRight(raw[:cut], "_.-"), buf[:0]))
		}
	}
	return no, ""
}

// lastHump is where the last word of a camelCase name begins.
func lastHump(s string) int {
	for i := len(s) - 1; i > 0; i-- {
		if isUpper(s[i]) && isLower(s[i-1]) {
			return i
		}
	}
	return 0
}

// flat is a name in lower case without its separators.
func flat(raw string, buf []byte) []byte {
	for i := 0; i < len(raw) && len(buf) < cap(buf); i++ {
		if c := raw[i]; isAlnum(c) {
			buf = append(buf, lower(c))
		}
	}
	return buf
}

// byLast are the endings by their last letter.
var byLast = func() (t [256][]ending) {
	for _, e := range endings {
		c := e.text[len(e.text)-1]
		t[c] = append(t[c], e)
	}
	return t
}()

func judgeEnd(name []byte) (strength, string) {
	if len(name) == 0 {
		return no, ""
	}
	for _, e := range byLast[name[len(name)-1]] {
		n := len(name) - len(e.text)
		if n < 0 || string(name[n:]) != e.text {
			continue
		}
		if e.s == no || excluded(string(name[:n]), e.text) {
			return no, ""
		}
		if n == 0 && e.s == strong && weakAlone(e.text) {
			return weak, e.rule
		}
		return e.s, e.rule
	}
	return no, ""
}

// excluded reports names that end like a secret's and are something else.
func excluded(before, end string) bool {
	switch end {
	case "key":
		return before == "" || hasSuffixOf(before, notKeys)
	case "pass":
		return hasSuffixOf(before, []string{"by", "com", "sur", "tres", "over", "under", "multi", "single", "first", "second", "one", "two", "test", "render"})
	case "pwd":
		return before == "old"
	case "pat":
		return before == ""
	case "sig":
		return hasSuffixOf(before, []string{"con", "de"})
	case "seed":
		return before == "random"
	}
	return false
}

func hasSuffixOf(s string, list []string) bool {
	for _, x := range list {
		if strings.HasSuffix(s, x) {
			return true
		}
	}
	return false
}
