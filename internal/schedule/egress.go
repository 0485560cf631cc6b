package schedule

import (
	"time"

	"trawl/internal/crawl"
	"trawl/internal/egress"
)

// egress returns the regions that a hostname may be asked from (B10).
func (c *Config) egress(h crawl.Host) egress.Plan {
	if c.Egress == nil {
		return egress.Plan{}
	}
	return c.Egress(h)
}

// beginEgress chooses the region of a new crawl session of a hostname.
func (c *Config) beginEgress(rec crawl.HostRecord, now time.Time) crawl.EgressRecord {
	return egress.Begin(egress.DefaultParams(), c.egress(rec.Host), rec.Egress, now)
}

// observeEgress adds a finished job to the record of the region that it left from.
func (c *Config) observeEgress(rec crawl.HostRecord, job *Job, res *crawl.Result, now time.Time) crawl.EgressRecord {
	page := job.Kind != crawl.KindRobots && !job.Homepage
	return egress.Observe(egress.DefaultParams(), c.egress(job.Host), rec.Egress, job.Request.Egress, res, page, now)
}
