package schedule

import (
	"fmt"
	"testing"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/hostload"
	"trawl/internal/owner"
)

// many is a host of n pages, all linked from its homepage.
func many(n int) func(crawl.URL, time.Time) answer {
	links := make([]string, n)
	for i := range links {
		links[i] = fmt.Sprintf("/p%d", i)
	}
	return func(u crawl.URL, _ time.Time) answer {
		switch u.Path() {
		case "/robots.txt":
			return answer{status: 404}
		case "/":
			return page(links...)
		}
		return page()
	}
}

// between counts the requests that were sent from from to before to.
func (b *bench) between(from, to time.Duration) int {
	n := 0
	for _, s := range b.log {
		if d := s.at.Sub(t0); from <= d && d < to {
			n++
		}
	}
	return n
}

func TestE7OwnersLimitActsAtOnce(t *testing.T) {
	const second = time.Second
	b := newBench(t, many(5000)).start(h + "/").run(t0.Add(10 * second))
	before := b.between(5*second, 10*second)
	if before < 300 {
		t.Fatalf("%d requests in 5 s before the wish: too few to show anything", before)
	}
	b.sched.SetWishes(b.now, owner.Book{"a.example": {Limit: owner.Wish{Limit: 0.2, At: b.now, Until: t0.Add(60 * second)}}})
	b.run(t0.Add(59 * second))
	if n := b.between(20*second, 55*second); n < 60 || n > 72 {
		t.Errorf("%d requests of 100 ms in 35 s, want 70 at the owner's limit of 0.2", n)
	}
	rec := b.sched.hosts["a.example"].rec
	last := rec.Load.Changes[len(rec.Load.Changes)-1]
	if last.Cause != crawl.RateCauseOwner || last.To != 0.2 || last.From < 1 || rec.Load.Cause != "the owner's limit of 0.2 (E7)" {
		t.Errorf("the change is told as %+v, %q", last, rec.Load.Cause)
	}
	b.run(t0.Add(90 * second))
	if n := b.between(75*second, 90*second); n < 300 {
		t.Errorf("%d requests in 15 s after the wish was over", n)
	}
}

func TestE7PauseAndResume(t *testing.T) {
	const second = time.Second
	b := newBench(t, many(2000)).start(h + "/").run(t0.Add(5 * second))
	b.sched.SetWishes(b.now, owner.Book{"a.example": {Pause: owner.Wish{Paused: true, At: b.now}}})
	at := b.now.Sub(t0) + 1 // what was sent until now came before
	for range 30 {          // nothing happens, whatever is asked for
		if step := b.sched.Next(b.now); step.Kind == StepFetch {
			t.Fatalf("%s is asked for while the hostname is paused", step.Job.URL)
		}
		for len(b.open) > 0 && b.wait(time.Time{}, b.now.Add(time.Hour)) {
			b.sched.Next(b.now)
		}
		b.now = b.now.Add(second)
	}
	b.sched.SetWishes(b.now, owner.Book{"a.example": {Pause: owner.Wish{Paused: true, At: b.now, Until: b.now.Add(10 * second)}}})
	resumed := b.now.Sub(t0) + 10*second
	b.run(t0.Add(resumed + 20*second))
	if n := b.between(at, resumed); n != 0 {
		t.Errorf("%d requests during the pause", n)
	}
	if n := b.between(resumed, resumed+20*second); n < 100 {
		t.Errorf("%d requests in the 20 s after the pause", n)
	}
}

// A hostname that is loaded after the wish was set meets it from the start.
func TestE7WishHoldsFromTheFirstRequest(t *testing.T) {
	b := newBench(t, many(500))
	b.cfg.Capacity = func(crawl.Host) hostload.Params { return hostload.Own() }
	b.start()
	b.sched.SetWishes(b.now, owner.Book{"a.example": {Limit: owner.Wish{Limit: 0.1, At: b.now}}})
	b.commit(b.cfg.Seed([]crawl.URL{h + "/"}, b.now))
	b.findHosts()
	b.run(t0.Add(time.Minute))
	if n := len(b.log); n < 30 || n > 62 {
		t.Errorf("%d requests of 100 ms in a minute at a limit of 0.1", n)
	}
	if b.most["a.example"] > 1 {
		t.Errorf("%d connections at once", b.most["a.example"])
	}
}
