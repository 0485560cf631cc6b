package schedule

import (
	"slices"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/react"
)

// Content that many URLs of a hostname give is one cluster (F11): one URL stands
// for it, the others are excluded as duplicates and asked for seldom. That is
// what becomes of an error text sent with 200. Content is the same when its bytes
// are or, of an error message or a small page, when its likeness is: times and
// request numbers do not count there.

// clusterFrom is how many URLs make a cluster (house choice): a handful of equal
// pages is usual, and costs a crawl nothing.
const clusterFrom = 10

// contentOf is what tells the content of a page from others.
func contentOf(digest, likeness uint64) uint64 {
	if likeness != 0 {
		return likeness
	}
	return digest
}

// counted adds a URL to the counts of contents, after Misra and Gries: when there
// is no room for another content, each of those that are there loses one. So
// whatever makes up more than one in MaxContents+1 of what is crawled is found, in
// bounded room.
func counted(list []crawl.Content, digest uint64) (all []crawl.Content, n int) {
	all = slices.Clone(list)
	for i := range all {
		if all[i].Digest == digest {
			all[i].Count++
			return all, all[i].Count
		}
	}
	if len(all) < crawl.MaxContents {
		return append(all, crawl.Content{Digest: digest, Count: 1}), 1
	}
	for i := range all {
		all[i].Count--
	}
	return slices.DeleteFunc(all, func(c crawl.Content) bool { return c.Count <= 0 }), 0
}

// duplicate returns the URL that stands for the content that a page repeats, ""
// if it repeats none. was tells the content that the URL gave before.
func (s *Scheduler) duplicate(o *crawl.Outcome, h *host, e *crawl.QueueEntry, f *Findings, was uint64, now time.Time) crawl.URL {
	if e.Visit.Client != s.cfg.primary() || e.Visit.Kind != crawl.KindPage || h.guest {
		return ""
	}
	digest := was
	switch {
	case f.Row.Index == react.EffectPass && f.Page != nil && f.Page.Digest != 0:
		digest = contentOf(f.Page.Digest, f.Page.Likeness)
	case f.Row.Index != react.EffectStands || was == 0:
		return ""
	}
	if was != digest && was != 0 {
		s.leave(o, h, e.URL, was)
	}
	if i := findCluster(h.rec.Clusters, digest); i >= 0 {
		c := h.rec.Clusters[i]
		if was != digest {
			c.Count++
		}
		if c.First == "" {
			c.First = e.URL
		}
		s.setCluster(o, h, i, c)
		if c.First == e.URL {
			return ""
		}
		return c.First
	}
	if was == digest {
		return ""
	}
	n := 0
	h.rec.Contents, n = counted(h.rec.Contents, digest)
	o.Host = s.record(h)
	if n >= clusterFrom {
		// This one stands for the others, which are found out when their turn comes.
		h.rec.Contents = slices.DeleteFunc(slices.Clone(h.rec.Contents), func(x crawl.Content) bool { return x.Digest == digest })
		s.addCluster(o, h, crawl.Cluster{Digest: digest, First: e.URL, Title: f.Page.Title, Count: int64(n), Since: now})
	}
	return ""
}

func findCluster(list []crawl.Cluster, digest uint64) int {
	return slices.IndexFunc(list, func(c crawl.Cluster) bool { return c.Digest == digest })
}

// leave takes a URL out of the cluster of the content that it gave before. A
// cluster of one is none any more.
func (s *Scheduler) leave(o *crawl.Outcome, h *host, u crawl.URL, digest uint64) {
	i := findCluster(h.rec.Clusters, digest)
	if i < 0 {
		return
	}
	c := h.rec.Clusters[i]
	c.Count--
	if c.First == u {
		c.First = "" // the next one that is met stands for the others
	}
	if c.Count > 1 {
		s.setCluster(o, h, i, c)
		return
	}
	h.rec.Clusters = slices.Delete(slices.Clone(h.rec.Clusters), i, i+1)
	o.Host = s.record(h)
}

// setCluster changes the i-th cluster in a copy of the list.
func (s *Scheduler) setCluster(o *crawl.Outcome, h *host, i int, c crawl.Cluster) {
	if h.rec.Clusters[i] == c {
		return
	}
	h.rec.Clusters = slices.Clone(h.rec.Clusters)
	h.rec.Clusters[i] = c
	o.Host = s.record(h)
}

// addCluster adds a cluster; when there is no room, the smallest gives way.
func (s *Scheduler) addCluster(o *crawl.Outcome, h *host, c crawl.Cluster) {
	list := slices.Clone(h.rec.Clusters)
	if len(list) >= crawl.MaxClusters {
		least := 0
		for i := range list {
			if list[i].Count < list[least].Count {
				least = i
			}
		}
		list = slices.Delete(list, least, least+1)
	}
	h.rec.Clusters = append(list, c)
	o.Host = s.record(h)
}
