//go:build unix

package peers_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// sample is the size of this process at one moment. What the system does not
// tell is 0.
type sample struct {
	at         time.Duration
	done       int64
	goroutines int
	sockets    int
	heap, rss  uint64
}

// bounds are the most that a sample may have.
type bounds struct {
	goroutines, sockets int
	heap, rss           uint64
}

func newMeter(l load, b bounds) *meter {
	runtime.GC()
	m := &meter{load: l, bounds: b, begun: time.Now(), outcomes: map[string]int{}}
	m.before = m.sample()
	return m
}

func (m *meter) sample() sample {
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	return sample{
		at: time.Since(m.begun), done: m.done.Load(), goroutines: runtime.NumGoroutine(), sockets: openSockets(), heap: mem.HeapAlloc, rss: residentSet(),
	}
}

// openSockets counts the sockets of this process.
func openSockets() int {
	n := 0
	files, _ := os.ReadDir("/proc/self/fd")
	for _, f := range files {
		if to, err := os.Readlink("/proc/self/fd/" + f.Name()); err == nil && strings.HasPrefix(to, "socket:") {
			n++
		}
	}
	return n
}

// residentSet returns the bytes of memory that this process has.
func residentSet() uint64 {
	status, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := bytes.Cut(status, []byte("VmRSS:"))
	kib, _, _ := strings.Cut(strings.TrimSpace(string(rest)), " ")
	n, _ := strconv.ParseUint(kib, 10, 64)
	return n << 10
}

// sampling takes samples until the function that it returns is called.
func (m *meter) sampling() (stop func()) {
	fmt.Printf("%8s %9s %10s %8s %9s %9s\n", "seconds", "fetches", "goroutines", "sockets", "heap MiB", "RSS MiB")
	quit, done := make(chan struct{}), make(chan struct{})
	go m.watchLag(quit)
	go func() {
		defer close(done)
		tick := time.NewTicker(m.load.interval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				m.take()
			case <-quit:
				m.take()
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-done
	}
}

const nap = 50 * time.Millisecond

// watchLag measures by how much a timer of this process, and goroutines that wake
// each other, are late: on a machine that is too busy no fetch can end in time,
// whatever the fetcher does.
func (m *meter) watchLag(quit <-chan struct{}) {
	ping, pong := make(chan struct{}), make(chan struct{})
	defer close(ping)
	go func() {
		for range ping {
			pong <- struct{}{}
		}
	}()
	for {
		start := time.Now()
		select {
		case <-quit:
			return
		case <-time.After(nap):
		}
		ping <- struct{}{}
		<-pong
		m.mu.Lock()
		m.lag = max(m.lag, time.Since(start)-nap)
		m.mu.Unlock()
	}
}

// late counts the fetches that passed their deadline by more than the slack, and
// those of them for which there is no excuse: where the process itself was kept
// waiting, so is each wake-up on the way from the timer to the goroutine that
// fetches, of which there are about five.
func (m *meter) late() (late, inexcusable int) {
	strict := m.load.total + time.Duration(slack*float64(m.load.total))
	allowed := strict
	if m.starved() {
		allowed += 5 * m.lag
	}
	for _, took := range m.over {
		if took > strict {
			late++
		}
		if took > allowed {
			inexcusable++
		}
	}
	return late, inexcusable
}

// starved reports whether the machine had too little time for this process to say
// anything of deadlines.
func (m *meter) starved() bool { return m.lag > m.load.total/20 }

func (m *meter) take() {
	s := m.sample()
	m.samples = append(m.samples, s)
	fmt.Println(s)
}

func (s sample) String() string {
	return fmt.Sprintf("%8.1f %9d %10d %8d %9.1f %9.1f", s.at.Seconds(), s.done, s.goroutines, s.sockets, float64(s.heap)/(1<<20), float64(s.rss)/(1<<20))
}

// heapKept is how much more memory may be in use after a soak. House choice.
const heapKept = 48 << 20

// settle waits until what ends with the fetches is gone.
func (m *meter) settle() {
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if runtime.NumGoroutine() <= m.before.goroutines && openSockets() <= m.before.sockets {
			break
		}
	}
	// net/http keeps what is left of a broken HTTP/2 connection until its timers
	// have run out, which takes up to 30 s.
	for end := time.Now().Add(40 * time.Second); ; time.Sleep(time.Second) {
		runtime.GC()
		runtime.GC() // what a sync.Pool held is free only now
		if m.after = m.sample(); m.after.heap <= m.before.heap+heapKept || time.Now().After(end) {
			break
		}
	}
	fmt.Printf("%v  after\n", m.after)
}

// report prints what came of the fetches and fails the test where a bound is
// broken.
func (m *meter) report(t *testing.T) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	fmt.Printf("\n%-24s %9s\n", "outcome", "fetches")
	for _, what := range slices.Sorted(maps.Keys(m.outcomes)) {
		fmt.Printf("%-24s %9d\n", what, m.outcomes[what])
	}
	fmt.Printf("\nfrom hosts that misbehave: %d; from the others: %d, of which failed: %d\n", m.hostile, int(m.done.Load())-m.hostile, m.harmed)
	late, inexcusable := m.late()
	fmt.Printf("longest fetch: %v (%s); deadline %v, passed by more than %.0f %%: %d; this process was kept waiting for up to %v\n\n",
		m.longest.Round(time.Millisecond), m.longestOf, m.load.total, 100*slack, late, m.lag.Round(time.Millisecond))
	if n := m.done.Load(); n != int64(m.load.fetches) {
		t.Errorf("%d fetches ended; want %d", n, m.load.fetches)
	}
	if inexcusable > 0 {
		t.Errorf("%d fetches took longer than their deadline of %v and %.0f %%; the longest %v (%s)", inexcusable, m.load.total, 100*slack, m.longest, m.longestOf)
	}
	// A machine that is busy lets a good host look slow.
	if good := m.load.fetches - m.hostile; m.harmed*1000 > good && !m.starved() {
		t.Errorf("%d of %d fetches from healthy hosts failed, the last: %s", m.harmed, good, m.harm)
	}
	for _, s := range m.samples {
		if b := m.bounds; s.goroutines > b.goroutines || s.sockets > b.sockets || s.heap > b.heap || s.rss > b.rss {
			t.Errorf("over the bounds of %d goroutines, %d sockets, %d MiB of heap, %d MiB resident:\n%v", b.goroutines, b.sockets, b.heap>>20, b.rss>>20, s)
		}
	}
	if m.after.goroutines > m.before.goroutines || m.after.sockets > m.before.sockets {
		buf := make([]byte, 1<<16)
		t.Errorf("left behind: %d goroutines, %d sockets; before %d, %d\n%s", m.after.goroutines, m.after.sockets, m.before.goroutines, m.before.sockets, buf[:runtime.Stack(buf, true)])
	}
	if m.after.heap > m.before.heap+heapKept {
		t.Errorf("%d MiB of heap in use; before %d", m.after.heap>>20, m.before.heap>>20)
	}
}
