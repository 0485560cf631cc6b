//go:build !race

package sitemap

const hugeSitemap = 2 << 30
