package html

import "testing"

func TestNames(t *testing.T) {
	for name, want := range map[string]uint64{
		"a":        nA,
		"area":     nArea,
		"base":     nBase,
		"frame":    nFrame,
		"iframe":   nIframe,
		"link":     nLink,
		"math":     nMath,
		"meta":     nMeta,
		"noembed":  nNoembed,
		"noframes": nNoframes,
		"noscript": nNoscript,
		"script":   nScript,
		"style":    nStyle,
		"svg":      nSvg,
		"template": nTemplate,
		"textarea": nTextarea,
		"title":    nTitle,
		"xmp":      nXmp,
		"html":     nHTML,
		"head":     nHead,
		"basefont": nBasefont,
		"bgsound":  nBgsound,
		"body":     nBody,
		"br":       nBr,
		"h1":       nH1,
		"p":        nP,
		"mi":       nMi,
		"mn":       nMn,
		"mo":       nMo,
		"ms":       nMs,
		"mtext":    nMtext,
		"desc":     nDesc,
		"href":     kHref,
		"src":      kSrc,
		"rel":      kRel,
		"name":     kName,
		"content":  kContent,
		"charset":  kCharset,
		"hreflang": kHreflang,
		"media":    kMedia,
		"type":     kType,
		"lang":     kLang,
	} {
		if got := key(name); got != want {
			t.Errorf("constant of %q is %#x, want %#x", name, want, got)
		}
	}
	for _, name := range []string{"b", "big", "code", "dd", "div", "dl", "dt", "em", "embed", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "li", "listing", "menu", "nobr", "ol", "pre", "ruby", "s", "small", "span", "strong", "strike", "sub", "sup", "table", "tt", "u", "ul", "var", "center", "body", "br", "head", "meta", "p"} {
		if !endsForeign(key(name)) {
			t.Errorf("%s does not end foreign content", name)
		}
	}
	if key("\x00a") == key("a") {
		t.Error("a NUL in front of a name is lost")
	}
}
