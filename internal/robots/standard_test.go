package robots

const rfcExample = "User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n\n" +
	"User-Agent: foobot\nDisallow:/\nAllow:/example/page.html\nAllow:/example/allowed.gif\n\n" +
	"User-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n\nUser-Agent: quxbot\n\nEOF\n"

const newsGroups = "user-agent: googlebot-news\ndisallow: /fish\n\nuser-agent: *\ndisallow: /carrots\n\nuser-agent: googlebot-news\ndisallow: /shrimp\n\nuser-agent: googlebot\ndisallow: /bread\n"

// What the standard and Google's page lay down beside their tables of paths,
// and the inputs of the field. Tokens in order of precedence stand with commas.
var standardDecisions = []decisions{
	{rfc + "5.1 simple example", rfcExample, "foobot", "-/ -/x +/example/page.html +/example/allowed.gif -/example/other.gif -/publications/ +/robots.txt"},
	{rfc + "5.1 simple example", rfcExample, "barbot", "+/ -/example/page.html +/example/ +/x.gif"},
	{rfc + "5.1 simple example", rfcExample, "bazbot", "-/example/page.html +/publications/x.gif"},
	{rfc + "5.1 simple example", rfcExample, "quxbot", "+/ +/example/page.html +/x.gif"},
	{rfc + "5.1 simple example", rfcExample, "otherbot", "+/ -/x.gif +/x.gifs -/example/ -/example/x +/publications/ +/publications/x.gif"},
	{rfc + "5.2 longest match", "User-agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n", "foobot", "-/example/page/disallowed.gif +/example/page/ +/example/page/allowed.gif"},
	{rfc + "2.2 tokens with - and _", "User-agent: my_bot-x\nDisallow: /a\n", "my_bot-x", "-/a +/b"},
	{rfc + "2.2.1 no prefix match", "User-agent: my_bot-x\nDisallow: /a\n", "my_bot", "+/a"},
	{rfc + "2.2.1 case", "User-agent: EXAMPLEBOT\nDisallow: /foo\n", "ExampleBot", "-/foo"},
	{rfc + "2.2.1 merged", "User-agent: ExampleBot\nDisallow: /foo\nDisallow: /bar\n\nUser-agent: ExampleBot\nDisallow: /baz\n", "ExampleBot", "-/foo -/bar -/baz +/qux"},
	{rfc + "2.2.1 merged, global in between", "User-agent: ExampleBot\nDisallow: /foo\nUser-agent: *\nDisallow: /all\nUser-agent: ExampleBot\nDisallow: /baz\n", "ExampleBot", "-/foo +/all -/baz"},
	{rfc + "2.2.2 no rules match", "User-agent: a\nDisallow: /x\n", "a", "+/ +/y +/y/x"},
	{rfc + "2.2.2 non-ASCII", "User-agent: a\nDisallow: /foo/bar/\u30c4\n", "a", "-/foo/bar/%E3%83%84 -/foo/bar/%e3%83%84 +/foo/bar/%E3%83"},
	{rfc + "2.2.2 an escape in query", "User-agent: a\nDisallow: /foo/bar?baz=https://foo.bar\n", "a", "-/foo/bar?baz=https://foo.bar -/foo/bar?baz=https://foo.bar/x +/foo/bar?baz=http"},
	{rfc + "2.2.3 comment", "User-agent: a # b\nDisallow: /x # y\n#Disallow: /z\n", "a", "-/x +/y +/z"},
	{rfc + "2.2.3 $", "User-agent: a\nAllow: /this/path/exactly$\nDisallow: /this\n", "a", "+/this/path/exactly -/this/path/exactly/ -/this/path/exactly?x"},
	{rfc + "2.2.3 *", "User-agent: a\nAllow: /this/*/exactly\nDisallow: /this\n", "a", "+/this/path/exactly +/this//exactly -/this/exactly +/this/a/b/exactly/c"},
	{rfc + "2.2.3 escaped specials", "User-agent: a\nDisallow: /path/file-with-a-%2A.html\nDisallow: /path/foo-%24\n", "a", "-/path/file-with-a-%2A.html +/path/file-with-a-x.html -/path/foo-%24 +/path/foo-"},
	{rfc + "2.2.4 other records do not end a group", "User-agent: a\nSitemap: https://h/s\nUser-agent: b\nDisallow: /x\n", "a", "-/x"},
	{rfc + "2.2.4 crawl-delay does not end a group", "User-agent: a\nCrawl-delay: 4\n\nUser-agent: b\nDisallow: /x\n", "a", "-/x"},
	{rfc + "2.3.1.1 other media in the file", "\x00\x01\x02\nUser-agent: a\nDisallow: /x\n", "a", "-/x"},
	{doc + "order of precedence for user agents", newsGroups, "Googlebot-News,Googlebot", "-/fish -/shrimp +/carrots +/bread"},
	{doc + "order of precedence for user agents", newsGroups, "Googlebot", "+/fish +/shrimp +/carrots -/bread"},
	{doc + "order of precedence for user agents", newsGroups, "Googlebot-Image,Googlebot", "+/fish -/bread +/carrots"},
	{doc + "order of precedence for user agents", newsGroups, "Otherbot", "+/fish -/carrots +/bread"},
	{doc + "rules other than allow, disallow and user-agent are ignored", "user-agent: a\nsitemap: https://example.com/sitemap.xml\n\nuser-agent: b\ndisallow: /\n", "a", "-/x"},
	{doc + "rules other than allow, disallow and user-agent are ignored", "user-agent: a\nsitemap: https://example.com/sitemap.xml\n\nuser-agent: b\ndisallow: /\n", "b", "-/x"},
	{doc + "blank lines", "\n\n\nuser-agent: a\n\n\ndisallow: /x\n\n\ndisallow: /y", "a", "-/x -/y"},
	{doc + "no path", "user-agent: a\ndisallow\nallow:\n", "a", "+/ +/x"},
	{doc + "only whole site", "user-agent: *\ndisallow: /\nuser-agent: a\nallow: /\n", "a", "+/ +/x"},
	{doc + "file type", "user-agent: a\ndisallow: /*.xls$\n", "a", "-/x.xls -/a/b.xls +/x.xlsx +/x.xls?y"},
	{"case7 NUL ends a line", "user-agent: a\ndisallow: /x\x00/y\n", "a", "-/x -/x/z"},
	{"case7 Latin-1 comment", "user-agent: a # \xe9\ndisallow: /x # \xfc\n", "a", "-/x"},
	{"case8 reserved octets", "user-agent: a\ndisallow: /a/b\nallow: /a%2Fb\n", "a", "-/a/b +/a%2Fb +/a%2fb"},
	{"case9 empty specific group", "user-agent: *\ndisallow: /\n\nuser-agent: a\n", "a", "+/ +/x"},
	{"case9 token in a group of several", "user-agent: b\nuser-agent: a\ndisallow: /x\n\nuser-agent: a\ndisallow: /y\n", "a", "-/x -/y"},
	{"case9 token in a group of several", "user-agent: b\nuser-agent: a\ndisallow: /x\n\nuser-agent: a\ndisallow: /y\n", "b", "-/x +/y"},
}
