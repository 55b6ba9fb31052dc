// Command hardened-terminal-mcp is a security-hardened terminal server for AI clients.
package main

import "hardened-terminal-mcp/cmd"

func main() { cmd.Main() }
