package html

import "time"

// Limits of one document, all house choices. What they cut is said in
// Document.Bounded.
const (
	MaxRefs      = 200_000 // references kept, before duplicates are removed
	MaxValue     = 8 << 10 // bytes of an attribute value that is looked at
	MaxTitle     = 1 << 10 // bytes of the title
	MaxRobots    = 64      // robots elements kept
	MaxRuns      = 4096    // distinct runs of text kept
	MaxCharsetAt = 64 << 10
	maxForeign   = 64 // nesting of SVG and MathML that is followed
)

// Kind says what a reference is to the page.
type Kind uint8

// The kinds of references.
const (
	KindLink       Kind = iota // a, area
	KindFrame                  // iframe, frame
	KindCanonical              // link rel=canonical in the head
	KindAlternate              // link rel=alternate: hreflang, feed, other version
	KindPagination             // link rel=next or prev
)

// Ref is one reference, not yet resolved.
type Ref struct {
	// Value is the reference with character references decoded and white
	// space around it removed. It may alias the document: copy what is kept.
	Value    []byte
	Kind     Kind
	NoFollow bool // rel has nofollow, ugc or sponsored
}

// RobotsMeta is one meta element that may hold robots rules (F12).
type RobotsMeta struct {
	Name    string // lower case
	Content string
}

// Refresh is a refresh instruction (B6).
type Refresh struct {
	URL   string // as written, "" = the page itself
	Delay time.Duration
}

// Document is what was read, in document order.
type Document struct {
	Refs    []Ref
	Base    []byte // href of the first base element that has one; nil = none
	Title   string // first title element, white space folded
	Robots  []RobotsMeta
	Refresh *Refresh // first valid one
	Charset string   // first label declared in the first MaxCharsetAt bytes, lower case
	Bounded []string // what a limit cut, one sentence each
	Notes   []string // what was found wrong and how it was read, one sentence each
	Runs    []uint32 // hashes of what the document says, if asked for: see [Options]; each once, sorted
	// HeadingAt is where the contents of the first h1 start in the bytes that were
	// scanned; 0 = there is none.
	HeadingAt int
	RunsCut   bool // there were more than MaxRuns of them
}

// Options change how a document is read.
type Options struct {
	// XML is set for documents sent as XHTML: self-closing tags close, and
	// CDATA sections are sections. Everything else is read as HTML.
	XML bool
	// Runs asks for Document.Runs.
	Runs bool
	// Drop are words, in lower case, that are left out of the runs: those of the
	// document's own address, which every page of an endless space repeats.
	Drop []string
}

// Scan reads doc. It never fails: hostile bytes give a poorer document.
func Scan(doc []byte, opt Options) *Document {
	d := &Document{}
	s := scanner{doc: doc, out: d, xml: opt.XML}
	if opt.Runs {
		s.runs = newRuns(opt.Drop)
	}
	s.run()
	if s.runs != nil {
		d.Runs, d.RunsCut = s.runs.sorted(), s.runs.cut
	}
	return d
}
