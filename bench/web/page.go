package web

import (
	"math/rand/v2"
	"strconv"
)

// link is where a link of a page leads.
type link struct{ host, page int }

// links returns the links of a page: to its children in a tree that holds all
// pages of the host, so that each is reachable from page 0; one of ten to
// another host; the rest to any page of the host.
func (s Spec) links(host, page int, rng *rand.Rand) []link {
	out := make([]link, 0, s.Links)
	cross := 0
	if s.Hosts > 1 {
		cross = (s.Links + 5) / 10
	}
	cross = min(cross, s.Links-1)
	arity := max(1, (s.Links-cross)/2)
	for child := page*arity + 1; child <= page*arity+arity && child < s.Pages; child++ {
		out = append(out, link{host, child})
	}
	for range cross {
		other := (host + 1 + rng.IntN(s.Hosts-1)) % s.Hosts
		out = append(out, link{other, rng.IntN(s.Pages)})
	}
	for len(out) < s.Links {
		out = append(out, link{host, rng.IntN(s.Pages)})
	}
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// rng returns the source of everything random about a page.
func (s Spec) rng(host, page int) *rand.Rand {
	return rand.New(rand.NewPCG(s.Seed, uint64(host)<<32|uint64(page)))
}

// appendPage adds the body of a page: markup as pages have it, words that
// differ from page to page, links spread evenly, exactly s.Size bytes.
func (s Spec) appendPage(b []byte, host, page, port int, words []string) []byte {
	rng := s.rng(host, page)
	links := s.links(host, page, rng)
	t := text{b: b, start: len(b), rng: rng, words: words}
	t.repertoire()
	t.head(host, page)
	begin := t.len()
	room := s.Size - len(pageTail) - begin
	for i, l := range links {
		// The text before link i ends where its share of the room begins.
		t.fill(begin + i*room/len(links))
		t.link(l, host, port)
	}
	t.fill(s.Size - len(pageTail) - maxPiece)
	for t.len() < s.Size-len(pageTail) {
		t.b = append(t.b, ' ')
	}
	return append(t.b, pageTail...)
}

const (
	pageHead = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width\">\n" +
		"<style>body{max-width:40em;margin:auto}nav>a{padding:.2em}</style>\n<title>"
	pageTail = "</p>\n</main>\n<footer>End &mdash; of the page</footer>\n</body>\n</html>\n"
	maxPiece = 48 // bytes that a step of fill adds at most
)

// text writes a page.
type text struct {
	b     []byte
	start int
	rng   *rand.Rand
	words []string
	turns [turns]string // phrases that the page comes back to
	n     int           // pieces written, for the rhythm of the markup
}

// A page says some things again and again, as pages do: with so many turns, used
// this often, gzip at level 3 makes pages 3.7 times smaller. The pages of three
// Debian documentation packages (Python, PostgreSQL, the Debian handbook) become
// 5.0, 3.7 and 3.2 times smaller; words drawn one by one, 2.2 times.
const (
	turns       = 96
	turnsOfFour = 3 // of four words or phrases, how many are phrases
)

func (t *text) len() int { return len(t.b) - t.start }

// word returns a word, short ranks more often, as in a language.
func (t *text) word() string {
	return t.words[min(t.rng.IntN(len(t.words)), t.rng.IntN(len(t.words)))]
}

// repertoire makes the phrases of the page, each of two to four words.
func (t *text) repertoire() {
	for i := range t.turns {
		for range 2 + t.rng.IntN(3) {
			t.turns[i] += t.word() + " "
		}
	}
}

func (t *text) head(host, page int) {
	t.b = append(t.b, pageHead...)
	t.b = strconv.AppendInt(append(t.b, "Page "...), int64(page), 10)
	t.b = strconv.AppendInt(append(t.b, " of host "...), int64(host), 10)
	t.b = append(append(t.b, ": "...), t.word()...)
	t.b = append(t.b, "</title>\n</head>\n<body>\n<main id=\"m\" class='text wide'>\n<p>"...)
}

// fill adds words and markup until the page has at least so many bytes.
func (t *text) fill(until int) {
	for t.len() < until {
		t.n++
		w := t.word()
		switch {
		case t.n%211 == 0:
			t.b = append(append(append(t.b, "</p>\n<!-- "...), w...), " -->\n<p class=next>"...)
		case t.n%61 == 0:
			t.b = append(append(append(t.b, "</p>\n<h2>"...), w...), "</h2>\n<p>"...)
		case t.n%23 == 0:
			t.b = append(append(append(t.b, "<em class=\"k\">"...), w...), "</em> "...)
		case t.n%19 == 0:
			t.b = append(append(t.b, w...), " &amp; "...)
		case t.n%13 == 0:
			t.b = append(append(t.b, w...), ".\n"...)
		case t.rng.IntN(4) < turnsOfFour:
			t.b = append(t.b, t.turns[t.rng.IntN(turns)]...)
		default:
			t.b = append(append(t.b, w...), ' ')
		}
	}
}

// link adds a link: a path within the host, a whole URL to another.
func (t *text) link(l link, host, port int) {
	t.b = append(t.b, `<a href="`...)
	if l.host != host {
		t.b = append(append(t.b, "http://"...), authority(l.host, port)...)
	}
	t.b = append(appendPath(t.b, l.page), `">`...)
	t.b = append(append(t.b, t.word()...), "</a> "...)
}

// vocabulary returns the words of a web, common ones first and short.
func vocabulary(seed uint64) []string {
	const n, consonants, vowels = 1024, "bcdfghjklmnprstvwz", "aeiou"
	rng := rand.New(rand.NewPCG(seed, ^uint64(0)))
	words := make([]string, n)
	for i := range words {
		var w []byte
		for range 1 + rng.IntN(2+i*4/n) { // 1 to 5 syllables, at most 10 letters
			w = append(w, consonants[rng.IntN(len(consonants))], vowels[rng.IntN(len(vowels))])
		}
		words[i] = string(w)
	}
	return words
}
