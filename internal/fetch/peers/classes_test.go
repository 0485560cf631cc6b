//go:build unix

package peers_test

import (
	"context"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/fetch/fetchtest"
	"trawl/internal/react"
)

// labels is what the crawl stats call a failure (I2), for each class.
func labels() map[crawl.FailureClass]crawl.Response {
	return map[crawl.FailureClass]crawl.Response{
		crawl.FailNone: crawl.ResponseOK, crawl.FailDNS: crawl.ResponseDNSError, crawl.FailDNSUnresponsive: crawl.ResponseDNSUnresponsive,
		crawl.FailRefused: crawl.ResponseUnreachable, crawl.FailUnreachable: crawl.ResponseUnreachable, crawl.FailTLS: crawl.ResponseUnreachable, crawl.FailReset: crawl.ResponseUnreachable,
		crawl.FailConnectTimeout: crawl.ResponseTimeout, crawl.FailHeaderTimeout: crawl.ResponseTimeout, crawl.FailBodyTimeout: crawl.ResponseTimeout,
		crawl.FailUnparseable: crawl.ResponseFetchError, crawl.FailHeaderTooLarge: crawl.ResponseFetchError, crawl.FailDecode: crawl.ResponseFetchError, crawl.FailIncomplete: crawl.ResponseFetchError,
		crawl.FailBlockedPort: crawl.ResponseOther, crawl.FailBlockedAddress: crawl.ResponseOther, crawl.FailProxy: crawl.ResponseOther,
		crawl.FailCanceled: crawl.ResponseOther, crawl.FailOther: crawl.ResponseOther,
	}
}

// TestB7Provoked provokes each failure class by what a real socket does, and
// checks class, phase, host and time of the failure, and its label.
func TestB7Provoked(t *testing.T) {
	list := provocations()
	for _, p := range list {
		t.Run(p.class.String()+"/"+p.name, func(t *testing.T) {
			t.Parallel()
			p.provoke(t)
		})
	}
	provoked := map[crawl.FailureClass]bool{}
	for _, p := range list {
		provoked[p.class] = true
	}
	for class := crawl.FailNone; class <= crawl.FailOther; class++ {
		if !provoked[class] {
			t.Errorf("nothing provokes the class %v: add a provocation", class)
		}
		if _, ok := labels()[class]; !ok {
			t.Errorf("no label is expected for the class %v", class)
		}
	}
}

func (p provocation) provoke(t *testing.T) {
	req := fetchtest.NewRequest("")
	f, url := p.ask(t, req)
	req.URL = crawl.URL(url)
	req.Limits.Default = 1 << 20
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if p.class == crawl.FailCanceled {
		time.AfterFunc(20*time.Millisecond, cancel)
	}
	start := time.Now()
	res := f.Fetch(ctx, req)
	fetchtest.Check(t, req, res, time.Since(start))
	switch {
	case p.class == crawl.FailNone:
		if res.Failure != nil || res.Status != 200 {
			t.Errorf("status %d, %v; want no failure", res.Status, res.Failure)
		}
	case res.Failure == nil || res.Failure.Class != p.class:
		t.Errorf("status %d, %v; want %v", res.Status, res.Failure, p.class)
	case res.Failure.Phase != p.phase && !(p.phase == crawl.PhaseHeaders && res.Failure.Phase == crawl.PhaseRequest):
		t.Errorf("%v; want it in the %v phase", res.Failure, p.phase)
	}
	// Of a body that was cut or damaged the status decides, if something came.
	want := labels()[p.class]
	if (p.class == crawl.FailIncomplete || p.class == crawl.FailDecode) && len(res.Body) > 0 {
		want = crawl.ResponseOK
	}
	if got := react.Lookup(res).Response; got != want {
		t.Errorf("the crawl stats call it %v; want %v", got, want)
	}
}
