package robots

import (
	"fmt"
	"strings"
	"testing"
)

// decisions are cases that share one file. A check is a path with a sign:
// + allowed, - disallowed. Each is one decision with its own subtest.
type decisions struct {
	source string // where the decision is laid down
	file   string
	token  string
	checks string
}

// names of the sources
const (
	rfc    = "RFC 9309 "
	google = "google/robotstxt test "
	doc    = "Google robots.txt specification page, "
)

func TestC2Decisions(t *testing.T) {
	n := 0
	for _, table := range [][]decisions{groupDecisions, lineDecisions, patternDecisions, documentedDecisions, encodingDecisions, standardDecisions} {
		for i, d := range table {
			r := Parse([]byte(d.file))
			if !strings.HasPrefix(d.source, rfc) && !strings.HasPrefix(d.source, google) && !strings.HasPrefix(d.source, doc) && !strings.HasPrefix(d.source, "parser: ") && !strings.HasPrefix(d.source, "case") {
				t.Errorf("%q names no source", d.source)
			}
			for check := range strings.FieldsSeq(d.checks) {
				n++
				t.Run(fmt.Sprintf("%s/%d/%s %.50s", d.source, i, d.token, check), func(t *testing.T) {
					v := r.Check(Agent{Tokens: strings.Split(d.token, ",")}, check[1:])
					if want := check[0] == '+'; v.Allowed != want {
						t.Errorf("allowed = %t, want %t\nverdict %+v\nfile:\n%.500s", v.Allowed, want, v, d.file)
					}
				})
			}
		}
	}
	if n < 350 {
		t.Errorf("only %d decisions were checked", n)
	}
}

