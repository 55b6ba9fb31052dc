// Package secrets takes secrets out of text before the text leaves the
// machine: out of what a command prints, out of the words that refused one,
// out of the line that goes into the audit trail.
//
// A [Redactor] is made once, by [Compile], and is then a value without state:
// [Redactor.Text] for a whole text, [Redactor.Head] for the kept beginning of
// a longer one, [Redactor.Argv] and [Redactor.Command] for command lines, and
// [Redactor.Stream] for a text without end. All of them give the same answer
// for the same bytes. A secret becomes [REDACTED:name]; where a key names the
// secret only the value goes, so JSON stays JSON and the reader still sees
// what was there.
//
// # How it looks
//
// A text is looked at in several views. The first is the text itself. When it
// holds terminal escapes, zero-width characters or NULs there is a second one
// without them; where it holds percent-encoding or base64, what that decodes
// to is a view too. Every span found in a view is mapped back to the bytes it
// came from, and overlapping spans are joined.
//
// In each view one pass over the bytes finds the places where a known prefix,
// key name or tool name stands (prefilter.go); only there do the rules run:
// the shapes of tokens (table.go), names with values (keyed.go), headers,
// URLs, key blocks and flags. All of them take linear time. The operator's own
// patterns may backtrack, so they run under a timeout, and a text they could
// not finish is withheld whole (extra.go).
//
// # What it does not do
//
// It knows shapes and names, not values: a password printed alone, with
// neither, passes. So does a secret under an encoding that is not listed here
// (hex, gzip, a cipher), one that is printed a few characters a line, and one
// longer than 64 KiB whose beginning has been cut away.
package secrets
