package robots

// The kinds of issues. They are stable: they are stored and printed. Those up
// to KindMore are found by [Parse], the others by [Lint] and [LintAnswer].
const (
	KindCrawlDelay       = "crawl-delay" // not processed (C7)
	KindNoindex          = "noindex"
	KindHost             = "host"
	KindForeign          = "directive-of-others" // such as clean-param (C7)
	KindUnknown          = "unknown-directive"   // ignored (C2)
	KindNotADirective    = "not-a-directive"     // ignored (C2)
	KindMisspelled       = "misspelled-key"      // works nevertheless (C2)
	KindMissingColon     = "missing-colon"       // works nevertheless (C2)
	KindNoGroup          = "rule-before-group"   // ignored (C2)
	KindNoToken          = "no-product-token"    // a user-agent line that matches nobody
	KindNeverMatches     = "pattern-no-match"    // neither / nor * in front
	KindSizeLimit        = "size-limit"
	KindLineTooLong      = "line-too-long"
	KindSitemap          = "sitemap-not-absolute"
	KindNotUTF8          = "not-utf-8"
	KindMore             = "more" // counts what MaxIssues left out
	KindByteOrderMark    = "byte-order-mark"
	KindUTF16            = "utf-16"
	KindHTML             = "html"
	KindNUL              = "nul-byte"
	KindEmpty            = "empty-file"
	KindFragment         = "fragment"
	KindDollar           = "dollar-inside"
	KindNotInURL         = "not-in-a-url"
	KindEscapedPlain     = "escaped-plain-character"
	KindDotSegment       = "dot-segment"
	KindNormalised       = "normalised"
	KindTrailingStar     = "trailing-star"
	KindEmptyRule        = "empty-rule"
	KindIndexPage        = "index-page"
	KindDisallowAll      = "disallow-all"
	KindBlocksResources  = "blocks-resources"
	KindDead             = "never-decides"
	KindRedundant        = "redundant"
	KindUnchecked        = "not-checked"
	KindJoined           = "joined-groups"
	KindDuplicate        = "duplicate-group"
	KindNamedTwice       = "named-twice"
	KindNoRules          = "group-without-rules"
	KindTokenRest        = "version-ignored"
	KindTokenTypo        = "misspelled-token"
	KindTokenUnknown     = "unknown-token"
	KindSitemapElsewhere = "sitemap-elsewhere"
	KindSitemapTwice     = "sitemap-twice"
	KindStatus           = "status"
	KindUnavailable      = "unavailable"
	KindRefused          = "not-asked"
	KindRedirected       = "redirected"
	KindRedirectLimit    = "redirect-limit"
	KindContentType      = "content-type"
	KindCacheControl     = "cache-control"
)

// kindFacts is what all issues of a kind have in common.
type kindFacts struct {
	severity Severity
	row      string
	advice   string
}

