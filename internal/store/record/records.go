package record

import (
	"encoding/binary"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/store"
)

// The order of fields in these methods is the stored format; see codec.go.

func (c *coder) record(r *crawl.URLRecord) {
	c.fields(func() {
		c.base = epoch()
		c.time(&r.Discovered)
		unsigned(c, &r.Via)
		c.relative(&r.Referrer, r.URL)
		signed(c, &r.Depth)
		if c.has(r.Index != crawl.Index{}) {
			c.index(&r.Index)
		}
		// Most times of a record are close to its discovery.
		if !r.Discovered.IsZero() {
			c.base = r.Discovered
		}
		list(c, &r.Visits, func(v *crawl.Visit) { c.visit(v, r.URL) })
		c.relative(&r.Canonical, r.URL)
	})
}

// epoch is the base of times that have no better one; part of the format.
func epoch() time.Time { return time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC) }

// visit has the fields of a visit that is only queued first: their mask is short.
func (c *coder) visit(v *crawl.Visit, u crawl.URL) {
	c.fields(func() {
		c.client(&v.Client)
		c.time(&v.Due)
		unsigned(c, &v.Band)
		unsigned(c, &v.Kind)
		list(c, &v.Chain, func(p *crawl.URL) { rawText(c, p) })
		c.time(&v.LastCrawl)
		signed(c, &v.Status)
		unsigned(c, &v.Response)
		unsigned(c, &v.Type)
		unsigned(c, &v.Digest)
		unsigned(c, &v.Crawls)
		signed(c, &v.Bytes)
		signed(c, &v.WireBytes)
		signed(c, &v.Duration)
		text(c, &v.ETag)
		text(c, &v.LastModified)
		unsigned(c, &v.Changes)
		unsigned(c, &v.Failure)
		unsigned(c, &v.Failures)
		c.time(&v.FailingSince)
		c.flag(&v.Robots)
		c.flag(&v.Truncated)
		c.relative(&v.RedirectTo, u)
		c.archive(&v.Archive)
		c.flag(&v.Pruned)
		c.flag(&v.Bounded)
		unsigned(c, &v.Same)
		c.time(&v.SameSince)
		list(c, &v.Past, c.answer)
		c.time(&v.LastMod)
		c.time(&v.LastModAt)
		c.time(&v.Changed)
		c.time(&v.Unavailable)
		unsigned(c, &v.Likeness)
	})
}

func (c *coder) answer(a *crawl.Answer) {
	c.fields(func() {
		signed(c, &a.Status)
		unsigned(c, &a.Failure)
		unsigned(c, &a.Count)
		c.time(&a.Since)
		c.time(&a.Until)
	})
}

func (c *coder) archive(a *crawl.ArchiveRef) {
	if !c.has(*a != crawl.ArchiveRef{}) {
		return
	}
	c.fields(func() {
		text(c, &a.File)
		signed(c, &a.Offset)
		signed(c, &a.Length)
		c.time(&a.At)
	})
}

func (c *coder) index(x *crawl.Index) {
	c.fields(func() {
		unsigned(c, &x.State)
		unsigned(c, &x.Reason)
		text(c, &x.Row)
		c.time(&x.Since)
	})
}

// change leaves out the URL, which is in the key.
func (c *coder) change(x *crawl.IndexChange) {
	c.fields(func() {
		c.time(&x.At)
		if c.has(x.From != crawl.Index{}) {
			c.index(&x.From)
		}
		if c.has(x.To != crawl.Index{}) {
			c.index(&x.To)
		}
		text(c, &x.Detail)
	})
}

func (c *coder) history(h *[]crawl.IndexChange) {
	c.base = epoch()
	c.fields(func() { list(c, h, c.change) })
}

// host leaves out the hostname, which is in the key.
func (c *coder) host(h *crawl.HostRecord) {
	c.fields(func() {
		c.base = epoch()
		c.time(&h.Due)
		if !h.Due.IsZero() {
			c.base = h.Due
		}
		c.load(&h.Load)
		c.protocol(&h.Protocol)
		list(c, &h.Traps, func(t *crawl.Trap) {
			c.fields(func() {
				text(c, &t.Pattern)
				text(c, &t.Reason)
				text(c, &t.Example)
				signed(c, &t.Count)
				c.time(&t.Since)
			})
		})
		list(c, &h.Clusters, c.cluster)
		list(c, &h.Contents, func(x *crawl.Content) {
			c.fields(func() {
				unsigned(c, &x.Digest)
				signed(c, &x.Count)
			})
		})
		if c.has(h.Sitemaps != crawl.SitemapRecord{}) {
			c.sitemaps(&h.Sitemaps)
		}
		c.egress(&h.Egress)
		list(c, &h.Landings, func(x *crawl.Landing) {
			c.fields(func() {
				text(c, &x.Target)
				text(c, &x.Title)
				signed(c, &x.Count)
			})
		})
		c.time(&h.Move.Since)
		signed(c, &h.Move.Count)
		c.time(&h.Move.Until)
	})
}

