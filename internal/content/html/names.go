package html

// Names packed as by key, as constants, so that a switch over them compiles to
// a few comparisons. TestNames holds each against key.
const (
	nA        = 'a'
	nArea     = 'a'<<24 | 'r'<<16 | 'e'<<8 | 'a'
	nBase     = 'b'<<24 | 'a'<<16 | 's'<<8 | 'e'
	nFrame    = 'f'<<32 | 'r'<<24 | 'a'<<16 | 'm'<<8 | 'e'
	nIframe   = 'i'<<40 | 'f'<<32 | 'r'<<24 | 'a'<<16 | 'm'<<8 | 'e'
	nLink     = 'l'<<24 | 'i'<<16 | 'n'<<8 | 'k'
	nMath     = 'm'<<24 | 'a'<<16 | 't'<<8 | 'h'
	nMeta     = 'm'<<24 | 'e'<<16 | 't'<<8 | 'a'
	nNoembed  = 'n'<<48 | 'o'<<40 | 'e'<<32 | 'm'<<24 | 'b'<<16 | 'e'<<8 | 'd'
	nNoframes = 'n'<<56 | 'o'<<48 | 'f'<<40 | 'r'<<32 | 'a'<<24 | 'm'<<16 | 'e'<<8 | 's'
	nNoscript = 'n'<<56 | 'o'<<48 | 's'<<40 | 'c'<<32 | 'r'<<24 | 'i'<<16 | 'p'<<8 | 't'
	nScript   = 's'<<40 | 'c'<<32 | 'r'<<24 | 'i'<<16 | 'p'<<8 | 't'
	nStyle    = 's'<<32 | 't'<<24 | 'y'<<16 | 'l'<<8 | 'e'
	nSvg      = 's'<<16 | 'v'<<8 | 'g'
	nTemplate = 't'<<56 | 'e'<<48 | 'm'<<40 | 'p'<<32 | 'l'<<24 | 'a'<<16 | 't'<<8 | 'e'
	nTextarea = 't'<<56 | 'e'<<48 | 'x'<<40 | 't'<<32 | 'a'<<24 | 'r'<<16 | 'e'<<8 | 'a'
	nTitle    = 't'<<32 | 'i'<<24 | 't'<<16 | 'l'<<8 | 'e'
	nXmp      = 'x'<<16 | 'm'<<8 | 'p'
	nHTML     = 'h'<<24 | 't'<<16 | 'm'<<8 | 'l'
	nHead     = 'h'<<24 | 'e'<<16 | 'a'<<8 | 'd'
	nBasefont = 'b'<<56 | 'a'<<48 | 's'<<40 | 'e'<<32 | 'f'<<24 | 'o'<<16 | 'n'<<8 | 't'
	nBgsound  = 'b'<<48 | 'g'<<40 | 's'<<32 | 'o'<<24 | 'u'<<16 | 'n'<<8 | 'd'
	nBody     = 'b'<<24 | 'o'<<16 | 'd'<<8 | 'y'
	nBr       = 'b'<<8 | 'r'
	nH1       = 'h'<<8 | '1'
	nP        = 'p'
	nMi       = 'm'<<8 | 'i'
	nMn       = 'm'<<8 | 'n'
	nMo       = 'm'<<8 | 'o'
	nMs       = 'm'<<8 | 's'
	nMtext    = 'm'<<32 | 't'<<24 | 'e'<<16 | 'x'<<8 | 't'
	nImg      = 'i'<<16 | 'm'<<8 | 'g'
	nVideo    = 'v'<<32 | 'i'<<24 | 'd'<<16 | 'e'<<8 | 'o'
	nAudio    = 'a'<<32 | 'u'<<24 | 'd'<<16 | 'i'<<8 | 'o'
	nSource   = 's'<<40 | 'o'<<32 | 'u'<<24 | 'r'<<16 | 'c'<<8 | 'e'
	nEmbed    = 'e'<<32 | 'm'<<24 | 'b'<<16 | 'e'<<8 | 'd'
	nDesc     = 'd'<<24 | 'e'<<16 | 's'<<8 | 'c'
)

