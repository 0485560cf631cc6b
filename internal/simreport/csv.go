package simreport

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"trawl/internal/crawl"
	"trawl/internal/sim"
)

// CSV writes the timelines for programs: a line for each interval of each host, and
// of all hosts together, whose name is empty. Times are in seconds since the start.
func CSV(w io.Writer, r *sim.Result) error {
	out := csv.NewWriter(w)
	head := []string{"host", "elapsed_s", "time", "requests", "robots_requests", "page_resources", "http2_answers", "http2_refused", "abandoned", "blocked", "bytes", "connection_s", "parallel", "limit", "lowest_limit", "hostload_exceeded", "discovered"}
	for s := crawl.IndexUnknown; s <= crawl.IndexRemoved; s++ {
		head = append(head, "index_"+s.String())
	}
	for x := crawl.ResponseOK; x <= crawl.ResponseOther; x++ {
		head = append(head, x.String())
	}
	if err := out.Write(head); err != nil {
		return fmt.Errorf("writing CSV: %w", err)
	}
	for _, t := range append([]sim.Track{r.Total}, r.Hosts...) {
		for i := range t.Points {
			if err := out.Write(record(&t, &t.Points[i], r)); err != nil {
				return fmt.Errorf("writing CSV: %w", err)
			}
		}
	}
	if out.Flush(); out.Error() != nil {
		return fmt.Errorf("writing CSV: %w", out.Error())
	}
	return nil
}

func record(t *sim.Track, p *sim.Point, r *sim.Result) []string {
	f := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	rec := []string{
		string(t.Host), strconv.FormatInt(int64(p.At.Sub(r.Start).Seconds()), 10), p.At.UTC().Format("2006-01-02T15:04:05Z"),
		strconv.Itoa(p.Requests), strconv.Itoa(p.Robots), strconv.Itoa(p.Clients[crawl.ClientResource]), strconv.Itoa(p.HTTP2), strconv.Itoa(p.Refused),
		strconv.Itoa(p.Abandoned), strconv.Itoa(p.Blocked), strconv.FormatInt(p.Bytes, 10), f(p.Open.Seconds()), strconv.Itoa(p.Parallel),
		f(p.Limit), f(p.Lowest), strconv.FormatBool(p.Exceeded), strconv.Itoa(p.Discovered),
	}
	for _, n := range p.Index {
		rec = append(rec, strconv.Itoa(n))
	}
	for _, n := range p.Responses[crawl.ResponseOK:] {
		rec = append(rec, strconv.Itoa(n))
	}
	return rec
}
