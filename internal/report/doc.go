// Package report projects what was committed: the summary of a crawl and the
// breakdowns of the crawl stats. It only reads, and never steers.
//
// Memory is bounded: lists have limits, and say how many entries they left out.
//
// Sources: behaviours I1, I2, I8, B5, B6, D3, C7; shared design "Reports read
// what was committed".
package report
