// Package schedule is the state machine of a crawl: what to fetch now, and what
// a finished fetch changes.
//
// It is driven from outside and never does I/O, reads a clock or rolls a die on
// its own. A driver calls [Scheduler.Next] for a [Step]: a job to fetch, an
// outcome to commit, a hostname or URLs to load from the store, or how long to
// wait. A fetched job goes through [Config.Digest], a pure function that any
// goroutine may run, and then to [Scheduler.Done], which returns the
// [crawl.Outcome] to commit. When it is committed the driver says so with
// [Scheduler.Committed]. The live and the simulated driver do the same, so what
// is simulated is what is shipped.
//
// Everything that contacts a server is a job charged to the hostname contacted:
// pages, sitemaps, robots.txt and each hop of its redirects, homepages asked for
// C4. A redirect's target is a URL of the frontier like any other, with the
// chain that led to it. Several clients may have work for one hostname: its
// capacity is one, and is shared by weighted fair queueing of the time used.
//
// It does not decide what a response means (react), when a URL is wanted
// (demand), what a hostname bears (hostload), what robots.txt says (robots),
// whether a lastmod is believed (lastmod): it asks them and keeps the queues.
//
// Invariants:
//   - A job is issued only if hostload admits it and, but for robots.txt files
//     themselves, robots.txt of its origin allows it (or the client's policy
//     ignores it).
//   - A (URL, client) pair is in memory at most once until its outcome is
//     committed: it cannot be under way twice.
//   - Memory: at most Config.Window URLs of a hostname for each client, at most
//     MaxHosts hostnames.
//   - One goroutine at a time calls a Scheduler.
//
// Sources: behaviours A3 to A5, B6, C3 to C8, D1, D2, E1 to E9, F, H1.
package schedule
