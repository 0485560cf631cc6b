// Package sim is the simulated driver: it runs the state machine of package
// schedule in virtual time, against a synthetic web and a store in memory.
//
// A [Scenario] describes hosts (pages, server, robots.txt), clients and faults
// by schedule; [Run] plays it from a seed and returns a [Result]: a timeline of
// requests, responses, capacity and index states, and the final state. Nothing
// here decides anything about crawling: what is simulated is the code that is
// shipped, driven through the same Next, Digest, Done and Committed, with reads
// of the store that take time and commits that are acknowledged later.
//
// What is simulated of a server, and how: see [Web]. Not simulated: bytes of a
// connection (a fetch is one answer with a duration), TLS, content codings,
// archives, and the feed of documents.
//
// Invariants:
//   - One goroutine, no clock, no sleeping: the same scenario gives the same
//     result, to the last figure ([Result.Hash]).
//   - Memory is bounded by the scenario, which [Scenario.Validate] bounds.
//   - With [Options.Check], every step is held to the promises of packages
//     schedule, hostload, robots and react, by code that does not share theirs
//     where that is possible (see check.go); what breaks one ends the run with
//     a [Violation].
//
// Sources: shared design "a pure core, two drivers"; behaviours C3 to C7, D3,
// E1 to E9, F1 to F13, G1, H1, H3.
package sim
