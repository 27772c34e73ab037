package expr

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// typeName is the value of a type's name.
type typeName string

// Bool evaluates the expression; old is nil where there was no object before. An
// error is one of the expression: a field that is not there, a text that is no
// number.
func (p *Program) Bool(self, old any) (bool, error) {
	v, err := eval(p.root, map[string]any{"self": self, "oldSelf": old})
	if err != nil {
		return false, err
	}
	b, ok := v.(bool)
	if !ok {
		return false, fmt.Errorf("it is %v, neither true nor false", v)
	}
	return b, nil
}

func eval(n node, vars map[string]any) (any, error) {
	switch n.op {
	case "literal":
		return n.lit, nil
	case "name":
		return number(vars[n.text]), nil
	case "||", "&&":
		return logic(n.op == "||", n.args, func(a node) (any, error) { return eval(a, vars) })
	case "?":
		c, err := eval(n.args[0], vars)
		if err != nil {
			return nil, err
		}
		if c == true {
			return eval(n.args[1], vars)
		}
		return eval(n.args[2], vars)
	case "all", "exists", "exists_one", "filter", "map":
		return each(n, vars)
	}
	args := make([]any, len(n.args))
	for i, a := range n.args {
		v, err := eval(a, vars)
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	switch n.op {
	case "list":
		return args, nil
	case "field", "has":
		m, ok := args[0].(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s is a field of nothing that has fields", n.text)
		}
		v, there := m[n.text]
		if n.op == "has" {
			return there, nil
		}
		if !there {
			return nil, fmt.Errorf("no such key: %s", n.text)
		}
		return number(v), nil
	case "index":
		return index(args[0], args[1])
	case "unary!":
		b, ok := args[0].(bool)
		if !ok {
			return nil, errors.New("! of what is neither true nor false")
		}
		return !b, nil
	case "unary-":
		i, ok := args[0].(int64)
		if !ok {
			return nil, errors.New("- of what is no number")
		}
		return -i, nil
	case "==", "!=":
		return equal(args[0], args[1]) == (n.op == "=="), nil
	case "in":
		return contained(args[0], args[1])
	case "call":
		return functions[n.text].call(args)
	}
	return arithmetic(n.op, args[0], args[1])
}

// number is a JSON number as CEL sees that of an integer field.
func number(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case int32:
		return int64(v)
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
	}
	return v
}

func equal(a, b any) bool { return reflect.DeepEqual(number(a), number(b)) }

// logic is || and &&, which know the answer when one side alone decides it, though
// the other fails.
func logic(or bool, args []node, eval func(node) (any, error)) (any, error) {
	var failed error
	for _, a := range args {
		v, err := eval(a)
		b, ok := v.(bool)
		switch {
		case err == nil && ok && b == or:
			return or, nil
		case err == nil && !ok:
			err = errors.New("a condition is neither true nor false")
		}
		if failed == nil {
			failed = err
		}
	}
	return !or, failed
}

// each evaluates a macro over a list's elements or a map's keys.
func each(n node, vars map[string]any) (any, error) {
	over, err := eval(n.args[0], vars)
	if err != nil {
		return nil, err
	}
	var items []any
	switch over := over.(type) {
	case []any:
		items = over
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(over)) {
			items = append(items, k)
		}
	default:
		return nil, fmt.Errorf("%s() of what is neither a list nor a map", n.op)
	}
	bodies := make([]node, len(items))
	at := maps.Clone(vars)
	one := func(i int) (any, error) {
		at[n.text] = items[i]
		return eval(n.args[1], at)
	}
	if n.op == "all" || n.op == "exists" {
		i := -1
		return logic(n.op == "exists", bodies, func(node) (any, error) { i++; return one(i) })
	}
	out, count := []any{}, 0
	for i := range items {
		v, err := one(i)
		if err != nil {
			return nil, err
		}
		switch {
		case n.op == "map":
			out = append(out, v)
		case v == true:
			count++
			out = append(out, items[i])
		}
	}
	if n.op == "exists_one" {
		return count == 1, nil
	}
	return out, nil
}

func index(of, at any) (any, error) {
	switch of := of.(type) {
	case []any:
		if i, ok := at.(int64); ok && i >= 0 && int(i) < len(of) {
			return number(of[i]), nil
		}
	case map[string]any:
		if k, ok := at.(string); ok {
			if v, there := of[k]; there {
				return number(v), nil
			}
		}
	}
	return nil, fmt.Errorf("there is no element %v", at)
}

func contained(v, in any) (any, error) {
	switch in := in.(type) {
	case []any:
		return slices.ContainsFunc(in, func(x any) bool { return equal(x, v) }), nil
	case map[string]any:
		k, _ := v.(string)
		_, there := in[k]
		return there, nil
	}
	return nil, errors.New("in what is neither a list nor a map")
}

func arithmetic(op string, a, b any) (any, error) {
	if x, ok := a.(string); ok && op == "+" {
		if y, ok := b.(string); ok {
			return x + y, nil
		}
	}
	x, ok := a.(int64)
	y, too := b.(int64)
	if !ok || !too {
		return nil, fmt.Errorf("%s of %v and %v", op, a, b)
	}
	switch op {
	case "<":
		return x < y, nil
	case "<=":
		return x <= y, nil
	case ">":
		return x > y, nil
	case ">=":
		return x >= y, nil
	case "+":
		return x + y, nil
	case "-":
		return x - y, nil
	case "*":
		return x * y, nil
	}
	if y == 0 {
		return nil, errors.New("division by zero")
	}
	if op == "/" {
		return x / y, nil
	}
	return x % y, nil
}