var groupDecisions = []decisions{
	{google + "SystemTest", "", "FooBot", "+/ +/x"},
	{google + "SystemTest", "user-agent: FooBot\ndisallow: /\n", "FooBot", "-/"},
	{google + "SystemTest", "user-agent: FooBot\ndisallow: /\n", "", "+/"},
	{rfc + "2.1 groups", threeGroups, "FooBot", "+/x/b +/z/d -/y/c -/foo/bar/"},
	{rfc + "2.1 groups", threeGroups, "BarBot", "+/y/c +/w/a -/z/d -/foo/bar/"},
	{rfc + "2.1 groups", threeGroups, "BazBot", "+/z/d -/foo/bar/"},
	{google + "Groups_OtherRules", "User-agent: BarBot\nSitemap: https://foo.bar/s\nUser-agent: *\nDisallow: /\n", "FooBot", "-/"},
	{google + "Groups_OtherRules", "User-agent: BarBot\nSitemap: https://foo.bar/s\nUser-agent: *\nDisallow: /\n", "BarBot", "-/"},
	{google + "Groups_OtherRules", "User-agent: FooBot\nInvalid-Unknown-Line: x\nUser-agent: *\nDisallow: /\n", "FooBot", "-/"},
	{google + "Groups_OtherRules", "User-agent: FooBot\nInvalid-Unknown-Line: x\nUser-agent: *\nDisallow: /\n", "BarBot", "-/"},
	{rfc + "2.2.1 case", "User-Agent: FOO BAR\nAllow: /x/\nDisallow: /\n", "foo", "+/x/y -/a/b"},
	{rfc + "2.2.1 case", "User-Agent: fOo\nAllow: /x/\nDisallow: /\n", "FoO", "+/x/y -/a/b"},
	{google + "UserAgentUpToFirstSpace", "User-Agent: *\nDisallow: /\nUser-Agent: Foo Bar\nAllow: /x/\nDisallow: /\n", "Foo", "+/x/y"},
	{google + "UserAgentUpToFirstSpace", "User-Agent: *\nDisallow: /\nUser-Agent: Foo Bar\nAllow: /x/\nDisallow: /\n", "Foo Bar", "-/x/y"},
	{rfc + "2.2.1 global", "user-agent: *\nallow: /\nuser-agent: FooBot\ndisallow: /\n", "FooBot", "-/x/y"},
	{rfc + "2.2.1 global", "user-agent: *\nallow: /\nuser-agent: FooBot\ndisallow: /\n", "BarBot", "+/x/y"},
	{rfc + "2.2.1 none", "user-agent: FooBot\nallow: /\nuser-agent: BarBot\ndisallow: /\n", "QuxBot", "+/x/y"},
	{rfc + "2.2.1 specific replaces global", "User-agent: *\nDisallow: /x/\nUser-agent: FooBot\nDisallow: /y/\n", "FooBot", "+/x/page -/y/page"},
	{rfc + "2.2.1 merged", "User-agent: a\nDisallow: /1\nUser-agent: b\nDisallow: /2\nUser-agent: a\nDisallow: /3\n", "a", "-/1 +/2 -/3"},
	{rfc + "2.2.1 global merged", "User-agent: *\nDisallow: /1\nUser-agent: b\nDisallow: /2\nUser-agent: *\nDisallow: /3\n", "a", "-/1 +/2 -/3"},
	{rfc + "2.2.1 version", "User-agent: Googlebot/2.1\nDisallow: /\n", "Googlebot", "-/a"},
	{rfc + "2.2.1 no prefix match", "User-agent: Google\nDisallow: /\n", "Googlebot", "+/a"},
	{rfc + "2.2.1 no prefix match", "User-agent: Googlebot-Image\nDisallow: /\n", "Googlebot", "+/a"},
	{doc + "user-agent *", "User-agent: * and others\nDisallow: /\n", "a", "-/a"},
	{doc + "user-agent *", "User-agent: *\t\nDisallow: /\n", "a", "-/a"},
	{"parser: * needs a space after it", "User-agent: *bot\nDisallow: /\n", "a", "+/a"},
	{doc + "several user-agents", "user-agent: a\nuser-agent: b\ndisallow: /c\n", "b", "-/c +/d"},
	{doc + "several user-agents", "user-agent: a\n\n# note\nuser-agent: b\n\ndisallow: /c\n", "a", "-/c"},
	{doc + "empty group", "user-agent: *\ndisallow: /\nuser-agent: a\ndisallow:\n", "a", "+/c"},
	{"parser: a group at the end without rules", "user-agent: *\ndisallow: /\nuser-agent: a\n", "a", "+/c"},
	{"parser: named together with *", "user-agent: *\nuser-agent: a\ndisallow: /1\nuser-agent: a\ndisallow: /2\n", "a", "-/1 -/2"},
	{"parser: named together with *", "user-agent: *\nuser-agent: a\ndisallow: /1\nuser-agent: a\ndisallow: /2\n", "b", "-/1 +/2"},
}

const threeGroups = "allow: /foo/bar/\n\nuser-agent: FooBot\ndisallow: /\nallow: /x/\nuser-agent: BarBot\ndisallow: /\nallow: /y/\n\n\n" +
	"allow: /w/\nuser-agent: BazBot\n\nuser-agent: FooBot\nallow: /z/\ndisallow: /\n"

