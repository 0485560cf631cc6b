//go:build race

package storetest

// modelRounds: the race detector makes everything ten times slower.
const modelRounds = 1
