// Package stages holds the nine stages of the server, one thin file each, and
// [Default], the chain they form. The hard part of a stage lives in a package
// beside it that knows no Exchange and can be tested and fuzzed alone: argv,
// jailpath, sandbox, secrets, trail.
package stages
