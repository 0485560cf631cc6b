// Package simreport tells what a simulated run has shown: figures before, during
// and after the trouble of its first host, the same in words with the behaviour
// rows behind them, a timeline for a terminal, charts, and tables for programs. Two
// runs can be put side by side.
//
// It decides what is told and how; it does not decide what happened. All of it is
// read from the timeline and the store that a run left, so that nothing is said
// that the run does not show.
//
// Invariants: the same run gives the same text, to the letter; a figure that was
// not reached is told as such; nothing here touches files or the clock.
//
// Sources: behaviours E1 to E9, F1 to F13, C4, C6, D3, B1, H1 to H5 for what a row
// stands for; thresholds such as "back" are house choices, named where they stand.
package simreport
