package report

import (
	"context"
	"sort"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/live"
	"trawl/internal/owner"
	"trawl/internal/store"
)

// Summary is what a store knows about a crawl, for people and scripts.
type Summary struct {
	Known      int64          `json:"urls_known"`
	Crawled    int64          `json:"urls_crawled"`
	Pending    int64          `json:"urls_pending"`      // known, never crawled, not disallowed
	Content    int64          `json:"urls_with_content"` // pages that were answered with neither a redirect nor an error
	Hosts      int64          `json:"hosts"`
	Stats      Breakdown      `json:"crawl_stats"`
	Index      []Share        `json:"index"`
	Slowest    []PageFact     `json:"slowest"`
	Largest    []PageFact     `json:"largest"`
	Truncated  List[PageFact] `json:"truncated"`
	Chains     List[Chain]    `json:"redirect_chains"`
	Redirects  int64          `json:"redirects"`
	Broken     List[Broken]   `json:"broken_links"`
	Blocked    List[PageFact] `json:"robots_blocked"`
	Traps      List[HostTrap] `json:"traps"`
	Left       List[LeftHost] `json:"left"` // hostnames with work that was not done
	Incomplete List[PageFact] `json:"incomplete"`
	Bounded    List[PageFact] `json:"bounded"`     // pages of which a limit of ours kept part from being read
	Pruned     int64          `json:"urls_pruned"` // in traps that show in many URLs together
}

// List is a bounded list: Total counts all, Items holds the first Limit.
type List[T any] struct {
	Total int64 `json:"total"`
	Items []T   `json:"items"`
}

func (l *List[T]) add(limit int, v T) bool {
	l.Total++
	if len(l.Items) < limit {
		l.Items = append(l.Items, v)
		return true
	}
	return false
}

// PageFact is one URL with the figures of its last crawl.
type PageFact struct {
	URL      crawl.URL          `json:"url"`
	Client   crawl.ClientID     `json:"client"`
	Status   int                `json:"status,omitempty"`
	Failure  crawl.FailureClass `json:"failure"`
	Bytes    int64              `json:"bytes"`
	Duration time.Duration      `json:"duration_ns"`
	Referrer crawl.URL          `json:"referrer,omitempty"`
}

// Chain is a chain of redirects as it was crawled.
type Chain struct {
	Hops []crawl.URL `json:"hops"`
	End  string      `json:"end"` // what the last hop answered
}

// Broken is a URL that failed, and the pages that link to it.
type Broken struct {
	URL       crawl.URL       `json:"url"`
	Answer    string          `json:"answer"`
	Referrers List[crawl.URL] `json:"referrers"`
}

// HostTrap is a trap of one hostname (D3).
type HostTrap struct {
	Host crawl.Host `json:"host"`
	crawl.Trap
}

// Options bound a summary.
type Options struct {
	Limit int // entries of each list; 0 = 100
	Top   int // slowest and largest; 0 = 10
	Now   time.Time
}

const (
	maxReferrers = 20
	maxRedirects = 200_000 // redirect edges kept while chains are walked
	maxChain     = 64      // hops of a chain that are shown
)

// Summarise reads the store once over its URLs, once over its links if there
// are broken ones, and over its hosts and stats.
func Summarise(ctx context.Context, st store.Store, opt Options) (*Summary, error) {
	if opt.Limit <= 0 {
		opt.Limit = 100
	}
	if opt.Top <= 0 {
		opt.Top = 10
	}
	b := &builder{
		sum: &Summary{}, opt: opt, slowest: top{n: opt.Top}, largest: top{n: opt.Top},
		edges: map[crawl.URL]edge{}, pending: map[crawl.Host]map[crawl.Origin]int64{}, broken: map[uint32][]int{}, index: map[string]int64{},
	}
	for rec, err := range st.URLs(ctx, store.URLFilter{}) {
		if err != nil {
			return nil, err
		}
		b.url(&rec)
	}
	if err := b.referrers(ctx, st); err != nil {
		return nil, err
	}
	var err error
	if b.wishes, _, err = live.Wishes(ctx, st); err != nil {
		return nil, err
	}
	if err := b.hosts(ctx, st); err != nil {
		return nil, err
	}
	b.sum.Slowest, b.sum.Largest = b.slowest.sorted(), b.largest.sorted()
	b.chains()
	b.sum.Index = shares(b.index)
	stats, err := Stats(ctx, st, store.StatFilter{})
	if err != nil {
		return nil, err
	}
	b.sum.Stats = *stats
	b.sum.noNulls()
	return b.sum, nil
}

