package robots

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

var lintContext = LintContext{URL: "https://www.example.org/robots.txt", Tokens: []string{"Googlebot", "Googlebot-Image", "AdsBot-Google", "trawl"}}

const star = "User-agent: *\n"

// lintCases say which issues a file has: "line:column kind", in order. Notes
// that allow rules without a disallow rule are redundant are everywhere, so
// each group has a disallow rule where it is not about that.
var lintCases = []struct {
	name, file, want string
}{
	{"C2/nothing", star + "Disallow: /a\nSitemap: https://www.example.org/s.xml\n", ""},
	{"C2/empty disallow", star + "Disallow:\n", ""},
	{"C3/empty file", "", "0:0 empty-file"},
	{"C3/comments only", "# nothing\n", "0:0 empty-file"},
	{"C7/crawl-delay", star + "  Crawl-delay: 5\nDisallow: /a\n", "2:3 crawl-delay"},
	{"C7/noindex, host, clean-param", star + "Noindex: /x\nHost: a\nClean-param: s /x\nDisallow: /a\n", "2:1 noindex|3:1 host|4:1 directive-of-others"},
	{"C2/unknown", star + "Alow: /a\nDisallow: /b\n", "2:1 unknown-directive"},
	{"C2/no directive", star + "hello there, you\nDisallow: /a\n", "2:1 not-a-directive"},
	{"C2/misspelled", star + "Dissallow: /a\n", "2:1 misspelled-key"},
	{"C2/missing colon", star + "Disallow /a\n", "2:1 missing-colon"},
	{"C2/rule before group", "Disallow: /a\n" + star + "Disallow: /b\n", "1:1 rule-before-group"},
	{"C2/no token", "User-agent: 9bot\nDisallow: /a\n", "1:13 no-product-token"},
	{"C2/no slash", star + "Disallow: private/\n", "2:11 pattern-no-match"},
	{"C2/whole URL", star + "Disallow: https://h/x\n", "2:11 pattern-no-match"},
	{"C2/not UTF-8", star + "Disallow: /a\n# \xe9\n", "3:0 not-utf-8"},
	{"C2/byte order mark", "\xEF\xBB\xBF" + star + "Disallow: /a\n", "1:1 byte-order-mark"},
	{"C2/UTF-16", string(utf16File(star+"Disallow: /a\n", true)), "1:1 utf-16"},
	{"C2/HTML", "\n <!DOCTYPE html>\n", "1:1 html|2:2 unknown-directive"},
	{"C2/NUL", star + "Disallow: /a\x00b\n", "2:13 nul-byte"},
	{"C2/fragment", star + "Disallow: /a#b\nDisallow: /c # fine\n", "2:13 fragment"},
	{"C2/dollar", star + "Disallow: /a$b\nDisallow: /*.pdf$\n", "2:13 dollar-inside"},
	{"C2/query after $", star + "Disallow: /*.html$?\n", "2:18 dollar-inside"},
	{"C2/space", star + "Disallow: /a b\nDisallow: /x?a b\n", "2:13 not-in-a-url|3:15 not-in-a-url"},
	{"C2/braces", star + "Disallow: /a{b}\nDisallow: /x?{\nDisallow: /y*{\n", "2:13 not-in-a-url"},
	{"C2/backslash", star + "Disallow: /a\\b\n", "2:13 not-in-a-url"},
	{"C2/escaped letter", star + "Disallow: /%62\n", "2:12 escaped-plain-character"},
	{"C2/dot segment", star + "Disallow: /a/../b\nDisallow: /a?/../\n", "2:14 dot-segment"},
	{"C2/normalised", star + "Disallow: /é\nDisallow: /%c2\nDisallow: /%C3%A8\n", "2:12 normalised|3:12 normalised"},
	{"C2/trailing star", star + "Disallow: /a*\n", "2:13 trailing-star"},
	{"C2/empty beside others", star + "Disallow:\nDisallow: /a\n", "2:10 empty-rule"},
	{"C2/index page", star + "Disallow: /a\nAllow: /a/index.html\n", "3:10 index-page"},
	{"C2/all", star + "Disallow: /\n", "2:11 disallow-all"},
	{"C2/all but some", "User-agent: Googlebot\nDisallow: /*\nAllow: /a/b\n", "2:11 disallow-all"},
	{"C2/homepage only", star + "Disallow: /$\n", ""},
	{"J3/resources", star + "Disallow: /*.js$\nDisallow: /assets/css/\nDisallow: /json\n", "2:11 blocks-resources|3:11 blocks-resources"},
	{"J3/allowed again", star + "Disallow: /js/\nAllow: /js/*.js\n", ""},
	{"C2/same rule twice", star + "Disallow: /a\nDisallow: /a\n", "3:11 redundant"},
	{"C2/allow wins the tie", star + "Disallow: /a\nAllow: /a\n", "2:11 never-decides"},
	{"C2/longer pattern wins", star + "Disallow: /\nAllow: /a\nDisallow: /*a\n", "2:11 disallow-all|3:8 never-decides"},
	{"C2/broader covers", star + "Disallow: /a\nDisallow: /a/b\nAllow: /c\nDisallow: /\n", "2:11 redundant|3:11 redundant|5:11 disallow-all"},
	{"C2/not redundant", star + "Disallow: /a\nDisallow: /a/b/c\nAllow: /a/b\n", ""},
	{"C2/allow without disallow", star + "Disallow: /a\nAllow: /b\n", "3:8 redundant"},
	{"C2/joined by an ignored line", "User-agent: trawl\nCrawl-delay: 5\n\n" + star + "Disallow: /a\n", "2:1 crawl-delay|4:1 joined-groups"},
	{"C2/joined over a blank line", "User-agent: trawl\n\n" + star + "Disallow: /a\n", "3:1 joined-groups"},
	{"C2/joined on purpose", "User-agent: trawl\n# and\n" + star + "Disallow: /a\n", ""},
	{"C2/duplicate", star + "Disallow: /a\nUser-agent: trawl\nDisallow: /b\n" + star + "Disallow: /c\n", "5:1 duplicate-group"},
	{"C2/named twice", star + star + "Disallow: /a\n", "2:1 named-twice"},
	{"C2/no rules", star + "Disallow: /a\nUser-agent: trawl\n", "3:1 group-without-rules"},
	{"C2/version", "User-agent: Googlebot/2.1\nDisallow: /a\n", "1:22 version-ignored"},
	{"C2/typo", "User-agent: Gogglebot\nDisallow: /a\n", "1:13 misspelled-token"},
	{"A1/unknown", "User-agent: bingbot\nDisallow: /a\n", "1:13 unknown-token"},
	{"C8/relative", star + "Disallow: /a\nSitemap: /s.xml\n", "3:10 sitemap-not-absolute"},
	{"C8/unusable", star + "Disallow: /a\nSitemap: https://a b/\n", "3:10 sitemap-not-absolute"},
	{"C8/elsewhere", star + "Disallow: /a\nSitemap: https://other.example/s\nSitemap: http://www.example.org/s\n", "3:10 sitemap-elsewhere|4:10 sitemap-elsewhere"},
	{"C8/twice", star + "Disallow: /a\nSitemap: https://www.example.org/s\nSitemap: https://www.example.org:443/s\n", "4:10 sitemap-twice"},
}

