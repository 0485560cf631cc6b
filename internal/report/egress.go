package report

import "trawl/internal/crawl"

// egressText says from which region a hostname is asked, and how each answered it
// (B10); nothing where it is asked directly and nothing else is configured.
func egressText(p *printer, e crawl.EgressRecord) {
	if e.Choice == "" && len(e.Regions) == 0 {
		return
	}
	p.f("  region: %s\n", regionName(e.Choice))
	for _, r := range e.Regions {
		if r.Tried.IsZero() {
			continue
		}
		p.f("    %s, last asked %s: ", regionName(r.Region), stamp(r.Tried))
		switch {
		case r.Proxy > 0:
			p.f("its proxies failed, %s in a row\n", Count(int64(r.Proxy), "time"))
		case r.Blocked > 0:
			p.f("blocked, %s in a row\n", Count(int64(r.Blocked), "session"))
		case !r.LastOK.IsZero():
			p.f("it answered a page last at %s\n", stamp(r.LastOK))
		default:
			p.f("%s refused or not answered so far\n", Count(int64(r.Bad), "request"))
		}
	}
}

func regionName(r string) string {
	if r == "" {
		return "direct"
	}
	return Safe(r)
}
