package protocol

import (
	"testing"
	"time"

	"trawl/internal/crawl"
)

func stats(n, failures, ms int64) crawl.ProtocolStats {
	return crawl.ProtocolStats{Fetches: n, Failures: failures, Millis: n * ms}
}

func TestB1Choice(t *testing.T) {
	for name, c := range map[string]struct {
		rec  crawl.ProtocolRecord
		want crawl.Protocol
	}{
		"default is HTTP/1.1":          {crawl.ProtocolRecord{}, crawl.ProtocolHTTP1},
		"not enough to compare with":   {crawl.ProtocolRecord{H1: stats(49, 0, 80)}, crawl.ProtocolHTTP1},
		"HTTP/2 is tried":              {crawl.ProtocolRecord{H1: stats(50, 0, 80)}, crawl.ProtocolHTTP2},
		"trial goes on":                {crawl.ProtocolRecord{H1: stats(500, 0, 80), H2: stats(20, 0, 500)}, crawl.ProtocolHTTP2},
		"HTTP/2 is faster":             {crawl.ProtocolRecord{H1: stats(100, 0, 80), H2: stats(100, 0, 40)}, crawl.ProtocolHTTP2},
		"HTTP/1.1 is faster":           {crawl.ProtocolRecord{Choice: crawl.ProtocolHTTP2, H1: stats(100, 0, 40), H2: stats(100, 0, 80)}, crawl.ProtocolHTTP1},
		"HTTP/2 fails more":            {crawl.ProtocolRecord{H1: stats(100, 0, 80), H2: stats(100, 10, 40)}, crawl.ProtocolHTTP1},
		"HTTP/1.1 fails more":          {crawl.ProtocolRecord{H1: stats(100, 10, 40), H2: stats(100, 0, 80)}, crawl.ProtocolHTTP2},
		"as good: stays with 2":        {crawl.ProtocolRecord{Choice: crawl.ProtocolHTTP2, H1: stats(100, 0, 80), H2: stats(100, 0, 79)}, crawl.ProtocolHTTP2},
		"as good: stays with 1.1":      {crawl.ProtocolRecord{Choice: crawl.ProtocolHTTP1, H1: stats(100, 0, 80), H2: stats(100, 0, 79)}, crawl.ProtocolHTTP1},
		"opted out, however good":      {crawl.ProtocolRecord{OptOut: true, H1: stats(100, 50, 80), H2: stats(100, 0, 1)}, crawl.ProtocolHTTP1},
		"opted out before a trial":     {crawl.ProtocolRecord{OptOut: true, H1: stats(100, 0, 80)}, crawl.ProtocolHTTP1},
		"nothing measured over either": {crawl.ProtocolRecord{H2: stats(100, 0, 1)}, crawl.ProtocolHTTP1},
	} {
		if got := Begin(DefaultParams(), c.rec).Choice; got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestB1OnlyOverTLS(t *testing.T) {
	rec := crawl.ProtocolRecord{Choice: crawl.ProtocolHTTP2}
	if For(rec, "https") != crawl.ProtocolHTTP2 || For(rec, "http") != crawl.ProtocolAuto || For(crawl.ProtocolRecord{}, "https") != crawl.ProtocolAuto {
		t.Error("HTTP/2 is asked for in the wrong place")
	}
}

func TestB1MisdirectedIsRememberedForGood(t *testing.T) {
	p := DefaultParams()
	rec := Begin(p, crawl.ProtocolRecord{H1: stats(60, 0, 80)})
	rec, _ = Observe(p, rec, Session{}, crawl.ProtocolHTTP2, &crawl.Result{Status: 200, Misdirected: true, Protocol: crawl.ProtocolHTTP1})
	if !rec.OptOut || rec.Choice != crawl.ProtocolHTTP1 {
		t.Fatalf("%+v", rec)
	}
	for range 10 {
		rec = Begin(p, rec)
		if rec.Choice != crawl.ProtocolHTTP1 {
			t.Fatalf("asked over HTTP/2 again: %+v", rec)
		}
	}
}

func TestB1FaultsEndTheSessionsUse(t *testing.T) {
	p := DefaultParams()
	reset := &crawl.Result{Failure: &crawl.Failure{Class: crawl.FailReset}}
	declined := &crawl.Result{Status: 200, Protocol: crawl.ProtocolHTTP1}
	good := &crawl.Result{Status: 200, Protocol: crawl.ProtocolHTTP2, Timings: crawl.Timings{Total: 10 * time.Millisecond}}
	for name, bad := range map[string]*crawl.Result{"reset": reset, "not offered": declined} {
		rec, s := Begin(p, crawl.ProtocolRecord{H1: stats(60, 0, 80)}), Session{}
		for i, r := range []*crawl.Result{bad, bad, good, bad, bad, bad} {
			if rec.Choice != crawl.ProtocolHTTP2 {
				t.Fatalf("%s: given up after %d answers", name, i)
			}
			rec, s = Observe(p, rec, s, crawl.ProtocolHTTP2, r)
		}
		if rec.Choice != crawl.ProtocolHTTP1 || rec.OptOut || rec.H2.Failures != 5 {
			t.Errorf("%s: %+v", name, rec)
		}
	}
	rec, _ := Observe(p, crawl.ProtocolRecord{}, Session{}, crawl.ProtocolHTTP2, &crawl.Result{Failure: &crawl.Failure{Class: crawl.FailCanceled}})
	if rec != (crawl.ProtocolRecord{}) {
		t.Errorf("our own stop counts: %+v", rec)
	}
}

func TestB1RecordFades(t *testing.T) {
	p := DefaultParams()
	rec := crawl.ProtocolRecord{Choice: crawl.ProtocolHTTP2, H1: stats(10_000, 0, 40), H2: stats(10_000, 0, 30)}
	for i := range 20 {
		rec = Begin(p, rec)
		if rec.Choice == crawl.ProtocolHTTP1 {
			if i < 2 {
				t.Errorf("changed after %d sessions", i)
			}
			return
		}
		for range 100 { // HTTP/2 has become slow
			rec, _ = Observe(p, rec, Session{}, crawl.ProtocolHTTP2, &crawl.Result{Status: 200, Protocol: crawl.ProtocolHTTP2, Timings: crawl.Timings{Total: 90 * time.Millisecond}})
		}
	}
	t.Error("what changed is never noticed")
}
