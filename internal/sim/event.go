package sim

import (
	"cmp"
	"time"

	"trawl/internal/crawl"
)

// eventKind says what happens.
type eventKind uint8

const (
	eventAnswer    eventKind = iota // a fetch is over
	eventRead                       // the store is looked at for the first read
	eventLoaded                     // its answer is there
	eventWrite                      // a batch is committed
	eventCommitted                  // and acknowledged
	eventSubmit                     // the demand of a client begins
)

// event is something that will happen.
type event struct {
	at     time.Time
	seq    uint64 // of events at the same time, the one that was planned first
	kind   eventKind
	flight flight
	client int // of a submission, in the scenario
}

// events is a binary heap by time.
type events struct {
	heap []event
	seq  uint64
}

func (q *events) before(i, j int) bool {
	a, b := &q.heap[i], &q.heap[j]
	return a.at.Before(b.at) || a.at.Equal(b.at) && a.seq < b.seq
}

func (q *events) push(e event) {
	q.seq++
	e.seq = q.seq
	q.heap = append(q.heap, e)
	for i := len(q.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !q.before(i, up) {
			return
		}
		q.heap[i], q.heap[up] = q.heap[up], q.heap[i]
		i = up
	}
}

func (q *events) pop() event {
	first := q.heap[0]
	n := len(q.heap) - 1
	q.heap[0] = q.heap[n]
	q.heap[n] = event{}
	q.heap = q.heap[:n]
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < n; c++ {
			if q.before(c, least) {
				least = c
			}
		}
		if least == i {
			return first
		}
		q.heap[i], q.heap[least] = q.heap[least], q.heap[i]
		i = least
	}
}

// sleeper is a hostname that is not in memory, and when to look at it.
type sleeper struct {
	at   time.Time
	host crawl.Host
}

// wakes is a heap of them, for container/heap.
type wakes []sleeper

func (q wakes) Len() int { return len(q) }
func (q wakes) Less(i, j int) bool {
	return cmp.Or(q[i].at.Compare(q[j].at), cmp.Compare(q[i].host, q[j].host)) < 0
}
func (q wakes) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *wakes) Push(x any)   { *q = append(*q, x.(sleeper)) }
func (q *wakes) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}
