// Package trail is the audit log: an append-only file of JSON lines in which
// every command is announced before it starts and accounted for after it ends.
//
// It exists apart from an ordinary logger because callers act on its answer. A
// command runs only when [Log.Append] has said that its attempt is in the file,
// so the package refuses rather than guesses: a full disk, a failed or hanging
// fsync, a file that was deleted, replaced or made immutable all come back as an
// error within a bounded time, and all work again once the cause is gone.
//
// Each line carries the hash of the line before it and ends with its own, so an
// edited, inserted, removed or reordered line is found by [Verify]. Several
// servers may share one file: reading the head, hashing and writing happen
// under one flock.
//
// What it cannot do: stop (rather than show) tampering by root or by the user
// the server runs as; notice a cut tail unless an earlier [Head] was kept
// elsewhere; promise anything on NFS, whose append is not atomic.
package trail
