package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/parsers/toml/v2"
	"github.com/knadh/koanf/providers/rawbytes"
	"github.com/knadh/koanf/v2"
	gotoml "github.com/pelletier/go-toml/v2"
)

// Decode reads a policy. It reports every unknown key and every wrong type at
// once, each with its key and line; values are [Policy.Validate]'s to judge.
func Decode(data []byte) (Policy, error) {
	p := Default()
	k := koanf.New("\x00") // no key can hold it: a dot in a quoted key stays one key
	if err := k.Load(rawbytes.Provider(data), toml.Parser()); err != nil {
		return p, notTOML(err)
	}
	err := k.UnmarshalWithConf("", &p, koanf.UnmarshalConf{DecoderConfig: &mapstructure.DecoderConfig{
		Result:           &p,
		TagName:          "koanf",
		WeaklyTypedInput: false, // "8" is not 8
		MatchName:        func(key, field string) bool { return key == field },
		DecodeHook:       exact,
	}})

	at := lines(data)
	var faults []error
	for _, key := range unknown("", k.Raw()) {
		faults = append(faults, fmt.Errorf("%sunknown key %q%s", at.of(key), key, suggest(key)))
	}
	for _, e := range flatten(err) {
		faults = append(faults, mistyped(at, e))
	}
	return p, errors.Join(faults...)
}

// Hash names a policy in the audit trail: the SHA-256 of its bytes as loaded.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// notTOML says where the syntax is wrong.
func notTOML(err error) error {
	var syntax *gotoml.DecodeError
	if errors.As(err, &syntax) {
		row, column := syntax.Position()
		return fmt.Errorf("line %d, column %d: %s", row, column, strings.TrimPrefix(syntax.Error(), "toml: "))
	}
	return err
}

// exact refuses what the decoder would bend, in TOML's words: a bare 30 for a
// duration would be 30 nanoseconds, and 6.5 for a whole number 6.
func exact(from, to reflect.Type, value any) (any, error) {
	switch {
	case to == reflect.TypeFor[time.Duration]():
		return duration(value)
	case (to.Kind() == reflect.Int || to.Kind() == reflect.Int64) && from.Kind() != reflect.Int64:
		return nil, errors.New("wants a whole number")
	case to.Kind() == reflect.Slice && from.Kind() != reflect.Slice:
		return nil, errors.New("wants an array")
	case (to.Kind() == reflect.Struct || to.Kind() == reflect.Map) && from.Kind() != reflect.Map:
		return nil, errors.New("wants a table")
	case to.Kind() == reflect.Bool && from.Kind() != reflect.Bool:
		return nil, errors.New("wants true or false")
	case to.Kind() == reflect.String && from.Kind() != reflect.String:
		return nil, errors.New("wants a string")
	}
	return value, nil
}

func duration(value any) (any, error) {
	text, ok := value.(string)
	if !ok {
		return nil, errors.New(`wants a duration such as "30s"`)
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return nil, fmt.Errorf(`%q is not a duration such as "30s" or "2m"`, text)
	}
	return d, nil
}

// flatten takes mapstructure's joined errors apart.
func flatten(err error) []error {
	if err == nil {
		return nil
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var out []error
		for _, e := range many.Unwrap() {
			out = append(out, flatten(e)...)
		}
		return out
	}
	if one, ok := err.(*mapstructure.DecodeError); ok {
		if inner := flatten(errors.Unwrap(one)); len(inner) > 1 {
			return inner
		}
		return []error{one}
	}
	if inner := errors.Unwrap(err); inner != nil {
		return flatten(inner)
	}
	return []error{err}
}

// mistyped puts the key and its line before what is wrong with the value.
func mistyped(at positions, err error) error {
	var fault *mapstructure.DecodeError
	if !errors.As(err, &fault) {
		return err
	}
	return fmt.Errorf("%s%s: %w", at.of(fault.Name()), fault.Name(), fault.Unwrap())
}
