//go:build race

package peers_test

// raceEnabled tells that the race detector makes everything ten times slower.
const raceEnabled = true
