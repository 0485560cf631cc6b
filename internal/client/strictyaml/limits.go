package strictyaml

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/goccy/go-yaml/scanner"
	"github.com/goccy/go-yaml/token"
)

// The limits on a document (house choices). They keep a parser that is
// recursive, and slow on degenerate input, inside bounded time and stack.
const (
	MaxBytes  = 4 << 20 // of a file
	MaxErrors = 50      // reported for one file

	maxTokens = 200_000 // syntactic elements
	maxDepth  = 32      // mappings and sequences inside each other
	maxKeys   = 1_000   // keys of one mapping
	maxLine   = 64 << 10
	maxBlanks = 100 // empty lines in a row
)

// checkBytes refuses what must not reach the scanner.
func checkBytes(data []byte) *FieldError {
	if len(data) > MaxBytes {
		return &FieldError{Detail: fmt.Sprintf("the file has more than %d bytes, which is the most that is read: split what does not belong here into files of its own", MaxBytes)}
	}
	line, blanks := 0, 0
	for rest := data; len(rest) > 0; {
		line++
		l := rest
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			l = rest[:i]
			rest = rest[i+1:]
		} else {
			rest = nil
		}
		l = bytes.TrimSuffix(l, []byte("\r"))
		if len(bytes.Trim(l, " \t")) == 0 {
			blanks++
		} else {
			blanks = 0
		}
		detail := ""
		switch {
		case len(l) > maxLine:
			detail = fmt.Sprintf("the line has %d bytes, at most %d are read", len(l), maxLine)
		case blanks > maxBlanks:
			detail = fmt.Sprintf("more than %d empty lines in a row: remove them", maxBlanks)
		case !utf8.Valid(l):
			detail = "the line is not UTF-8: save the file as UTF-8"
		case bytes.IndexByte(l, 0) >= 0:
			detail = "the line holds a NUL byte: save the file as plain UTF-8 text"
		case bytes.IndexByte(l, '\r') >= 0:
			detail = "the line holds a carriage return: save the file with LF or CR LF as line end"
		}
		if detail != "" {
			return &FieldError{Line: line, Column: 1, Detail: detail}
		}
	}
	return nil
}

// tokenize scans src, and stops as soon as it is out of bounds.
func tokenize(src string) (token.Tokens, *FieldError) {
	var s scanner.Scanner
	s.Init(src)
	var tokens token.Tokens
	var shape shape
	for {
		part, err := s.Scan()
		if err == io.EOF {
			return tokens, nil
		}
		for _, t := range part {
			if t == nil || t.Position == nil {
				continue
			}
			if t.Type == token.InvalidType {
				return nil, at(t, "the file is not YAML: "+t.Error)
			}
			if detail := shape.add(t); detail != "" {
				return nil, at(t, detail)
			}
			if t.Type != token.CommentType {
				tokens.Add(t)
			}
		}
		if len(tokens) > maxTokens {
			return nil, &FieldError{Detail: fmt.Sprintf("the file has more than %d elements", maxTokens)}
		}
		if err != nil {
			return nil, &FieldError{Detail: "the file is not YAML: " + err.Error()}
		}
	}
}

func at(t *token.Token, detail string) *FieldError {
	e := &FieldError{Detail: detail}
	if t != nil && t.Position != nil {
		e.Line, e.Column = t.Position.Line, t.Position.Column
	}
	return e
}

// shape follows the nesting of a document over its tokens.
type shape struct {
	levels  []level
	started bool         // an element of the document was seen
	prev    *token.Token // the one before, comments left out
}

type level struct {
	column int
	flow   bool
	keys   int
}

// add takes the next token; it returns what is wrong with it, or "".
func (s *shape) add(t *token.Token) string {
	prev := s.prev
	s.prev = t
	column := t.Position.Column
	switch t.Type {
	case token.CommentType:
		s.prev = prev
		return ""
	case token.AnchorType, token.AliasType:
		return "anchors and aliases are not supported: write the value out"
	case token.TagType:
		return "tags are not supported: remove the word that starts with \"!\""
	case token.MergeKeyType:
		return "merge keys are not supported: write the fields out"
	case token.MappingKeyType:
		return "explicit keys (\"? \") are not supported: write \"key: value\""
	case token.DirectiveType:
		return "directives (\"%\") are not supported: put text that starts with \"%\" in quotes"
	case token.DocumentHeaderType, token.DocumentEndType:
		if s.started {
			return "only one document is read from a file: remove this line and what follows"
		}
		return ""
	case token.SequenceStartType, token.MappingStartType:
		s.levels = append(s.levels, level{flow: true})
	case token.SequenceEndType, token.MappingEndType:
		if n := len(s.levels); n > 0 && s.levels[n-1].flow {
			s.levels = s.levels[:n-1]
		}
	case token.SequenceEntryType:
		s.block(column)
	case token.MappingValueType:
		if prev != nil {
			column = prev.Position.Column
		}
		s.block(column)
		if n := len(s.levels); n > 0 {
			s.levels[n-1].keys++
			if s.levels[n-1].keys > maxKeys {
				return fmt.Sprintf("the mapping has more than %d keys", maxKeys)
			}
		}
	}
	s.started = true
	if len(s.levels) > maxDepth {
		return fmt.Sprintf("more than %d mappings and lists inside each other", maxDepth)
	}
	return ""
}

// block enters the block mapping or sequence at column.
func (s *shape) block(column int) {
	n := len(s.levels)
	if n > 0 && s.levels[n-1].flow {
		return
	}
	for n > 0 && !s.levels[n-1].flow && s.levels[n-1].column > column {
		n--
	}
	s.levels = s.levels[:n]
	if n == 0 || s.levels[n-1].flow || s.levels[n-1].column < column {
		s.levels = append(s.levels, level{column: column})
	}
}
