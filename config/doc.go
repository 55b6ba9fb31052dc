// Package config reads everything an operator decides: policy.toml, the
// embedded profiles, and the four HTMCP_* variables. It decodes strictly: an
// unknown key, a wrong type or a bad value refuses the start, all faults at
// once and each by its key, because a policy that is half understood protects
// nobody.
//
// A [Policy] here is a plain value. What it names (directories, programs,
// regular expressions) is opened and compiled by the packages that use it.
package config
