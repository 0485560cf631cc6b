package record

import "trawl/internal/crawl"

// egress codes a record that most hostnames do not have: one bit then.
func (c *coder) egress(e *crawl.EgressRecord) {
	if !c.has(e.Choice != "" || !e.Session.IsZero() || len(e.Regions) > 0) {
		return
	}
	c.fields(func() {
		text(c, &e.Choice)
		c.time(&e.Session)
		list(c, &e.Regions, func(r *crawl.EgressRegion) {
			c.fields(func() {
				text(c, &r.Region)
				signed(c, &r.Good)
				signed(c, &r.Bad)
				signed(c, &r.Proxy)
				signed(c, &r.Blocked)
				c.time(&r.Tried)
				c.time(&r.LastOK)
			})
		})
	})
}