const (
	kHref     = 'h'<<24 | 'r'<<16 | 'e'<<8 | 'f'
	kSrc      = 's'<<16 | 'r'<<8 | 'c'
	kRel      = 'r'<<16 | 'e'<<8 | 'l'
	kName     = 'n'<<24 | 'a'<<16 | 'm'<<8 | 'e'
	kContent  = 'c'<<48 | 'o'<<40 | 'n'<<32 | 't'<<24 | 'e'<<16 | 'n'<<8 | 't'
	kCharset  = 'c'<<48 | 'h'<<40 | 'a'<<32 | 'r'<<24 | 's'<<16 | 'e'<<8 | 't'
	kHreflang = 'h'<<56 | 'r'<<48 | 'e'<<40 | 'f'<<32 | 'l'<<24 | 'a'<<16 | 'n'<<8 | 'g'
	kMedia    = 'm'<<32 | 'e'<<24 | 'd'<<16 | 'i'<<8 | 'a'
	kType     = 't'<<24 | 'y'<<16 | 'p'<<8 | 'e'
	kLang     = 'l'<<24 | 'a'<<16 | 'n'<<8 | 'g'
)

// endsForeign reports whether a start tag of this name, at most eight letters
// packed, ends SVG and MathML content (WHATWG 13.2.6.5); blockquote is longer
// and listed where it is used.
func endsForeign(name uint64) bool {
	switch name {
	case nBody, nBr, nHead, nMeta, nP,
		'b',
		'b'<<16 | 'i'<<8 | 'g',
		'c'<<24 | 'o'<<16 | 'd'<<8 | 'e',
		'd'<<8 | 'd',
		'd'<<16 | 'i'<<8 | 'v',
		'd'<<8 | 'l',
		'd'<<8 | 't',
		'e'<<8 | 'm',
		'e'<<32 | 'm'<<24 | 'b'<<16 | 'e'<<8 | 'd',
		'h'<<8 | '1',
		'h'<<8 | '2',
		'h'<<8 | '3',
		'h'<<8 | '4',
		'h'<<8 | '5',
		'h'<<8 | '6',
		'h'<<8 | 'r',
		'i',
		'i'<<16 | 'm'<<8 | 'g',
		'l'<<8 | 'i',
		'l'<<48 | 'i'<<40 | 's'<<32 | 't'<<24 | 'i'<<16 | 'n'<<8 | 'g',
		'm'<<24 | 'e'<<16 | 'n'<<8 | 'u',
		'n'<<24 | 'o'<<16 | 'b'<<8 | 'r',
		'o'<<8 | 'l',
		'p'<<16 | 'r'<<8 | 'e',
		'r'<<24 | 'u'<<16 | 'b'<<8 | 'y',
		's',
		's'<<32 | 'm'<<24 | 'a'<<16 | 'l'<<8 | 'l',
		's'<<24 | 'p'<<16 | 'a'<<8 | 'n',
		's'<<40 | 't'<<32 | 'r'<<24 | 'o'<<16 | 'n'<<8 | 'g',
		's'<<40 | 't'<<32 | 'r'<<24 | 'i'<<16 | 'k'<<8 | 'e',
		's'<<16 | 'u'<<8 | 'b',
		's'<<16 | 'u'<<8 | 'p',
		't'<<32 | 'a'<<24 | 'b'<<16 | 'l'<<8 | 'e',
		't'<<8 | 't',
		'u',
		'u'<<8 | 'l',
		'v'<<16 | 'a'<<8 | 'r',
		'c'<<40 | 'e'<<32 | 'n'<<24 | 't'<<16 | 'e'<<8 | 'r':
		return true
	}
	return false
}