func listing(found []Issue) string {
	var list []string
	for _, i := range found {
		list = append(list, fmt.Sprintf("%d:%d %s", i.Line, i.Column, i.Kind))
	}
	return strings.Join(list, "|")
}

func TestC7Lint(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range lintCases {
		t.Run(c.name, func(t *testing.T) {
			found := Lint([]byte(c.file), lintContext)
			if got := listing(found); got != c.want {
				t.Errorf("got  %s\nwant %s\n%+v", got, c.want, found)
			}
			for _, i := range found {
				seen[i.Kind] = true
				row, _, _ := strings.Cut(c.name, "/")
				if i.Severity == "" || i.Row == "" || !strings.HasSuffix(i.Detail, ".") || i.Advice != "" && !strings.HasSuffix(i.Advice, ".") {
					t.Errorf("incomplete: %+v", i)
				}
				if len(found) == 1 && i.Row != row {
					t.Errorf("row %s, want %s", i.Row, row)
				}
			}
		})
	}
	for kind := range kinds {
		elsewhere := []string{KindMore, KindSizeLimit, KindLineTooLong, KindUnchecked, KindStatus, KindUnavailable, KindRefused, KindRedirected, KindRedirectLimit, KindContentType, KindCacheControl}
		if !seen[kind] && !slices.Contains(elsewhere, kind) {
			t.Errorf("no case has %s", kind)
		}
	}
}

func TestC2LintSaysWhatToDo(t *testing.T) {
	for _, c := range []struct{ file, kind, detail, advice string }{
		{star + "Disallow: private/\n", KindNeverMatches, "", "Write /private/, or */private/ for any directory."},
		{star + "Disallow: https://h/x/y\n", KindNeverMatches, "not a whole URL", "Write /x/y instead."},
		{"User-agent: gooogelbot\nDisallow: /a\n", KindTokenTypo, "gooogelbot", "If Googlebot is meant"},
		{"User-agent: Googlebot/2.1\nDisallow: /a\n", KindTokenRest, `"/2.1" is ignored`, ""},
		{star + "Disallow: /a#b\n", KindFragment, `only "/a"`, ""},
		{star + "Disallow: /\u00e9\n", KindNormalised, "/%C3%A9", ""},
		{star + "Dsallow: /a\nDisallow: /b\n", KindUnknown, "", "write disallow if"},
		{star + "Allow: /x\nDisallow: /*\n", KindDisallowAll, "every crawler without a group of its own, but for what longer", ""},
		{"User-agent: a\nUser-agent: b\nDisallow: /\n", KindDisallowAll, "forbidden to a, b.", ""},
	} {
		found := Lint([]byte(c.file), lintContext)
		i := slices.IndexFunc(found, func(i Issue) bool { return i.Kind == c.kind })
		if i < 0 || !strings.Contains(found[i].Detail, c.detail) || !strings.Contains(found[i].Advice, c.advice) {
			t.Errorf("%q: %+v, want %s: %s / %s", c.file, found, c.kind, c.detail, c.advice)
		}
	}
}
