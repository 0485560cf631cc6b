//go:build race

package sitemap

const hugeSitemap = 80 << 20 // the race detector makes unpacking ten times slower
