package ftpfetch

import (
	"bytes"
	"slices"
	"strings"
)

// entry is one thing in a directory.
type entry struct {
	name string // bytes as the server has them, most often UTF-8
	dir  bool
}

// parseListing reads the answer to MLSD (machine) or LIST. The entries are
// sorted by name, each name once, so that an unchanged directory gives an
// unchanged document; unread counts the lines that are in no known form. What
// is neither a file, a directory nor a link to one is left out, and so is every
// name that could not be a path segment.
func parseListing(raw []byte, machine bool) (entries []entry, unread int) {
	for len(raw) > 0 {
		line, rest, _ := bytes.Cut(raw, []byte("\n"))
		raw = rest
		line = bytes.TrimRight(line, "\r")
		if len(line) == 0 {
			continue
		}
		if len(line) > lineSize {
			unread++
			continue
		}
		e, ok := entry{}, false
		switch {
		case machine:
			e, ok = parseFacts(string(line))
		case totalLine(string(line)):
			continue
		default:
			if e, ok = parseUnix(string(line)); !ok {
				e, ok = parseDOS(string(line))
			}
		}
		if !ok {
			unread++
		} else if segment(e.name) {
			entries = append(entries, e)
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return slices.CompactFunc(entries, func(a, b entry) bool { return a.name == b.name }), unread
}

// segment reports whether name can be one segment of a path. "" stands for an
// entry that is left out.
func segment(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\r\n\x00")
}

func totalLine(line string) bool {
	n, ok := strings.CutPrefix(line, "total ")
	return ok && strings.Trim(n, " 0123456789") == ""
}

// parseFacts reads a line of MLSD: "fact=value;fact=value; name" (RFC 3659
// section 7.2).
func parseFacts(line string) (entry, bool) {
	facts, name, ok := strings.Cut(line, " ")
	if !ok || facts != "" && !strings.HasSuffix(facts, ";") {
		return entry{}, false
	}
	e := entry{name: name}
	for fact := range strings.SplitSeq(facts, ";") {
		key, value, ok := strings.Cut(fact, "=")
		if !ok || !strings.EqualFold(key, "type") {
			continue
		}
		switch strings.ToLower(value) {
		case "dir":
			e.dir = true
		case "cdir", "pdir":
			e.name = ""
		}
	}
	return e, true
}

// parseUnix reads a line as ls -l writes it:
//
//	drwxr-xr-x   2 ftp  ftp      4096 Jan  2 03:04 name
//	-rw-r--r--   1 ftp  ftp    123456 Jan  2  2024 name
//	lrwxrwxrwx   1 ftp  ftp         4 2024-01-02 03:04 name -> target
//
// Owner and group may be missing or contain spaces; the date is what tells
// where the name begins.
func parseUnix(line string) (entry, bool) {
	if len(line) < 10 || !strings.ContainsRune("-dlbcpsD", rune(line[0])) || strings.Trim(line[1:10], "rwxsStTlL-") != "" {
		return entry{}, false
	}
	for f := (fields{line: line[10:]}); f.next(); {
		end := f.dateEnd()
		if end < 0 {
			continue
		}
		// One space ends the date; more belong to the name.
		name := f.line[end:]
		if name == "" || name[0] != ' ' {
			return entry{}, false
		}
		e := entry{name: name[1:], dir: line[0] == 'd'}
		switch line[0] {
		case 'l':
			e.name, _, _ = strings.Cut(e.name, " -> ")
		case 'b', 'c', 'p', 's', 'D':
			e.name = ""
		}
		return e, true
	}
	return entry{}, false
}

// fields goes through the words of a line.
type fields struct {
	line       string
	start, end int // of the word
}

func (f *fields) next() bool {
	f.start = f.end
	for f.start < len(f.line) && f.line[f.start] == ' ' {
		f.start++
	}
	f.end = f.start
	for f.end < len(f.line) && f.line[f.end] != ' ' {
		f.end++
	}
	return f.start < f.end
}

func (f *fields) word() string { return f.line[f.start:f.end] }

// dateEnd returns where the date ends that begins at the word, or -1.
func (f fields) dateEnd() int {
	first := f.word()
	f.next()
	second := f.word()
	if shaped(first, "dddd-dd-dd") {
		if shaped(second, "dd:dd") || shaped(second, "dd:dd:dd") {
			return f.end
		}
		return -1
	}
	day := func(s string) bool { return shaped(s, "d") || shaped(s, "dd") }
	if !(month(first) && day(second) || day(first) && month(second)) {
		return -1
	}
	f.next()
	if third := f.word(); shaped(third, "dd:dd") || shaped(third, "d:dd") || shaped(third, "dddd") {
		return f.end
	}
	return -1
}

func month(s string) bool {
	const months = "janfebmaraprmayjunjulaugsepoctnovdec"
	i := strings.Index(months, strings.ToLower(s))
	return len(s) == 3 && i >= 0 && i%3 == 0
}

// shaped reports whether s looks like shape, in which d stands for a digit.
func shaped(s, shape string) bool {
	if len(s) != len(shape) {
		return false
	}
	for i := range len(s) {
		if shape[i] == 'd' && !digit(s[i]) || shape[i] != 'd' && s[i] != shape[i] {
			return false
		}
	}
	return true
}

// parseDOS reads a line as Windows servers write it:
//
//	01-02-24  03:04PM       <DIR>          name
//	01-02-2024  15:04             1,234 name
func parseDOS(line string) (entry, bool) {
	f := fields{line: line}
	f.next()
	date := strings.ReplaceAll(f.word(), "/", "-")
	if !shaped(date, "dd-dd-dd") && !shaped(date, "dd-dd-dddd") && !shaped(date, "dddd-dd-dd") {
		return entry{}, false
	}
	f.next()
	clock := strings.TrimRight(strings.ToUpper(f.word()), "APM")
	if !shaped(clock, "dd:dd") {
		return entry{}, false
	}
	if !f.next() {
		return entry{}, false
	}
	size := f.word()
	dir := strings.EqualFold(size, "<DIR>")
	if junction := strings.HasPrefix(size, "<"); !dir && !junction && strings.Trim(size, "0123456789,.") != "" {
		return entry{}, false
	}
	// Behind <DIR> the name begins in a column of its own.
	name := strings.TrimLeft(f.line[f.end:], " ")
	return entry{name: name, dir: dir}, name != ""
}
