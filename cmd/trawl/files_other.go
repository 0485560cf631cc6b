//go:build !unix

package main

// openFiles is how many files this process may have open: no such limit here,
// so a moderate number.
func openFiles() int { return 8192 }
