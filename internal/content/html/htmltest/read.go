package htmltest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Tokens reads doc by the reference's tokenizer. It knows no tree: foreign
// content, templates and noscript are read as if they were not there, and every
// link element counts as standing in the head.
func Tokens(doc []byte) Reading {
	var r Reading
	titled, inTitle := false, false
	z := html.NewTokenizer(bytes.NewReader(doc))
	for {
		switch z.Next() {
		case html.ErrorToken:
			r.Title = fold(r.Title)
			return r
		case html.TextToken:
			if inTitle {
				r.Title = string(z.Text())
			}
			inTitle = false
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			inTitle = t.Data == "title" && !titled
			titled = titled || inTitle
			r.element(t.Data, from(t.Attr), true)
		case html.EndTagToken, html.CommentToken, html.DoctypeToken:
			inTitle = false
		}
	}
}

func from(attrs []html.Attribute) attr {
	return func(name string) (string, bool) {
		for i := range attrs {
			if attrs[i].Key == name && attrs[i].Namespace == "" {
				return attrs[i].Val, true
			}
		}
		return "", false
	}
}

func (r *Reading) element(name string, get attr, inHead bool) {
	switch name {
	case "a", "area":
		r.anchor(get)
	case "frame", "iframe":
		r.frame(get)
	case "base":
		r.base(get)
	case "meta":
		r.meta(get)
	case "link":
		r.link(get, inHead)
	}
}

// Tree reads doc by the reference's tree construction, without scripts. The
// error is the reference's, which bounds the nesting it accepts.
func Tree(doc []byte) (Reading, error) {
	root, err := html.ParseWithOptions(bytes.NewReader(doc), html.ParseOptionEnableScripting(false))
	if err != nil {
		return Reading{}, err
	}
	w := walker{}
	w.walk(root, false, false)
	return w.r, nil
}

type walker struct {
	r      Reading
	titled bool
}

func (w *walker) walk(n *html.Node, head, noscript bool) {
	if n.Type == html.ElementNode {
		get := from(n.Attr)
		switch {
		case n.Namespace != "":
			if n.Data == "a" {
				w.r.anchor(get)
			}
		case n.Data == "template" && !isShadow(get):
			return
		case n.Data == "head":
			head = true
		case n.Data == "noscript":
			noscript = true
		case n.Data == "title" && !w.titled:
			w.titled = true
			w.r.Title = fold(content(n))
		case noscript && (n.Data == "meta" || n.Data == "base"):
		default:
			w.r.element(n.Data, get, head && !noscript)
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.walk(c, head, noscript)
	}
}

func isShadow(get attr) bool {
	mode, _ := get("shadowrootmode")
	return strings.EqualFold(mode, "open") || strings.EqualFold(mode, "closed")
}

func content(n *html.Node) string {
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

// some quotes the first few of what is in a and not in b.
func some(a, b []string) string {
	var out []string
	for _, s := range a {
		if !slices.Contains(b, s) && len(out) < 3 {
			out = append(out, quote(s))
		}
	}
	if len(out) == 0 {
		return "nothing (or another order)"
	}
	return strings.Join(out, " ")
}

func quote(s string) string { return fmt.Sprintf("%.120q", s) }