func (c *coder) cluster(x *crawl.Cluster) {
	c.fields(func() {
		unsigned(c, &x.Digest)
		text(c, &x.First)
		text(c, &x.Title)
		signed(c, &x.Count)
		c.time(&x.Since)
	})
}

func (c *coder) sitemaps(s *crawl.SitemapRecord) {
	c.fields(func() {
		t := &s.Trust
		c.float(&t.True)
		c.float(&t.False)
		c.float(&t.Told)
		c.float(&t.Untold)
		c.time(&t.At)
		unsigned(c, &t.Checked)
		signed(c, &t.Dates)
		signed(c, &t.BadDates)
		signed(c, &s.OutOfScope)
		text(c, &s.Example)
		text(c, &s.Sitemap)
		c.time(&s.At)
	})
}

func (c *coder) load(l *crawl.HostLoad) {
	c.fields(func() {
		c.float(&l.Limit)
		c.float(&l.Level)
		c.time(&l.At)
		c.float(&l.Expected)
		c.float(&l.Baseline)
		c.time(&l.NotBefore)
		signed(c, &l.Backoffs)
		c.time(&l.WindowStart)
		signed(c, &l.WindowOK)
		signed(c, &l.WindowBad)
		c.flag(&l.WindowUsed)
		text(c, &l.Cause)
		c.time(&l.ChangedAt)
		c.float(&l.Latency)
		list(c, &l.Changes, c.rateChange)
		signed(c, &l.BeforeOK)
		c.float(&l.BeforeSpan)
		c.float(&l.Pace)
		c.float(&l.PaceTop)
		c.float(&l.LimitTop)
		c.time(&l.HeldUntil)
		c.float(&l.WindowWait)
		signed(c, &l.WindowWaits)
		c.time(&l.RefusedAt)
		c.time(&l.LimiterAt)
		c.float(&l.ShareBad)
		c.float(&l.ShareAll)
		signed(c, &l.BadRow)
	})
}

func (c *coder) rateChange(x *crawl.RateChange) {
	c.fields(func() {
		unsigned(c, &x.Cause)
		c.float(&x.From)
		c.float(&x.To)
		c.time(&x.Since)
		c.time(&x.At)
		c.time(&x.Until)
		signed(c, &x.Count)
		text(c, &x.Detail)
	})
}

func (c *coder) protocol(p *crawl.ProtocolRecord) {
	c.fields(func() {
		unsigned(c, &p.Choice)
		c.flag(&p.OptOut)
		for _, s := range []*crawl.ProtocolStats{&p.H1, &p.H2} {
			signed(c, &s.Fetches)
			signed(c, &s.Failures)
			signed(c, &s.Millis)
		}
	})
}

// robots leaves out the origin, which is in the key.
func (c *coder) robots(r *crawl.RobotsRecord) {
	c.fields(func() {
		c.base = epoch()
		c.time(&r.FetchedAt)
		signed(c, &r.Status)
		unsigned(c, &r.Failure)
		c.time(&r.GoodAt)
		c.blob(&r.Body)
		c.flag(&r.HasGood)
		signed(c, &r.MaxAge)
		c.time(&r.FailingSince)
		signed(c, &r.Attempts)
		c.flag(&r.HomepageOK)
		c.time(&r.HomepageAt)
		c.flag(&r.Truncated)
	})
}

// document leaves out the number, which is in the key.
func (c *coder) document(d *crawl.Document) {
	c.fields(func() {
		c.base = epoch()
		text(c, &d.URL)
		c.client(&d.Client)
		c.time(&d.At)
		signed(c, &d.Status)
		text(c, &d.MediaType)
		text(c, &d.Title)
		unsigned(c, &d.Digest)
		c.flag(&d.Unchanged)
		c.archive(&d.Archive)
	})
}

// lease leaves out the shard, which is in the key.
func (c *coder) lease(l *store.Lease) {
	c.fields(func() {
		c.base = epoch()
		text(c, &l.Worker)
		unsigned(c, &l.Epoch)
		c.time(&l.Expires)
	})
}

// links codes sorted hashes as differences.
func (c *coder) links(p *[]uint32) {
	c.fields(func() {
		last := uint32(0)
		list(c, p, func(h *uint32) {
			if !c.reading {
				c.b = binary.AppendUvarint(c.b, uint64(*h-last))
			} else {
				v := uint64(last) + c.uvarint()
				if *h = uint32(v); uint64(*h) != v {
					c.fail()
				}
			}
			last = *h
		})
	})
}

// client codes a client name as its number.
func (c *coder) client(p *crawl.ClientID) {
	if !c.has(*p != "") {
		return
	}
	if !c.reading {
		c.b = binary.AppendUvarint(c.b, uint64(c.clients.Number(*p)))
		return
	}
	name, ok := c.clients.Name(c.uvarint())
	if !ok {
		c.fail()
		return
	}
	*p = name
}
