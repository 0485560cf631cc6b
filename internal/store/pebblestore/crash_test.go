package pebblestore_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"trawl/internal/crawl"
	"trawl/internal/store"
	"trawl/internal/store/pebblestore"
)

// TestMain turns the test binary into the writer that TestCase25Kill kills.
func TestMain(m *testing.M) {
	if dir := os.Getenv("TRAWL_TEST_WRITER_DIR"); dir != "" {
		if err := writeForever(dir); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

const batchURLs = 20

// numbered is batch n: two outcomes, its URLs on several hosts.
func numbered(n int) []*crawl.Outcome {
	o := &crawl.Outcome{}
	for i := range batchURLs {
		o.Discovered = append(o.Discovered, crawl.Discovery{URL: crawl.URL(fmt.Sprintf("http://h%d.example/%d/%d", i%5, n, i)), Client: "c", Due: time.Unix(1, 0)})
	}
	u := crawl.URL(fmt.Sprintf("http://batch.example/%d", n))
	return []*crawl.Outcome{o, {URL: u, Visit: &crawl.Visit{Client: "c", Due: time.Unix(1, 0)}, Links: []uint32{1}, Document: &crawl.Document{URL: u}}}
}

func allShards() []crawl.Shard {
	s := make([]crawl.Shard, crawl.Shards)
	for i := range s {
		s[i] = crawl.Shard(i)
	}
	return s
}

// next returns the number of batches in s and fails if one is there in part.
func next(t *testing.T, s *pebblestore.Store) int {
	t.Helper()
	n, links, visits := 0, 0, map[string]int{}
	for r, err := range s.URLs(t.Context(), store.URLFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(string(r.URL), "/")
		visits[parts[3]]++
	}
	for _, err := range s.Links(t.Context(), store.URLFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		links++
	}
	for n = 0; visits[strconv.Itoa(n)] > 0; n++ {
		if got := visits[strconv.Itoa(n)]; got != batchURLs+1 {
			t.Errorf("batch %d is there in part: %d of %d URLs", n, got, batchURLs+1)
		}
	}
	queued := 0
	for _, h := range []crawl.Host{"batch.example", "h0.example", "h1.example", "h2.example", "h3.example", "h4.example"} {
		due, err := s.DueURLs(t.Context(), h, "", time.Unix(9, 0), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		queued += len(due)
	}
	docs, err := s.Feed(t.Context(), crawl.ShardOf("batch.example"), 0, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if len(visits) != n || links != n || len(docs) != n || queued != n*(batchURLs+1) {
		t.Errorf("%d batches in a row, but %d in all, %d pages with links, %d documents, %d queue entries", n, len(visits), links, len(docs), queued)
	}
	return n
}

func writeForever(dir string) error {
	ctx := context.Background()
	s, err := pebblestore.Open(dir, pebblestore.Options{MemTableBytes: 256 << 10})
	if err != nil {
		return err
	}
	l, err := s.Acquire(ctx, "writer", allShards(), time.Hour)
	if err != nil {
		return err
	}
	start, err := strconv.Atoi(os.Getenv("TRAWL_TEST_WRITER_NEXT"))
	if err != nil {
		return err
	}
	fmt.Println("ready")
	for n := start; ; n++ {
		if _, err := s.Commit(ctx, l, numbered(n)); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// TestCase25Kill kills a writing process again and again: what it was told is
// committed is there, whole, and nothing is there in part.
func TestCase25Kill(t *testing.T) {
	dir := t.TempDir()
	done := 0
	for round := range 5 {
		told := killWriter(t, dir, done, 1+rand.IntN(300))
		s, err := pebblestore.Open(dir, pebblestore.Options{})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		n := next(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if n < told {
			t.Fatalf("round %d: %d batches were committed, %d are there", round, told, n)
		}
		if told <= done {
			t.Fatalf("round %d: the writer committed nothing", round)
		}
		done = n
	}
	t.Logf("%d batches", done)
}

// killWriter starts a writer, kills it when it has told of some batches and
// returns how many batches it told of, those of before included.
func killWriter(t *testing.T, dir string, from, batches int) int {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TRAWL_TEST_WRITER_DIR="+dir, "TRAWL_TEST_WRITER_NEXT="+strconv.Itoa(from))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	told := from
	killed := false
	for lines.Scan() {
		switch n, err := strconv.Atoi(lines.Text()); {
		case err == nil:
			told = n + 1
		case lines.Text() == "ready":
			if _, err := pebblestore.Open(dir, pebblestore.Options{}); !errors.As(err, new(*pebblestore.InUseError)) {
				t.Errorf("opening a directory in use: %v", err)
			}
		default:
			t.Errorf("writer: %s", lines.Text())
		}
		if told >= from+batches && !killed {
			killed = true
			if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // killed
	return told
}

// TestCase25PowerLoss drops, at random, what was written and not synced.
func TestCase25PowerLoss(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 12 {
		fs := vfs.NewCrashableMem()
		s, err := pebblestore.Open("data", small(fs, time.Now))
		if err != nil {
			t.Fatal(err)
		}
		l, err := s.Acquire(t.Context(), "w", allShards(), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		told := 0
		var mu sync.Mutex
		var wg sync.WaitGroup
		wg.Go(func() {
			for n := range 60 + round*10 {
				if _, err := s.Commit(t.Context(), l, numbered(n)); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				told = n + 1
				mu.Unlock()
			}
		})
		for target := rng.IntN(60); ; { // lose power while commits are under way
			mu.Lock()
			n := told
			mu.Unlock()
			if n >= target || t.Failed() {
				break
			}
		}
		mu.Lock()
		promised := told
		mu.Unlock()
		crashed := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 50, 100}[round%3], RNG: rng})
		wg.Wait()
		after, err := pebblestore.Open("data", small(crashed, time.Now))
		if err != nil {
			t.Fatalf("opening after power loss: %v", err)
		}
		if n := next(t, after); n < promised {
			t.Errorf("round %d: %d batches were committed, %d are there", round, promised, n)
		}
		if err := errors.Join(after.Close(), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
}