var kinds = map[string]kindFacts{
	KindCrawlDelay:       {SeverityWarning, "C7", "Answer 429 or 503 for a short time when the server has too much to do, or ask the operator for a lower rate."},
	KindNoindex:          {SeverityWarning, "C7", "Use a robots meta element or the X-Robots-Tag header, and let the page be crawled."},
	KindHost:             {SeverityWarning, "C7", "Redirect to the preferred host, or name it as canonical."},
	KindForeign:          {SeverityNote, "C7", ""},
	KindUnknown:          {SeverityWarning, "C2", "Remove the line, or correct its key."},
	KindNotADirective:    {SeverityWarning, "C2", "Put a # in front of a comment; a rule has the form \"disallow: /path\"."},
	KindMisspelled:       {SeverityWarning, "C2", "Correct the spelling."},
	KindMissingColon:     {SeverityWarning, "C2", "Put a colon behind the key."},
	KindNoGroup:          {SeverityError, "C2", "Put a user-agent line above it."},
	KindNoToken:          {SeverityError, "C2", "Name a product token such as Googlebot, or * alone for all; a * inside a name has no meaning."},
	KindNeverMatches:     {SeverityError, "C2", "Begin the path with / or *."},
	KindSizeLimit:        {SeverityError, "C2", "Make the file smaller: shorter patterns with *, fewer comments."},
	KindLineTooLong:      {SeverityError, "C2", "Shorten the line."},
	KindSitemap:          {SeverityError, "C8", "Write the whole URL, with scheme and host."},
	KindNotUTF8:          {SeverityWarning, "C2", "Save the file as UTF-8."},
	KindMore:             {SeverityNote, "C2", ""},
	KindByteOrderMark:    {SeverityNote, "C2", "Save the file without a byte order mark."},
	KindUTF16:            {SeverityError, "C2", "Save the file as UTF-8."},
	KindHTML:             {SeverityError, "C2", "Serve the file itself as text/plain, or answer 404 if there is none."},
	KindNUL:              {SeverityWarning, "C2", "Save the file as plain UTF-8 text."},
	KindEmpty:            {SeverityNote, "C3", ""},
	KindFragment:         {SeverityWarning, "C2", "Remove what follows, or put a blank in front of the # of a comment."},
	KindDollar:           {SeverityWarning, "C2", "Use $ only as the last character, where it means the end of the URL."},
	KindNotInURL:         {SeverityError, "C2", "Write the path as it stands in a URL, with the escape."},
	KindEscapedPlain:     {SeverityWarning, "C2", "Write the character itself."},
	KindDotSegment:       {SeverityError, "C2", "Write the path without . and .. segments."},
	KindNormalised:       {SeverityNote, "C2", ""},
	KindTrailingStar:     {SeverityNote, "C2", "Leave the * away, unless the length is meant to decide between two rules."},
	KindEmptyRule:        {SeverityNote, "C2", "To permit everything, remove the other rules of the group."},
	KindIndexPage:        {SeverityNote, "C2", ""},
	KindDisallowAll:      {SeverityWarning, "C2", "Keep it if that is meant."},
	KindBlocksResources:  {SeverityWarning, "J3", "Allow what pages need to be shown."},
	KindDead:             {SeverityWarning, "C2", "Make the pattern longer than the one that beats it, or remove it."},
	KindRedundant:        {SeverityNote, "C2", "It can be removed without changing any verdict."},
	KindUnchecked:        {SeverityNote, "C2", ""},
	KindJoined:           {SeverityWarning, "C2", "Give the first user-agent its own rules; an empty disallow will do."},
	KindDuplicate:        {SeverityNote, "C2", "Write the rules in one group."},
	KindNamedTwice:       {SeverityNote, "C2", "Remove one of the lines."},
	KindNoRules:          {SeverityWarning, "C2", "Write \"disallow:\" below it if everything is to be allowed."},
	KindTokenRest:        {SeverityNote, "C2", "Leave it away."},
	KindTokenTypo:        {SeverityWarning, "C2", "Correct the name."},
	KindTokenUnknown:     {SeverityNote, "A1", ""},
	KindSitemapElsewhere: {SeverityNote, "C8", ""},
	KindSitemapTwice:     {SeverityNote, "C8", "Remove one of the lines."},
	KindStatus:           {SeverityNote, "C3", ""},
	KindUnavailable:      {SeverityError, "C4", "Answer 200 with the file, or 404 if there is none."},
	KindRefused:          {SeverityError, "B11", ""},
	KindRedirected:       {SeverityNote, "C1", ""},
	KindRedirectLimit:    {SeverityError, "C1", "Let /robots.txt lead to the file in one hop, or serve it there."},
	KindContentType:      {SeverityWarning, "C3", "Send \"Content-Type: text/plain; charset=utf-8\"."},
	KindCacheControl:     {SeverityNote, "C5", ""},
}

// fill sets what the issue leaves open to what its kind says.
func (i *Issue) fill() {
	f := kinds[i.Kind]
	if i.Severity == "" {
		i.Severity = f.severity
	}
	if i.Row == "" {
		i.Row = f.row
	}
	if i.Advice == "" {
		i.Advice = f.advice
	}
}
