// Package sandbox starts one command, bounds it, and makes sure that nothing of it is left.
//
// There is no shell: an argv goes to execve(2) by absolute path, with exactly the environment it is given, an empty
// standard input, no other descriptor than 0, 1 and 2, and a working directory that is resolved beneath the jail's
// root again at the place where it runs. Both output streams are drained to their end but kept only up to a limit, so
// memory does not depend on what a command prints. When the time is over, or the caller is gone, what runs is killed.
//
// The lowest rung, on every system, is the process group: a command that leaves its group with setsid(2) survives
// there. On systems other than Linux the working directory is resolved by path, so a directory that is swapped for a
// symbolic link between the check and the start is not noticed.
package sandbox
