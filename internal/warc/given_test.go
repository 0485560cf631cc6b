package warc

import (
	"os"
	"path/filepath"
	"testing"
)

// TestGivenArchive reads the archive in TRAWL_ARCHIVE_DIR, made by a real crawl,
// with the independent reader: syntax, digests and HTTP messages of every record
// of every finished file. The end-to-end script runs it on a crawl that was
// killed ten times.
func TestGivenArchive(t *testing.T) {
	dir := os.Getenv("TRAWL_ARCHIVE_DIR")
	if dir == "" {
		t.Skip("TRAWL_ARCHIVE_DIR names no archive; scripts/e2e-docs.sh does")
	}
	if open := files(t, dir, ".open"); len(open) > 0 {
		t.Errorf("left open: %q", open)
	}
	kinds, n := map[string]int{}, 0
	for _, f := range files(t, dir, ".warc.gz") {
		n++
		for _, r := range readFile(t, filepath.Join(dir, f)) {
			kinds[r.kind]++
		}
	}
	t.Logf("%d files, records %v", n, kinds)
	if n == 0 || kinds["response"] == 0 || kinds["request"] < kinds["response"] || kinds["warcinfo"] != n {
		t.Errorf("%d files with records %v", n, kinds)
	}
}
