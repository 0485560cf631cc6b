// Package fetchtest holds what tests of fetchers share: the suite that every
// implementation of [fetch.Fetcher] passes ([Run]), and servers that
// misbehave at will ([Serve] and the scripts).
//
// A [Script] speaks for the server on one raw connection, so that it can send
// what no HTTP library would. Scripts listen on loopback addresses only.
//
// Sources: behaviours B3 to B8 and B11; cases 17 to 21.
package fetchtest
