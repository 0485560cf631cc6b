package robots

import (
	"bytes"
	"testing"
	"time"

	"trawl/internal/crawl"
)

func TestC3Answers(t *testing.T) {
	const (
		file    = AccessRules
		none    = AccessAll
		stopped = AccessNone
	)
	body := []byte("user-agent: *\ndisallow: /x\n")
	for _, c := range []struct {
		name string
		a    Answer
		want Access
		row  string
	}{
		{"C3/200", Answer{Status: 200, Body: body}, file, "C3"},
		{"C3/206", Answer{Status: 206, Body: body}, file, "C3"},
		{"C3/200 with HTML", Answer{Status: 200, Body: []byte("<html>")}, file, "C3"},
		{"C3/204 without body", Answer{Status: 204}, none, "C3"},
		{"C3/400", Answer{Status: 400}, none, "C3"},
		{"C3/401", Answer{Status: 401}, none, "C3"},
		{"C3/403 with a robots-looking body", Answer{Status: 403, Body: body}, none, "C3"},
		{"C3/404", Answer{Status: 404}, none, "C3"},
		{"C3/404 with a reset body", Answer{Status: 404, Failure: crawl.FailReset}, none, "C3"},
		{"C3/410", Answer{Status: 410}, none, "C3"},
		{"C3/429", Answer{Status: 429, Body: body}, stopped, "C4"},
		{"C3/500", Answer{Status: 500}, stopped, "C4"},
		{"case2/503 with an HTML body", Answer{Status: 503, Body: []byte("<html>")}, stopped, "C4"},
		{"case2/503 with a robots-looking body", down, stopped, "C4"},
		{"C3/600", Answer{Status: 600, Body: body}, stopped, "C4"},
		{"C3/1xx", Answer{Status: 103}, stopped, "C4"},
		{"C3/nothing at all", Answer{}, stopped, "C4"},
		{"case1/DNS", Answer{Failure: crawl.FailDNS}, stopped, "C4"},
		{"case1/DNS unresponsive", Answer{Failure: crawl.FailDNSUnresponsive}, stopped, "C4"},
		{"case1/connect timeout", Answer{Failure: crawl.FailConnectTimeout}, stopped, "C4"},
		{"case1/refused connection", Answer{Failure: crawl.FailRefused}, stopped, "C4"},
		{"case1/TLS", Answer{Failure: crawl.FailTLS}, stopped, "C4"},
		{"case1/header timeout", Answer{Failure: crawl.FailHeaderTimeout}, stopped, "C4"},
		{"case1/200 that stalls", Answer{Status: 200, Body: body, Failure: crawl.FailBodyTimeout}, stopped, "C4"},
		{"case1/200 that is reset", Answer{Status: 200, Body: body, Failure: crawl.FailReset}, stopped, "C4"},
		{"case4/sixth redirect", Answer{Status: 301, RedirectsExceeded: true}, none, "C1"},
		{"case4/redirect without Location", Answer{Status: 302}, none, "C1"},
		{"case32/304 out of nowhere", Answer{Status: 304}, stopped, "C4"},
		{"case6/refused redirect", Answer{Status: 301, Refused: true}, stopped, "B11"},
		{"case6/refused address", Answer{Failure: crawl.FailBlockedAddress}, stopped, "B11"},
		{"case6/refused port", Answer{Failure: crawl.FailBlockedPort, Refused: true}, stopped, "B11"},
		{"B10/our proxy failed", Answer{Failure: crawl.FailProxy}, stopped, "B10"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWalk(t)
			w.answer(c.a)
			s := w.state()
			if s.Access != c.want || s.Row != c.row {
				t.Errorf("access %s by %s, want %s by %s (%s)", s.Access, s.Row, c.want, c.row, s.Reason)
			}
			if good := c.want != stopped; w.rec.HasGood != good {
				t.Errorf("kept as a usable answer: %t", w.rec.HasGood)
			}
			if c.want != file && w.rec.Body != nil && len(w.rec.Body) > 0 {
				t.Errorf("kept the body %q", w.rec.Body)
			}
			if failing := c.row == "C4"; failing == w.rec.FailingSince.IsZero() {
				t.Errorf("failing since %s", w.rec.FailingSince)
			}
			if c.want == stopped && s.FetchAt.Sub(w.now) != time.Minute {
				t.Errorf("asked again after %s", s.FetchAt.Sub(w.now))
			}
		})
	}
}

func TestC4Case06RefusalIsNoAnswer(t *testing.T) {
	refusedRedirect := Answer{Status: 302, Refused: true}
	w := newWalk(t)
	w.answer(ok)
	w.to(hour)
	w.answer(refusedRedirect)
	w.expect(AccessRules, "C5", hour+time.Minute) // the fresh copy counts
	w.to(2 * day)
	w.answer(refusedRedirect)
	w.expect(AccessNone, "B11", 2*day+2*time.Minute)
	for range 100 { // and for ever: time opens nothing
		w.now = w.state().FetchAt.Add(12 * hour)
		w.answer(refusedRedirect)
		if s := w.state(); s.Access != AccessNone || s.AskHomepage {
			t.Fatalf("after %s: %+v", w.now.Sub(start), s)
		}
	}
	if string(w.rec.Body) != string(ok.Body) || !w.rec.FailingSince.IsZero() {
		t.Errorf("a refusal changed what is known of the host: %+v", w.rec)
	}
	w.answer(ok)
	if s := w.state(); s.Access != AccessRules || s.Row != "C3" {
		t.Errorf("after an answer: %+v", s)
	}
}

