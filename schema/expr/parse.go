package expr

import (
	"fmt"
	"regexp"
	"strconv"
)

// Program is an expression that can be evaluated.
type Program struct {
	root node
	// Transition: it speaks of oldSelf, and so holds only of changes.
	Transition bool
}

// node is a place of the syntax tree.
type node struct {
	op   string // what it is; see eval
	text string // of a name, a field, a function
	lit  any    // of a literal
	args []node
}

// parser is a recursive descent by precedence.
type parser struct {
	tokens []token
	vars   []string // names that are bound where the parser is
	old    bool
}

// Parse reads an expression about self and oldSelf. It fails on whatever Eval
// would not know, also on a function's wrong number of arguments and on a
// regular expression that is none.
func Parse(text string) (*Program, error) {
	tokens, err := lex(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	p := &parser{tokens: tokens, vars: []string{"self", "oldSelf"}}
	root, err := p.ternary()
	if err == nil && p.next().kind != tokenEnd {
		err = fmt.Errorf("%q was not expected", p.next().text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	return &Program{root: root, Transition: p.old}, nil
}

func (p *parser) next() token { return p.tokens[0] }

func (p *parser) take() token {
	t := p.tokens[0]
	if len(p.tokens) > 1 {
		p.tokens = p.tokens[1:]
	}
	return t
}

func (p *parser) want(kind string) error {
	if t := p.take(); t.kind != kind {
		return fmt.Errorf("%q where %s was expected", t.text, kind)
	}
	return nil
}

func (p *parser) ternary() (node, error) {
	n, err := p.binary(0)
	if err != nil || p.next().kind != "?" {
		return n, err
	}
	p.take()
	yes, err := p.ternary()
	if err != nil {
		return n, err
	}
	if err := p.want(":"); err != nil {
		return n, err
	}
	no, err := p.ternary()
	return node{op: "?", args: []node{n, yes, no}}, err
}

// levels are the binary operators, those that bind least first.
var levels = []map[string]bool{
	{"||": true}, {"&&": true}, {"==": true, "!=": true, "<": true, "<=": true, ">": true, ">=": true, "in": true},
	{"+": true, "-": true}, {"*": true, "/": true, "%": true},
}

func (p *parser) binary(level int) (node, error) {
	if level == len(levels) {
		return p.unary()
	}
	n, err := p.binary(level + 1)
	for err == nil && levels[level][p.next().text] && p.next().kind != tokenString {
		op := p.take().text
		var right node
		right, err = p.binary(level + 1)
		n = node{op: op, args: []node{n, right}}
	}
	return n, err
}

func (p *parser) unary() (node, error) {
	switch p.next().kind {
	case "!", "-":
		op := p.take().text
		n, err := p.unary()
		return node{op: "unary" + op, args: []node{n}}, err
	}
	return p.member()
}

func (p *parser) member() (node, error) {
	n, err := p.primary()
	for err == nil {
		switch p.next().kind {
		case ".":
			p.take()
			name := p.take()
			if name.kind != tokenName {
				return n, fmt.Errorf("%q where a field was expected", name.text)
			}
			if p.next().kind != "(" {
				n = node{op: "field", text: name.text, args: []node{n}}
				continue
			}
			p.take()
			n, err = p.call(name.text, &n)
		case "[":
			p.take()
			var index node
			if index, err = p.ternary(); err == nil {
				n = node{op: "index", args: []node{n, index}}
				err = p.want("]")
			}
		default:
			return n, nil
		}
	}
	return n, err
}

func (p *parser) primary() (node, error) {
	switch t := p.take(); t.kind {
	case tokenString:
		return node{op: "literal", lit: t.text}, nil
	case tokenInt:
		n, err := strconv.ParseInt(t.text, 10, 64)
		return node{op: "literal", lit: n}, err
	case "(":
		n, err := p.ternary()
		if err != nil {
			return n, err
		}
		return n, p.want(")")
	case "[":
		items, err := p.list("]")
		return node{op: "list", args: items}, err
	case tokenName:
		return p.named(t.text)
	default:
		return node{}, fmt.Errorf("%q was not expected", t.text)
	}
}

func (p *parser) named(name string) (node, error) {
	switch name {
	case "true", "false":
		return node{op: "literal", lit: name == "true"}, nil
	case "int", "string":
		if p.next().kind != "(" {
			return node{op: "literal", lit: typeName(name)}, nil
		}
	}
	if p.next().kind == "(" {
		p.take()
		return p.call(name, nil)
	}
	for _, v := range p.vars {
		if v == name {
			p.old = p.old || name == "oldSelf"
			return node{op: "name", text: name}, nil
		}
	}
	return node{}, fmt.Errorf("unknown name %q", name)
}

// list reads expressions with commas between them, and what closes them.
func (p *parser) list(end string) (all []node, err error) {
	for p.next().kind != end {
		if len(all) > 0 {
			if err := p.want(","); err != nil {
				return nil, err
			}
		}
		n, err := p.ternary()
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	p.take()
	return all, nil
}

// macros bind a name to each element in turn.
var macros = map[string]bool{"all": true, "exists": true, "exists_one": true, "filter": true, "map": true}

// call reads the arguments of a function, or of a method of on.
func (p *parser) call(name string, on *node) (node, error) {
	if on != nil && macros[name] {
		v := p.take()
		if v.kind != tokenName {
			return node{}, fmt.Errorf("%s: %q where a name was expected", name, v.text)
		}
		if err := p.want(","); err != nil {
			return node{}, err
		}
		p.vars = append(p.vars, v.text)
		body, err := p.ternary()
		p.vars = p.vars[:len(p.vars)-1]
		if err != nil {
			return node{}, err
		}
		return node{op: name, text: v.text, args: []node{*on, body}}, p.want(")")
	}
	args, err := p.list(")")
	if err != nil {
		return node{}, err
	}
	if on == nil && name == "has" {
		if len(args) != 1 || args[0].op != "field" {
			return node{}, fmt.Errorf("has() is about a field")
		}
		return node{op: "has", text: args[0].text, args: args[0].args}, nil
	}
	given := "f " + name
	if on != nil {
		given, args = "m "+name, append([]node{*on}, args...)
	}
	f, ok := functions[given]
	if !ok || len(args) != f.args {
		return node{}, fmt.Errorf("unknown function %s() of %d arguments", name, len(args))
	}
	if name == "matches" {
		pattern, ok := args[1].lit.(string)
		if !ok {
			return node{}, fmt.Errorf("matches() takes a constant")
		}
		re, err := regexp.Compile(pattern)
		if err != nil {
			return node{}, err
		}
		args[1].lit = re
	}
	return node{op: "call", text: given, args: args}, nil
}
