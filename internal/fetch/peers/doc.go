// Package peers tests the fetchers as a whole: against the servers that the
// web runs on, against servers that misbehave, and for a long time.
//
// It has tests only:
//   - what nginx, Apache and vsftpd send is what their files hold, in each coding,
//     protocol and range of sizes, and their own access logs say that a transfer
//     stopped at the limit, that a connection was reused, that a stream was one of
//     many (B1 to B5, G1);
//   - each failure class is provoked by at least one real socket, and its label in
//     the crawl stats is the one of the table (B7, I2);
//   - nothing is left after thousands of hostile fetches: no goroutine, no socket
//     (case 21), and the soak, which runs in a size of one's choice (make soak).
//
// It does not test single codings, faults and limits: the tests of httpfetch and
// ftpfetch do. What it needs of Debian's packages is said in scripts/test.sh;
// without them its tests are skipped, and fail where TRAWL_REQUIRE_PEERS is 1.
//
// Invariants: servers listen on loopback addresses and end with the test that
// started them; files are made in temporary directories; nothing of the machine's
// own servers and their configuration is touched.
//
// Sources: behaviours B1 to B7, B11, G1, I2; cases 11, 12, 16 to 21 and 32.
package peers