func TestCanceledChangesNothing(t *testing.T) {
	w := newWalk(t)
	w.answer(ok)
	w.to(day)
	before := w.rec
	w.answer(StatusFromResult(&crawl.Result{Failure: &crawl.Failure{Class: crawl.FailCanceled}}))
	if w.rec.FetchedAt != before.FetchedAt || w.rec.Attempts != 0 || w.rec.Failure != crawl.FailNone {
		t.Errorf("record %+v", w.rec)
	}
	w.expect(AccessUnknown, "C5", day)
}

func TestC1Unasked304RenewsTheCopy(t *testing.T) {
	w := newWalk(t)
	w.answer(ok)
	w.to(day)
	w.answer(Answer{Status: 304})
	w.expect(AccessRules, "C3", 2*day)
	if string(w.rec.Body) != string(ok.Body) {
		t.Errorf("body %q", w.rec.Body)
	}
}

func TestC2Case05BodyLimit(t *testing.T) {
	big := bytes.Repeat([]byte("# filler\n"), MaxBytes/4)
	a := StatusFromResult(&crawl.Result{Status: 200, Body: big, Coding: "gzip"})
	if len(a.Body) != MaxBytes || !a.Truncated {
		t.Errorf("case5: answer of %d bytes, truncated %t", len(a.Body), a.Truncated)
	}
	rec := Update(DefaultTimes(), crawl.RobotsRecord{}, Answer{Status: 200, Body: big}, start)
	if len(rec.Body) != MaxBytes || !rec.Truncated || cap(rec.Body) > 2*MaxBytes {
		t.Errorf("case5: record of %d bytes (%d held), truncated %t", len(rec.Body), cap(rec.Body), rec.Truncated)
	}
	big[0] = 'X'
	if rec.Body[0] == 'X' {
		t.Error("the record holds the caller's buffer")
	}
	if rec = Update(DefaultTimes(), rec, ok, start); rec.Truncated {
		t.Error("still truncated after a short file")
	}
}

func TestC3StatusFromResult(t *testing.T) {
	fail := func(c crawl.FailureClass) *crawl.Failure { return &crawl.Failure{Class: c} }
	for _, c := range []struct {
		name string
		res  *crawl.Result
		want Answer
	}{
		{"nil", nil, Answer{Failure: crawl.FailOther}},
		{"whole", &crawl.Result{Status: 200, Body: []byte("x"), Header: crawl.Header{{Name: "cache-control", Value: "max-age=60"}}}, Answer{Status: 200, Body: []byte("x"), MaxAge: time.Minute}},
		{"cut by our limit", &crawl.Result{Status: 200, Body: []byte("x"), Truncated: true}, Answer{Status: 200, Body: []byte("x"), Truncated: true}},
		{"case19/incomplete with body", &crawl.Result{Status: 200, Body: []byte("x"), Failure: fail(crawl.FailIncomplete)}, Answer{Status: 200, Body: []byte("x"), Failure: crawl.FailIncomplete}},
		{"case19/damaged with body", &crawl.Result{Status: 200, Body: []byte("x"), Failure: fail(crawl.FailDecode)}, Answer{Status: 200, Body: []byte("x"), Failure: crawl.FailDecode}},
		{"case19/incomplete without body", &crawl.Result{Status: 200, Failure: fail(crawl.FailIncomplete)}, Answer{Status: 200, Failure: crawl.FailIncomplete}},
		{"incomplete 503", &crawl.Result{Status: 503, Body: []byte("x"), Failure: fail(crawl.FailIncomplete)}, Answer{Status: 503, Body: []byte("x"), Failure: crawl.FailIncomplete}},
		{"stalled", &crawl.Result{Status: 200, Body: []byte("x"), Failure: fail(crawl.FailBodyTimeout)}, Answer{Status: 200, Body: []byte("x"), Failure: crawl.FailBodyTimeout}},
		{"case6/address", &crawl.Result{Failure: fail(crawl.FailBlockedAddress)}, Answer{Failure: crawl.FailBlockedAddress, Refused: true}},
		{"case6/port", &crawl.Result{Failure: fail(crawl.FailBlockedPort)}, Answer{Failure: crawl.FailBlockedPort, Refused: true}},
		{"canceled", &crawl.Result{Failure: fail(crawl.FailCanceled)}, Answer{Failure: crawl.FailCanceled, Refused: true}},
		{"case1/TLS", &crawl.Result{Failure: fail(crawl.FailTLS)}, Answer{Failure: crawl.FailTLS}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := StatusFromResult(c.res)
			same := got.Status == c.want.Status && got.Failure == c.want.Failure && bytes.Equal(got.Body, c.want.Body) && got.Truncated == c.want.Truncated &&
				got.MaxAge == c.want.MaxAge && got.Refused == c.want.Refused && !got.RedirectsExceeded
			if !same {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestC5ParseMaxAge(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"":                                   0,
		"max-age=3600":                       time.Hour,
		"public, MAX-AGE=60, immutable":      time.Minute,
		"max-age=\"60\"":                     time.Minute,
		"max-age=0":                          time.Second,
		"max-age=60, max-age=7":              time.Minute,
		"s-maxage=60":                        0,
		"no-store":                           0,
		"max-age=-1":                         0,
		"max-age=1e9":                        0,
		"max-age=":                           0,
		"max-age":                            0,
		"max-age=99999999999999999999999999": (1 << 31) * time.Second,
	} {
		h := crawl.Header{{Name: "Expires", Value: "0"}, {Name: "cache-Control", Value: value}}
		if got := MaxAge(h); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
	two := crawl.Header{{Name: "Cache-Control", Value: "public"}, {Name: "Cache-Control", Value: "max-age=5"}}
	if got := MaxAge(two); got != 5*time.Second {
		t.Errorf("in the second field: %s", got)
	}
}