// noNulls makes empty lists of those that were never added to, so that scripts
// meet [] and not null.
func (s *Summary) noNulls() {
	s.Truncated.Items = append([]PageFact{}, s.Truncated.Items...)
	s.Chains.Items = append([]Chain{}, s.Chains.Items...)
	for i := range s.Broken.Items {
		r := &s.Broken.Items[i].Referrers
		r.Items = append([]crawl.URL{}, r.Items...)
	}
	s.Broken.Items = append([]Broken{}, s.Broken.Items...)
	s.Blocked.Items = append([]PageFact{}, s.Blocked.Items...)
	s.Traps.Items = append([]HostTrap{}, s.Traps.Items...)
	s.Left.Items = append([]LeftHost{}, s.Left.Items...)
	s.Incomplete.Items = append([]PageFact{}, s.Incomplete.Items...)
	s.Bounded.Items = append([]PageFact{}, s.Bounded.Items...)
}

type edge struct {
	to  crawl.URL
	end string
}

type builder struct {
	sum     *Summary
	opt     Options
	slowest top
	largest top
	edges   map[crawl.URL]edge
	broken  map[uint32][]int // link hash -> entries of Broken
	pending map[crawl.Host]map[crawl.Origin]int64
	index   map[string]int64
	wishes  owner.Book
}

func (b *builder) url(rec *crawl.URLRecord) {
	b.sum.Known++
	reason := rec.Index.Reason
	if reason == crawl.ReasonNone {
		reason = crawl.ReasonDiscoveredNotIndexed
	}
	crawled, settled, page := false, false, false
	for i := range rec.Visits {
		v := &rec.Visits[i]
		crawled = crawled || v.Crawls > 0
		// Disallowed, pruned or refused by ourselves: decided without a request.
		settled = settled || v.Robots || v.Pruned || v.Failure != crawl.FailNone
		page = page || v.Kind == crawl.KindPage
		b.visit(rec, v)
	}
	if page { // sitemaps are no candidates for an index
		b.index[reason.String()]++
	}
	switch {
	case crawled:
		b.sum.Crawled++
	case !settled:
		b.sum.Pending++
		b.wait(rec.URL)
	}
}

// maxOrigins bounds the origins of one hostname that are told apart.
const maxOrigins = 64

func (b *builder) wait(u crawl.URL) {
	m := b.pending[u.Host()]
	if m == nil {
		m = map[crawl.Origin]int64{}
		b.pending[u.Host()] = m
	}
	o := u.Origin()
	if _, known := m[o]; !known && len(m) >= maxOrigins {
		o = "" // of more origins
	}
	m[o]++
}

func (b *builder) visit(rec *crawl.URLRecord, v *crawl.Visit) {
	fact := PageFact{
		URL: rec.URL, Client: v.Client, Status: v.Status, Failure: v.Failure, Bytes: v.Bytes, Duration: v.Duration, Referrer: rec.Referrer,
	}
	if v.Robots {
		b.sum.Blocked.add(b.opt.Limit, fact)
		return
	}
	if v.Pruned {
		b.sum.Pruned++
		return
	}
	if v.Crawls == 0 {
		if v.Failure != crawl.FailNone {
			b.broke(rec, v.Failure.String()+" (refused by trawl itself, B11)")
		}
		return
	}
	if v.Bounded {
		b.sum.Bounded.add(b.opt.Limit, fact)
	}
	b.slowest.add(fact, int64(v.Duration))
	b.largest.add(fact, v.Bytes)
	if v.Truncated {
		b.sum.Truncated.add(b.opt.Limit, fact)
	}
	if v.Failure == crawl.FailIncomplete || v.Failure == crawl.FailDecode || v.Failure == crawl.FailBodyTimeout {
		b.sum.Incomplete.add(b.opt.Limit, fact)
	}
	if v.RedirectTo != "" {
		b.sum.Redirects++
	}
	if len(b.edges) < maxRedirects && (v.RedirectTo != "" || v.Response == crawl.ResponseRedirectError) {
		e := edge{to: v.RedirectTo}
		if v.Response == crawl.ResponseRedirectError {
			e.end = v.Response.String()
		}
		b.edges[rec.URL] = e
	}
	answer := failed(v)
	if answer == "" && v.RedirectTo == "" && v.Kind == crawl.KindPage {
		b.sum.Content++
	}
	if answer != "" {
		b.broke(rec, answer)
	}
}

