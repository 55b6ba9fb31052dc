package config

import "github.com/go-viper/mapstructure/v2"

// Keys lends the list of keys to the specs.
var Keys = keys

// Fields are the keys that a [Policy] really has.
func Fields() []string {
	var tree map[string]any
	p := Default()
	dec, err := mapstructure.NewDecoder(&mapstructure.DecoderConfig{TagName: "koanf", Result: &tree})
	if err != nil {
		panic(err)
	}
	if err := dec.Decode(p); err != nil {
		panic(err)
	}
	var out []string
	for name, v := range tree {
		out = append(out, leaves(name, v)...)
	}
	return out
}
