package warc

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"trawl/internal/crawl"
)

// promised is what the killed writer printed after a Sync.
type promised struct {
	Ref    crawl.ArchiveRef
	Digest string
}

const killDir, killSeed = "TRAWL_WARC_KILL_DIR", "TRAWL_WARC_KILL_SEED"

// TestMain runs the writer that is to be killed when it is told so.
func TestMain(m *testing.M) {
	if dir := os.Getenv(killDir); dir != "" {
		seed, _ := strconv.ParseUint(os.Getenv(killSeed), 10, 64)
		fmt.Fprintln(os.Stderr, writeForEver(dir, seed))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeForEver archives from a few goroutines and prints what is safe.
func writeForEver(dir string, seed uint64) error {
	w, err := open(dir, killOptions(), createSliced)
	if err != nil {
		return err
	}
	rnd := rand.New(rand.NewPCG(seed, 1))
	out := json.NewEncoder(os.Stdout)
	for {
		var batch [4]promised
		var errs [4]error
		var wg sync.WaitGroup
		for i := range batch {
			n, id := rnd.IntN(20_000), rnd.Uint64()
			if rnd.IntN(4) == 0 {
				n = 1 << 20
			}
			wg.Go(func() {
				r := page("http://example.org/", noise(id, n))
				batch[i].Digest = PayloadDigest(r.Body)
				batch[i].Ref, errs[i] = w.Write(Record{Result: r})
			})
		}
		wg.Wait()
		for _, err := range append(errs[:], w.Sync()) {
			if err != nil {
				return err
			}
		}
		for _, p := range batch {
			if err := out.Encode(p); err != nil {
				return err
			}
		}
	}
}

// createSliced makes files that are written in small pieces, as a kernel may do
// it, so that a kill can come between two of them.
func createSliced(path string) (file, error) {
	f, err := createFile(path)
	return slicedFile{f}, err
}

type slicedFile struct{ file }

func (f slicedFile) WriteAt(p []byte, off int64) (done int, err error) {
	for done < len(p) && err == nil {
		var n int
		n, err = f.file.WriteAt(p[done:min(len(p), done+1000)], off+int64(done))
		done += n
	}
	return done, err
}

func killOptions() Options {
	opt := options()
	opt.MaxBytes = 3 << 20
	opt.Level = 1
	return opt
}

// Case 34, case 25: kill -9 at any moment, again and again in one directory,
// loses nothing that was synced and leaves files readable to their ends.
func TestCase34Kill(t *testing.T) {
	dir := t.TempDir()
	var all []promised
	finished := make(map[string][32]byte)
	torn := 0
	for round := range 6 {
		all = append(all, killOne(t, dir, uint64(round), 1+rand.IntN(30))...)
		w := mustOpen(t, dir, killOptions())
		for _, r := range w.Recovered() {
			if r.Damaged != "" {
				t.Errorf("a kill did damage: %+v", r)
			}
			if r.Cut > 0 {
				torn++
			}
		}
		for _, name := range files(t, dir, "") {
			if !strings.HasSuffix(name, suffixFinal) {
				t.Errorf("%s left after recovery", name)
			}
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256(data)
			if before, ok := finished[name]; ok {
				if before != sum {
					t.Errorf("%s changed after it was finished", name)
				}
				continue
			}
			finished[name] = sum
			readFile(t, filepath.Join(dir, name))
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range all {
		st, err := ReadAt(dir, p.Ref)
		if err != nil {
			t.Fatalf("synced and lost: %+v: %v", p.Ref, err)
		}
		if got := PayloadDigest(st.Body); got != p.Digest {
			t.Fatalf("%+v: digest %s, want %s", p.Ref, got, p.Digest)
		}
	}
	t.Logf("%d references in %d files, %d torn ends", len(all), len(finished), torn)
}

// killOne starts a writer and kills it once it has promised some records.
func killOne(t *testing.T, dir string, seed uint64, after int) []promised {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killDir+"="+dir, killSeed+"="+strconv.FormatUint(seed, 10))
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var got []promised
	lines := bufio.NewScanner(pipe)
	for lines.Scan() {
		var p promised
		if json.Unmarshal(lines.Bytes(), &p) != nil {
			break // the line that the kill cut
		}
		if got = append(got, p); len(got) == after {
			noise(0, rand.IntN(16<<20)) // a moment of work, so that the kill comes anywhere
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil || len(got) < after {
		t.Fatalf("the writer ended by itself after %d records: %v", len(got), err)
	}
	return got
}
