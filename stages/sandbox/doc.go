// Package sandbox starts one command, bounds it, confines it, and makes sure that nothing of it is left.
//
// There is no shell: an argv goes to execve(2) by absolute path, with exactly the environment it is given, an empty
// standard input, no other descriptor than 0, 1 and 2, and a working directory that is resolved beneath the jail's
// root again at the place where it runs. Both output streams are drained to their end but kept only up to a limit, so
// memory does not depend on what a command prints. When the time is over, or the caller is gone, what runs is killed.
//
// How far a command is confined depends on the kernel. A [Launcher] climbs as high as it can and its [Report] says
// where it stands and what that leaves open:
//
//   - Namespaces: a file tree in which only what the command may reach exists, a network without interfaces, its own
//     process numbers and /proc, and Landlock and seccomp on top. Ending it ends every process in it.
//   - Landlock alone, where user namespaces are refused as in most containers: the same paths, but metadata outside can
//     be read and changed, and files inside the jail cannot be kept from being written.
//   - Process group: no confinement. A command that leaves its group with setsid(2) survives. On systems other than
//     Linux this is the only rung, and a directory that is swapped for a symbolic link between its check and the start
//     is not noticed there.
//
// Confining a process takes many times as long as starting one. So it is done once, in a helper: the program itself,
// started again ([HelperMain]), puts itself into namespaces, and one of its threads for each slot under Landlock and
// seccomp. What such a thread starts is confined like it, at hardly more than the cost of a bare start. The helper
// knows nothing of the server: not its policy, its audit trail or its environment. When it dies it is started again;
// no command is ever started in another way.
//
// What is not promised: what commands write in the jail may be run by others later, total disk use has no limit, and a
// fault in the kernel opens all of it.
package sandbox
