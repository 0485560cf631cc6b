package sim

import (
	"strconv"
	"strings"
	"time"

	"trawl/internal/crawl"
)

// deploys returns how many deploys there were until a time since the start, and
// when the last one was.
func (a *Assets) deploys(at time.Duration) (n int, last time.Duration) {
	for _, d := range a.Deploys {
		if d <= at {
			n++
			last = max(last, d)
		}
	}
	return n, last
}

// assetsOf calls f with the URL of each asset of a page, as it is at a time.
func (s *site) assetsOf(page int, at time.Duration, f func(crawl.URL)) {
	a := &s.cfg.Assets
	version, _ := a.deploys(at)
	for i := range a.PerPage {
		n := (page*a.PerPage + i) % a.Count
		f(crawl.URL("https://" + string(s.assets) + "/assets/" + strconv.Itoa(s.index) + "/a" + strconv.Itoa(n) + "-" + strconv.Itoa(version) + ".js"))
	}
}

// assetOwner is the site whose asset is at a path of s, nil if none is.
func (w *Web) assetOwner(s *site, path string) *site {
	rest, ok := strings.CutPrefix(path, "/assets/")
	if !ok {
		return nil
	}
	index, _, _ := strings.Cut(rest, "/")
	i, err := strconv.Atoi(index)
	if err != nil || i < 0 || i >= len(w.list) || w.list[i].assets != s.name || w.list[i].cfg.Assets.Count == 0 {
		return nil
	}
	return w.list[i]
}

// serveAsset answers with a script: the one of today, or an old one that was kept.
func (r *Response) serveAsset(req *crawl.Request, wait, at time.Duration) {
	a := &r.owner.cfg.Assets
	_, file, _ := strings.Cut(strings.TrimPrefix(r.path, "/assets/"), "/a")
	number, version, _ := strings.Cut(strings.TrimSuffix(file, ".js"), "-")
	n, bad := strconv.Atoi(number)
	v, worse := strconv.Atoi(version)
	now, _ := a.deploys(at)
	if bad != nil || worse != nil || n < 0 || n >= a.Count || v > now || v < 0 || v < now && !a.Keep {
		r.status(404, 0)
		r.take(wait, 500, req)
		return
	}
	r.status(200, 0)
	r.body = bodyAsset
	r.result.Header = append(r.result.Header, crawl.Field{Name: "Content-Type", Value: "text/javascript"})
	r.take(wait, a.Bytes, req)
}