func (b *builder) broke(rec *crawl.URLRecord, answer string) {
	if !b.sum.Broken.add(b.opt.Limit, Broken{URL: rec.URL, Answer: answer}) {
		return
	}
	h := crawl.LinkHash(rec.URL)
	i := len(b.sum.Broken.Items) - 1
	b.broken[h] = append(b.broken[h], i)
	if rec.Referrer != "" {
		b.sum.Broken.Items[i].Referrers.add(maxReferrers, rec.Referrer)
	}
}

// failed says how a visit failed; "" when it did not.
func failed(v *crawl.Visit) string {
	switch {
	case v.Response == crawl.ResponseRedirectError:
		return v.Response.String()
	case v.Failure != crawl.FailNone && v.Status < 300 && v.Response != crawl.ResponseOK:
		return v.Failure.String()
	case v.Status >= 400:
		return v.Response.String()
	}
	return ""
}

// referrers finds all pages that link to what is broken.
func (b *builder) referrers(ctx context.Context, st store.Store) error {
	if len(b.broken) == 0 {
		return nil
	}
	for page, err := range st.Links(ctx, store.URLFilter{}) {
		if err != nil {
			return err
		}
		for _, h := range page.Links {
			for _, i := range b.broken[h] {
				r := &b.sum.Broken.Items[i].Referrers
				if len(r.Items) > 0 && r.Items[0] == page.URL {
					continue
				}
				r.add(maxReferrers, page.URL)
			}
		}
	}
	return nil
}

// chains walks redirects of more than one hop from their starts.
func (b *builder) chains() {
	targets := make(map[crawl.URL]bool, len(b.edges))
	for _, e := range b.edges {
		targets[e.to] = true
	}
	starts := make([]crawl.URL, 0, len(b.edges))
	for u := range b.edges {
		starts = append(starts, u)
	}
	// Of a loop, every URL is a target: what no chain from outside has passed
	// comes last, and its smallest URL counts as the start.
	sort.Slice(starts, func(i, j int) bool {
		if a, b := targets[starts[i]], targets[starts[j]]; a != b {
			return b
		}
		return starts[i] < starts[j]
	})
	passed := map[crawl.URL]bool{}
	for _, u := range starts {
		if passed[u] {
			continue
		}
		c := b.chain(u, passed)
		if len(c.Hops) > 2 || c.End != "" {
			b.sum.Chains.add(b.opt.Limit, c)
		}
	}
}

// chain follows the redirects from u and notes what it passes.
func (b *builder) chain(u crawl.URL, passed map[crawl.URL]bool) Chain {
	c := Chain{Hops: []crawl.URL{u}}
	seen := map[crawl.URL]bool{u: true}
	for {
		passed[u] = true
		e, redirects := b.edges[u]
		if !redirects || e.to == "" {
			c.End = e.end
			return c
		}
		u = e.to
		c.Hops = append(c.Hops, u)
		if seen[u] {
			c.End = "loop"
			return c
		}
		if len(c.Hops) > maxChain {
			c.End = "more hops than any client follows"
			return c
		}
		seen[u] = true
	}
}

func (b *builder) hosts(ctx context.Context, st store.Store) error {
	for rec, err := range st.Hosts(ctx) {
		if err != nil {
			return err
		}
		b.sum.Hosts++
		for _, t := range rec.Traps {
			b.sum.Traps.add(b.opt.Limit, HostTrap{Host: rec.Host, Trap: t})
		}
		if err := b.left(ctx, st, &rec); err != nil {
			return err
		}
	}
	return nil
}
