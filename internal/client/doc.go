// Package client holds the crawler clients: who asks, under which name, with
// which limits and manners. A client is data, a [Profile], never code (A1). The
// [Catalogue] built into the program is the embedded catalogue.yaml: trawl's
// own client and those that Google's documentation describes, each fact with
// its source or marked as a house choice. Users add clients of their own in the
// configuration.
//
// It decides what one client sends for one URL ([Profile.Request]), whether it
// asks conditionally ([Conditional]: G1, G2, G4), which robots.txt groups it
// obeys (A3), and whether it may be used on a hostname at all ([Allowed], A7).
// It does not decide when a URL is fetched, nor what follows from an answer.
//
// Invariants:
//   - Pure: no I/O, no clock, no randomness; a pick in [0, 1) is handed in.
//   - The default client names this software (A7). A client that carries
//     another operator's name says so by [Profile.Impersonates].
//   - No field of a profile is presented as documented that is a house choice:
//     [Profile.House] lists them all.
//   - User-agent strings hold printable ASCII only, whatever the configuration.
//
// Sources: behaviours A1 to A7, B4, B6, B8, G1, G2, G4; RFC 9110 sections 5.6.7
// (dates), 8.8 (validators), 10.1.5 (User-Agent), 13.1 (preconditions); RFC
// 9309 section 2.2.1 (product tokens); RFC 6761 section 6.3 (localhost).
package client
