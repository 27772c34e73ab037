package expr

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/resource"
)

// function is one that expressions may call; a method's first argument is what it
// is called on.
type function struct {
	args int
	call func(args []any) (any, error)
}

// functions are all of them: "f" is before the name of a function, "m" of a method.
var functions = map[string]function{
	"m matches": {2, func(a []any) (any, error) {
		return texts(a[:1], func(s []string) any { return a[1].(*regexp.Regexp).MatchString(s[0]) })
	}},
	"m startsWith": {2, func(a []any) (any, error) {
		return texts(a, func(s []string) any { return strings.HasPrefix(s[0], s[1]) })
	}},
	"m endsWith": {2, func(a []any) (any, error) {
		return texts(a, func(s []string) any { return strings.HasSuffix(s[0], s[1]) })
	}},
	"m contains": {2, func(a []any) (any, error) {
		return texts(a, func(s []string) any { return strings.Contains(s[0], s[1]) })
	}},
	"m split": {2, func(a []any) (any, error) {
		return texts(a, func(s []string) any {
			parts := []any{}
			for _, p := range strings.Split(s[0], s[1]) {
				parts = append(parts, p)
			}
			return parts
		})
	}},
	"m substring":  {3, substring},
	"m size":       {1, size},
	"m sum":        {1, sum},
	"m isLessThan": {2, isLessThan},
	"f isQuantity": {1, func(a []any) (any, error) {
		return texts(a, func(s []string) any {
			_, err := resource.ParseQuantity(s[0])
			return err == nil
		})
	}},
	"f quantity": {1, func(a []any) (any, error) {
		s, ok := a[0].(string)
		if !ok {
			return nil, fmt.Errorf("quantity of %v", a[0])
		}
		q, err := resource.ParseQuantity(s)
		return q, err
	}},
	"f int":  {1, toInt},
	"f type": {1, typeOf},
}

func texts(args []any, f func([]string) any) (any, error) {
	var all []string
	for _, a := range args {
		s, ok := a.(string)
		if !ok {
			return nil, fmt.Errorf("%v is no text", a)
		}
		all = append(all, s)
	}
	return f(all), nil
}

func substring(a []any) (any, error) {
	s, ok := a[0].(string)
	from, is := a[1].(int64)
	to, too := a[2].(int64)
	if runes := []rune(s); ok && is && too && 0 <= from && from <= to && to <= int64(len(runes)) {
		return string(runes[from:to]), nil
	}
	return nil, fmt.Errorf("%v has no characters %v to %v", a[0], a[1], a[2])
}

func size(a []any) (any, error) {
	switch x := a[0].(type) {
	case string:
		return int64(utf8.RuneCountInString(x)), nil
	case []any:
		return int64(len(x)), nil
	case map[string]any:
		return int64(len(x)), nil
	}
	return nil, fmt.Errorf("%v has no size", a[0])
}

func sum(a []any) (any, error) {
	list, ok := a[0].([]any)
	total := int64(0)
	for _, x := range list {
		n, is := x.(int64)
		ok = ok && is
		total += n
	}
	if !ok {
		return nil, fmt.Errorf("sum of %v", a[0])
	}
	return total, nil
}

func isLessThan(a []any) (any, error) {
	x, ok := a[0].(resource.Quantity)
	y, too := a[1].(resource.Quantity)
	if !ok || !too {
		return nil, fmt.Errorf("isLessThan of what is no quantity")
	}
	return x.Cmp(y) < 0, nil
}

func toInt(a []any) (any, error) {
	switch x := a[0].(type) {
	case int64:
		return x, nil
	case string:
		n, err := strconv.ParseInt(x, 10, 64)
		return n, err
	}
	return nil, fmt.Errorf("%v is no number", a[0])
}

func typeOf(a []any) (any, error) {
	switch a[0].(type) {
	case int64:
		return typeName("int"), nil
	case string:
		return typeName("string"), nil
	}
	return typeName("another"), nil
}
