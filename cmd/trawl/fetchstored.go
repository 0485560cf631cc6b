package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"trawl/internal/crawl"
	"trawl/internal/report"
	"trawl/internal/warc"
)

// keptCopies is what a crawl keeps of the URLs that are asked for again.
type keptCopies struct {
	data *dataDir
	dir  string
}

func openKept(path string, s streams) (*keptCopies, error) {
	d, err := openData(path, false, s)
	if err != nil {
		return nil, err
	}
	return &keptCopies{data: d, dir: filepath.Join(path, "warc")}, nil
}

func (k *keptCopies) close() { k.data.close() }

// visit returns the state of a URL for a client; nil when the crawl has none.
func (k *keptCopies) visit(ctx context.Context, u crawl.URL, id crawl.ClientID) (*crawl.Visit, error) {
	rec, known, err := k.data.store.URL(ctx, u)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", k.data.path, advise(err))
	}
	if !known {
		return nil, nil
	}
	for i := range rec.Visits {
		if rec.Visits[i].Client == id {
			return &rec.Visits[i], nil
		}
	}
	return nil, nil
}

// storedCopy is what stands behind a 304 (G5).
type storedCopy struct {
	LastCrawl time.Time `json:"last_crawl,omitzero"`
	Fetched   time.Time `json:"fetched,omitzero"` // when the copy was fetched
	File      string    `json:"file,omitempty"`
	Offset    int64     `json:"offset,omitempty"`
	Status    int       `json:"status,omitempty"`
	MediaType string    `json:"content_type,omitempty"`
	Bytes     int64     `json:"decoded_bytes,omitempty"`
	Used      bool      `json:"used"` // it stands for the body of this response
	Problem   string    `json:"problem,omitempty"`

	usable bool
	body   []byte
}

// behind returns the copy for a response: its content where the response is a
// 304, else only what is known of it. nil = the URL is not known.
func (k *keptCopies) behind(v *crawl.Visit, res *crawl.Result) *storedCopy {
	if v == nil {
		c := &storedCopy{Problem: fmt.Sprintf("this client has not crawled the URL in %s, so that nothing is stored and nothing was asked conditionally", k.data.path)}
		return c
	}
	c := &storedCopy{LastCrawl: v.LastCrawl, Fetched: v.Archive.At, File: v.Archive.File, Offset: v.Archive.Offset}
	if v.Archive.File == "" {
		c.Problem = "the crawl kept no copy of it: it was not archived, or never answered with content"
		return c
	}
	if res.Status != 304 {
		return c
	}
	stored, err := warc.ReadAt(k.dir, v.Archive)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.Problem = fmt.Sprintf("the copy is in %s, which is no longer in %s: bring the file back", v.Archive.File, k.dir)
	case err != nil:
		c.Problem = fmt.Sprintf("the copy cannot be read: %v", err)
	case stored.Type == "revisit" || stored.Status == 304:
		c.Problem = "what is archived is a 304 itself, without the content"
	case stored.Status != 0 && stored.Status/100 != 2:
		c.Status = stored.Status
		c.Problem = fmt.Sprintf("what is archived is the answer of %s, a %d, which is no content that a 304 could stand for", v.Archive.At.UTC().Format(time.RFC3339), stored.Status)
	default:
		c.Status, c.MediaType, c.Bytes = stored.Status, stored.Header.Get("Content-Type"), int64(len(stored.Body))
		c.usable, c.Used, c.body = true, true, stored.Body
	}
	return c
}

func (c *storedCopy) show(w io.Writer) {
	switch {
	case c.usable:
		fmt.Fprintf(w, "  stored copy: fetched %s, %s, %s, in %s at %d; --body prints it\n", c.Fetched.UTC().Format(time.RFC3339),
			report.Bytes(c.Bytes), report.Safe(c.MediaType), report.Safe(c.File), c.Offset)
	case c.Problem != "":
		fmt.Fprintf(w, "  stored copy: none: %s\n", report.Safe(c.Problem))
	default:
		fmt.Fprintf(w, "  stored copy: of %s, in %s at %d; the response here is newer\n", c.Fetched.UTC().Format(time.RFC3339), report.Safe(c.File), c.Offset)
	}
}
