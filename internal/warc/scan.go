package warc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"

	"trawl/internal/crawl"
)

// maxHead bounds the named fields of a record in bytes. The writer's own are
// far below: a URL is at most maxURL, three times that when encoded.
const maxHead = 1 << 20

var (
	// errTorn: the input ends within a member.
	errTorn = errors.New("the file ends within a record")
	// errMalformed: the member is whole and no WARC record.
	errMalformed = errors.New("not a WARC record")
)

// source counts the bytes read and keeps the first error that is not the end
// of the input: a disk that cannot be read is not the same as a damaged file.
type source struct {
	r   io.Reader
	n   int64
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.n += int64(n)
	if err != nil && err != io.EOF && s.err == nil {
		s.err = err
	}
	return n, err
}

// member reads the content of one gzip member and names its ends apart: io.EOF
// when it is whole and its checksum right, errTorn when the input ended first.
type member struct{ gz *gzip.Reader }

func (m member) Read(p []byte) (int, error) {
	n, err := m.gz.Read(p)
	if err == io.ErrUnexpectedEOF {
		err = errTorn
	}
	return n, err
}

// scanner goes through a file member by member, in constant memory.
type scanner struct {
	src  source
	in   *bufio.Reader // of src
	gz   *gzip.Reader  // of in
	data *bufio.Reader // of gz, as a member
}

func newScanner(r io.Reader) *scanner {
	s := &scanner{src: source{r: r}}
	s.in = bufio.NewReaderSize(&s.src, 1<<16)
	return s
}

// offset is the number of bytes used up: after a member, its end.
func (s *scanner) offset() int64 { return s.src.n - int64(s.in.Buffered()) }

// open starts the next member and reads the head of its record. io.EOF: there
// is no next member.
func (s *scanner) open() (crawl.Header, error) {
	if _, err := s.in.Peek(1); err != nil {
		return nil, err
	}
	var err error
	if s.gz == nil {
		s.gz, err = gzip.NewReader(s.in)
	} else {
		err = s.gz.Reset(s.in)
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, errTorn
	} else if err != nil {
		return nil, err
	}
	s.gz.Multistream(false)
	if s.data == nil {
		s.data = bufio.NewReaderSize(member{s.gz}, 1<<16)
	} else {
		s.data.Reset(member{s.gz})
	}
	return readHead(s.data, maxHead)
}

// close checks that the record ends as it should and its member with it.
func (s *scanner) close() error {
	var end [5]byte
	n, err := io.ReadFull(s.data, end[:])
	switch {
	case err == nil:
		return fmt.Errorf("%w: its member goes on after it", errMalformed)
	case err != io.EOF && err != io.ErrUnexpectedEOF:
		return err
	case string(end[:n]) != "\r\n\r\n":
		return fmt.Errorf("%w: it does not end with two line ends", errMalformed)
	}
	return nil
}

// skip passes over the next record and returns where it ends. io.EOF: none is
// left. errTorn: the input ends within it. Any other error: damage, unless
// src.err says that the input could not be read.
func (s *scanner) skip() (int64, error) {
	head, err := s.open()
	if err != nil {
		return 0, err
	}
	size, err := blockSize(head)
	if err != nil {
		return 0, err
	}
	if _, err := io.CopyN(io.Discard, s.data, size); err == io.EOF {
		return 0, fmt.Errorf("%w: shorter than its Content-Length says", errMalformed)
	} else if err != nil {
		return 0, err
	}
	if err := s.close(); err != nil {
		return 0, err
	}
	return s.offset(), nil
}

// readHead reads the version line and the named fields of a record, at most
// limit bytes. Line folding, which we never write, is not undone.
func readHead(r *bufio.Reader, limit int) (crawl.Header, error) {
	line, err := readLine(r, &limit)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(line, "WARC/1.") {
		return nil, fmt.Errorf("%w: it does not start with its version", errMalformed)
	}
	return readFields(r, &limit)
}

// readFields reads header fields up to and with the empty line.
func readFields(r *bufio.Reader, limit *int) (crawl.Header, error) {
	var h crawl.Header
	for {
		line, err := readLine(r, limit)
		if err != nil {
			return nil, err
		}
		if line == "" {
			return h, nil
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("%w: a header line without a colon", errMalformed)
		}
		h = append(h, crawl.Field{Name: name, Value: strings.TrimSpace(value)})
	}
}

// readLine returns the next line without its end and takes it off limit.
func readLine(r *bufio.Reader, limit *int) (string, error) {
	var long []byte
	for {
		part, err := r.ReadSlice('\n')
		if *limit -= len(part); *limit < 0 {
			return "", fmt.Errorf("%w: its header is too long", errMalformed)
		}
		switch {
		case err == nil && long == nil:
			return strings.TrimRight(string(part), "\r\n"), nil
		case err == nil:
			return strings.TrimRight(string(append(long, part...)), "\r\n"), nil
		case err == bufio.ErrBufferFull:
			long = append(long, part...)
		case err == io.EOF:
			return "", fmt.Errorf("%w: it ends in its header", errMalformed)
		default:
			return "", err
		}
	}
}

// blockSize returns the Content-Length of a record.
func blockSize(h crawl.Header) (int64, error) {
	v := h.Get("Content-Length")
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < 0 || !digits(v) {
		return 0, fmt.Errorf("%w: Content-Length %.40q", errMalformed, v)
	}
	return n, nil
}
