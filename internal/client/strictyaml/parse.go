package strictyaml

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// kind is the type of a YAML value as a person would name it.
type kind string

const (
	kindNull    kind = "nothing"
	kindText    kind = "text"
	kindInt     kind = "a whole number"
	kindFloat   kind = "a number"
	kindBool    kind = "true or false"
	kindMapping kind = "a mapping (key: value)"
	kindList    kind = "a list"
)

// node is one value of the document.
type node struct {
	kind         kind
	line, column int
	text         string  // of a scalar
	entries      []entry // of a mapping, in order
	items        []*node // of a list
}

type entry struct {
	name         string
	line, column int
	value        *node
}

// Document is a parsed file and what was found wrong in it so far.
type Document struct {
	file string
	root *node
	errs Errors
	more bool // errors beyond MaxErrors were dropped
}

// Parse reads data as one YAML document; file names it in errors. The error is
// of type Errors.
func Parse(file string, data []byte) (doc *Document, err error) {
	defer func() {
		if r := recover(); r != nil {
			doc, err = nil, Errors{{File: file, Detail: fmt.Sprintf("the file cannot be read as YAML: %.100v", r)}}
		}
	}()
	root, ferr := parse(data)
	if ferr != nil {
		ferr.File = file
		return nil, Errors{ferr}
	}
	return &Document{file: file, root: root}, nil
}

func parse(data []byte) (*node, *FieldError) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if ferr := checkBytes(data); ferr != nil {
		return nil, ferr
	}
	tokens, ferr := tokenize(string(data))
	if ferr != nil {
		return nil, ferr
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		// Not err.Error(): it renders the source around the token, in time
		// quadratic in the file.
		var syntax interface {
			GetToken() *token.Token
			GetMessage() string
		}
		if errors.As(err, &syntax) {
			return nil, at(syntax.GetToken(), "the file is not YAML: "+syntax.GetMessage())
		}
		return nil, &FieldError{Detail: "the file is not YAML"}
	}
	root := &node{kind: kindNull, line: 1, column: 1}
	seen := false
	for _, d := range file.Docs {
		if d == nil || d.Body == nil {
			continue
		}
		if seen {
			return nil, at(d.Body.GetToken(), "only one document is read from a file")
		}
		seen = true
		if root, ferr = convert(d.Body, 0); ferr != nil {
			return nil, ferr
		}
	}
	return root, nil
}

// convert turns a syntax tree into nodes.
func convert(in ast.Node, depth int) (*node, *FieldError) {
	if depth > maxDepth {
		return nil, at(in.GetToken(), fmt.Sprintf("more than %d mappings and lists inside each other", maxDepth))
	}
	n := &node{}
	if t := in.GetToken(); t != nil && t.Position != nil {
		n.line, n.column, n.text = t.Position.Line, t.Position.Column, t.Value
	}
	switch v := in.(type) {
	case *ast.MappingNode:
		return convertMapping(n, v.Values, depth)
	case *ast.MappingValueNode:
		return convertMapping(n, []*ast.MappingValueNode{v}, depth)
	case *ast.SequenceNode:
		n.kind = kindList
		for _, item := range v.Values {
			c, ferr := child(item, n, depth)
			if ferr != nil {
				return nil, ferr
			}
			n.items = append(n.items, c)
		}
	case *ast.StringNode:
		n.kind, n.text = kindText, v.Value
	case *ast.LiteralNode:
		n.kind = kindText
		if v.Value != nil {
			n.text = v.Value.Value
		}
	case *ast.IntegerNode:
		n.kind = kindInt
	case *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		n.kind = kindFloat
	case *ast.BoolNode:
		n.kind = kindBool
	case *ast.NullNode:
		n.kind = kindNull
	default:
		return nil, at(in.GetToken(), fmt.Sprintf("a YAML %s is not supported here", in.Type()))
	}
	return n, nil
}

func convertMapping(n *node, values []*ast.MappingValueNode, depth int) (*node, *FieldError) {
	n.kind, n.text = kindMapping, ""
	for i, kv := range values {
		if kv == nil || kv.Key == nil || kv.Key.GetToken() == nil {
			return nil, &FieldError{Line: n.line, Column: n.column, Detail: "a key is missing"}
		}
		key := kv.Key.GetToken()
		if key.Position == nil {
			return nil, &FieldError{Line: n.line, Column: n.column, Detail: "a key is missing"}
		}
		c, ferr := child(kv.Value, n, depth)
		if ferr != nil {
			return nil, ferr
		}
		if i == 0 {
			n.line, n.column = key.Position.Line, key.Position.Column
		}
		n.entries = append(n.entries, entry{name: key.Value, line: key.Position.Line, column: key.Position.Column, value: c})
	}
	return n, nil
}

func child(in ast.Node, parent *node, depth int) (*node, *FieldError) {
	if in == nil {
		return &node{kind: kindNull, line: parent.line, column: parent.column}, nil
	}
	return convert(in, depth+1)
}
