// Package sitemaps checks sitemaps as the owner of a site wants them checked, and
// writes those of a crawl.
//
// A [Review] takes one parsed sitemap after the other, the children of an index
// among them, and keeps findings: what a crawler will not take, what it takes for
// something else than was meant, and what it will not believe. It says where, as a
// compiler does. A [Writer] turns URLs into files that a Review finds nothing in.
//
// It does not fetch, read files or look into stores: what robots.txt says and what
// is known of a URL are functions that its caller gives. It does not decide how a
// sitemap is read or what its scope is (content/sitemap).
//
// Invariants: pure; memory is bounded by MaxDistinct, MaxListed and MaxFiles
// whatever the sitemaps hold; what is not listed is still counted; the same input
// gives the same findings in the same order.
//
// Sources: the sitemaps.org protocol; behaviours C7, C8, D2; cases 27 to 29. The
// severities are house choices.
package sitemaps