var lineDecisions = []decisions{
	{rfc + "2.1 line", "foo: FooBot\nbar: /\n", "FooBot", "+/x/y"},
	{google + "Line missing colon", "user-agent FooBot\ndisallow /\n", "FooBot", "-/x/y"},
	{"parser: more than two words without colon", "user-agent: FooBot\ndisallow / x\n", "FooBot", "+/x/y"},
	{google + "LineNamesCaseInsensitive", "USER-AGENT: FooBot\nALLOW: /x/\nDISALLOW: /\n", "FooBot", "+/x/y -/a/b"},
	{google + "LineNamesCaseInsensitive", "uSeR-aGeNt: FooBot\nAlLoW: /x/\ndIsAlLoW: /\n", "FooBot", "+/x/y -/a/b"},
	{"parser: misspelled dissallow", "user-agent: a\ndissallow: /x\n", "a", "-/x"},
	{"parser: misspelled dissalow", "user-agent: a\ndissalow: /x\n", "a", "-/x"},
	{"parser: misspelled disalow", "user-agent: a\nDisalow: /x\n", "a", "-/x"},
	{"parser: misspelled diasllow", "user-agent: a\nDIASLLOW: /x\n", "a", "-/x"},
	{"parser: misspelled disallaw", "user-agent: a\ndisallaw: /x\n", "a", "-/x"},
	{"parser: misspelled otherwise", "user-agent: a\ndesallow: /x\nalow: /\n", "a", "+/x"},
	{"parser: key with more behind", "user-agents: a\ndisallowed: /x\n", "a", "-/x"},
	{"parser: useragent", "useragent: a\ndisallow: /x\n", "a", "-/x"},
	{"parser: user agent", "User Agent: a\ndisallow: /x\n", "a", "-/x"},
	{rfc + "2.2.3 comment", "User-agent: a # all\n# Disallow: /\nDisallow: /foo/quz#qux\nAllow: /\n", "a", "+/foo/bar -/foo/quz"},
	{"parser: blanks around", " \tuser-agent\t:\t a \n\v disallow :/x \f\n", "a", "-/x +/"},
	{"parser: second colon belongs to the value", "user-agent: a\ndisallow: /x:y\n", "a", "-/x:y +/x"},
	{"parser: no key", "user-agent: a\n: /x\ndisallow: /y\n", "a", "+/x -/y"},
	{doc + "CR", "user-agent: a\rdisallow: /x\r", "a", "-/x +/y"},
	{doc + "CRLF", "user-agent: a\r\ndisallow: /x\r\n", "a", "-/x +/y"},
	{doc + "CR, LF and CRLF mixed", "user-agent: a\ndisallow: /x\r\n\rdisallow: /y\rdisallow: /z", "a", "-/x -/y -/z"},
	{google + "BOM", "\xEF\xBB\xBFuser-agent: a\ndisallow: /x\n", "a", "-/x"},
	{google + "BOM cut", "\xEF\xBBuser-agent: a\ndisallow: /x\n", "a", "-/x"},
	{google + "BOM cut", "\xEFuser-agent: a\ndisallow: /x\n", "a", "-/x"},
	{google + "BOM broken", "\xEF\x11\xBFuser-agent: a\ndisallow: /x\n", "a", "+/x"},
	{google + "BOM in the middle", "user-agent: a\n\xEF\xBB\xBFdisallow: /x\ndisallow: /y\n", "a", "+/x -/y"},
	{google + "LineTooLong", "user-agent: a\ndisallow: /x/" + strings.Repeat("a", 16649) + "/qux\n", "a", "+/fux -/x/" + strings.Repeat("a", 16649) + "/fux"},
	{google + "LineTooLong", "user-agent: a\ndisallow: /\nallow: /x/" + strings.Repeat("a", 16652) + "/qux\n", "a", "-/ +/x/" + strings.Repeat("a", 16652) + "/qux +/x/" + strings.Repeat("a", 16652) + "/fux"},
	{"parser: byte 16,663 is the last", "user-agent: a\ndisallow: /" + strings.Repeat("a", 16651) + "bc\n", "a", "-/" + strings.Repeat("a", 16651) + "b +/" + strings.Repeat("a", 16651) + "c"},
	{doc + "unknown lines ignored", "user-agent: a\ncrawl-delay: 5\nnoindex: /x\ndisallow: /y\nhost: b\n", "a", "+/x -/y"},
	{doc + "HTML", "<!DOCTYPE html>\n<title>x</title>\n<a href=\"http://x/\">user-agent: *</a>\n", "a", "+/x"},
	{rfc + "2.2.2 robots.txt itself", "user-agent: *\ndisallow: /\n", "a", "+/robots.txt -/robots.txt2 -/x/robots.txt"},
}
