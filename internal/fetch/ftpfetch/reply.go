package ftpfetch

import (
	"bufio"
	"errors"
	"io"
	"net"
	"strings"
)

var (
	errGarbled = errors.New("what the server says is no FTP reply")
	errTooLong = errors.New("the server's replies are over their limit")
)

// reply is one reply of a server: RFC 959 section 4.2.
type reply struct {
	code  int      // 100 to 599
	text  string   // of the first line, behind the code
	lines []string // what stands between the first and the last line
}

// control is the control connection. It counts what the server says.
type control struct {
	conn net.Conn
	in   *bufio.Reader
	left int // bytes of replies that may still come
}

func newControl(c net.Conn) *control {
	return &control{conn: c, in: bufio.NewReaderSize(c, lineSize), left: replySize}
}

// use puts conn, made from the connection in use, in its place.
func (c *control) use(conn net.Conn) {
	c.conn, c.in = conn, bufio.NewReaderSize(conn, lineSize)
}

// send writes one command. Callers see to it that arg is [clean].
func (c *control) send(verb, arg string) error {
	if arg != "" {
		verb += " " + arg
	}
	_, err := io.WriteString(c.conn, verb+"\r\n")
	return err
}

// clean reports whether s can stand in a command without ending it.
func clean(s string) bool { return !strings.ContainsAny(s, "\r\n\x00") }

// readLine reads one line, without its end, at most left bytes.
func readLine(in *bufio.Reader, left *int) (string, error) {
	line, err := in.ReadSlice('\n')
	*left -= len(line)
	switch {
	case errors.Is(err, bufio.ErrBufferFull), *left < 0:
		return "", errTooLong
	case err != nil:
		return "", err
	}
	return strings.TrimRight(string(line), "\r\n"), nil
}

// readReply reads one reply, at most left bytes.
func readReply(in *bufio.Reader, left *int) (reply, error) {
	line, err := readLine(in, left)
	if err != nil {
		return reply{}, err
	}
	code, rest, ok := cutCode(line)
	if !ok {
		return reply{}, errGarbled
	}
	r := reply{code: code}
	if !strings.HasPrefix(rest, "-") {
		r.text = strings.TrimSpace(rest)
		return r, nil
	}
	r.text = strings.TrimSpace(rest[1:])
	for range replyLines {
		line, err := readLine(in, left)
		if err != nil {
			return reply{}, err
		}
		if last, rest, ok := cutCode(line); ok && last == code && !strings.HasPrefix(rest, "-") {
			if r.text == "" {
				r.text = strings.TrimSpace(rest)
			}
			return r, nil
		}
		r.lines = append(r.lines, line)
	}
	return reply{}, errTooLong
}

// cutCode cuts the three digits off line; rest is empty or begins with a space
// or hyphen.
func cutCode(line string) (code int, rest string, ok bool) {
	if len(line) < 3 || line[0] < '1' || line[0] > '5' {
		return 0, "", false
	}
	for _, c := range []byte(line[:3]) {
		if c < '0' || c > '9' {
			return 0, "", false
		}
		code = code*10 + int(c-'0')
	}
	rest = line[3:]
	return code, rest, rest == "" || rest[0] == ' ' || rest[0] == '-'
}

// passivePort reads the port out of a reply to PASV (227). The address before
// it is ignored, whatever it is.
func passivePort(text string) (uint16, bool) {
	// RFC 1123 section 4.1.2.6: the parentheses may be missing. Look for six
	// numbers with commas between them.
	for start := 0; start < len(text); start++ {
		if !digit(text[start]) || start > 0 && digit(text[start-1]) {
			continue
		}
		var n [6]int
		i, ok := start, true
		for k := 0; k < len(n) && ok; k++ {
			from := i
			for i < len(text) && digit(text[i]) && i-from < 3 {
				n[k] = n[k]*10 + int(text[i]-'0')
				i++
			}
			ok = i > from && n[k] < 256
			if k < len(n)-1 {
				ok = ok && i < len(text) && text[i] == ','
				i++
			}
		}
		if ok && (i == len(text) || !digit(text[i])) {
			p := n[4]<<8 | n[5]
			return uint16(p), p > 0
		}
	}
	return 0, false
}

// extendedPort reads the port out of a reply to EPSV (229): (|||port|), with
// any character for the bar (RFC 2428 section 3).
func extendedPort(text string) (uint16, bool) {
	open := strings.IndexByte(text, '(')
	if open < 0 || len(text) < open+6 {
		return 0, false
	}
	text = text[open+1:]
	bar := text[0]
	if digit(bar) || text[1] != bar || text[2] != bar {
		return 0, false
	}
	n, i := 0, 3
	for ; i < len(text) && digit(text[i]) && n <= 0xffff; i++ {
		n = n*10 + int(text[i]-'0')
	}
	if i == 3 || i >= len(text) || text[i] != bar || n == 0 || n > 0xffff {
		return 0, false
	}
	return uint16(n), true
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
