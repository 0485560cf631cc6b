package warc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"trawl/internal/crawl"
)

// MaxStored bounds the block of a record that [ReadAt] gives back, in bytes
// (house choice: four times the largest documented byte limit, B4).
const MaxStored = 256 << 20

// Stored is a record read back from the archive.
type Stored struct {
	Type   string       // "response", "revisit" or "resource"
	WARC   crawl.Header // the record's named fields
	Status int          // 0 for a resource (FTP)
	Reason string
	Header crawl.Header // of the message, made to match the archived body
	Body   []byte       // decoded, as fetched; none in a revisit
}

// ReadAt reads the record that ref points to, whether its file is finished or
// being written (G5). It checks the block digest and holds the block in memory.
//
// Errors: [ErrReference], [ErrDamaged], [ErrTooLarge], fs.ErrNotExist, and
// those of reading the file.
func ReadAt(dir string, ref crawl.ArchiveRef) (*Stored, error) {
	if !strings.HasSuffix(ref.File, suffixFinal) || filepath.Base(ref.File) != ref.File || ref.Offset < 0 || ref.Length <= 0 {
		return nil, fmt.Errorf("%w: %q at %d, %d bytes", ErrReference, ref.File, ref.Offset, ref.Length)
	}
	f, err := openEither(filepath.Join(dir, ref.File))
	if err != nil {
		return nil, fmt.Errorf("opening an archive file: %w", err)
	}
	defer f.Close()
	s := newScanner(io.NewSectionReader(f, ref.Offset, ref.Length))
	stored, err := s.stored(ref.Length)
	switch {
	case err == nil:
		return stored, nil
	case s.src.err != nil:
		return nil, fmt.Errorf("reading %s: %w", ref.File, s.src.err)
	case errors.Is(err, ErrTooLarge):
		return nil, err
	}
	return nil, fmt.Errorf("%w: %s at %d, %d bytes: %w", ErrDamaged, ref.File, ref.Offset, ref.Length, unexpected(err))
}

// openEither opens the file under its final name or the one it has while it is
// written; it may be renamed between two looks.
func openEither(path string) (f *os.File, err error) {
	for _, name := range [...]string{path, path + ".open", path} {
		if f, err = os.Open(name); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return f, err
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// stored reads the only record of the input, which ends after length bytes.
func (s *scanner) stored(length int64) (*Stored, error) {
	head, err := s.open()
	if err != nil {
		return nil, err
	}
	size, err := blockSize(head)
	if err != nil {
		return nil, err
	}
	if size > MaxStored {
		return nil, fmt.Errorf("%w: %d bytes", ErrTooLarge, size)
	}
	var block bytes.Buffer // grows with what is there, not with what the head promises
	if _, err := io.CopyN(&block, s.data, size); err != nil {
		return nil, err
	}
	if err := s.close(); err != nil {
		return nil, err
	}
	if s.offset() != length {
		return nil, fmt.Errorf("the record ends after %d bytes", s.offset())
	}
	if want := head.Get("WARC-Block-Digest"); want != PayloadDigest(block.Bytes()) {
		return nil, fmt.Errorf("its block does not have the digest %.60q", want)
	}
	return message(head, block.Bytes())
}

// message takes the block of a record apart.
func message(head crawl.Header, block []byte) (*Stored, error) {
	st := &Stored{Type: head.Get("WARC-Type"), WARC: head}
	switch {
	case st.Type == "resource":
		st.Header = crawl.Header{{Name: "Content-Type", Value: head.Get("Content-Type")}}
		st.Body = block
		return st, nil
	case st.Type == "revisit" && len(block) == 0:
		return st, nil
	case st.Type != "response" && st.Type != "revisit":
		return nil, fmt.Errorf("it is a %.20q record, not a response", st.Type)
	}
	rest := bytes.NewReader(block)
	lines := bufio.NewReader(rest)
	limit := len(block)
	status, err := readLine(lines, &limit)
	if err != nil {
		return nil, err
	}
	_, status, _ = strings.Cut(status, " ")
	code, reason, _ := strings.Cut(status, " ")
	if st.Status, err = strconv.Atoi(code); err != nil {
		return nil, fmt.Errorf("its status line has the code %.20q", code)
	}
	st.Reason = reason
	if st.Header, err = readFields(lines, &limit); err != nil {
		return nil, err
	}
	st.Body = block[len(block)-rest.Len()-lines.Buffered():]
	return st, nil
}
