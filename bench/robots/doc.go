// Package robots compares trawl's robots.txt parser and matcher with
// github.com/temoto/robotstxt, on the same files and paths in the same run. It
// holds benchmarks only, and a test that both say what is expected on the usual
// file, so that equal work is compared.
//
//	go test -run '^$' -bench . -benchmem ./robots
//
// The hostile files are as bad as the size limit of 500 KiB lets them be (case
// 10 of the inputs from the field); the other library is run on them too, with
// a single match in each round.
package robots
