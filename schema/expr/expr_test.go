package expr

import "testing"

func TestExpressions(t *testing.T) {
	self := map[string]any{"name": "Ärger", "port": int64(80), "list": []any{"a", "b"}, "map": map[string]any{"k": "v"}, "yes": true, "half": 0.5,
		"size": "64Mi", "two": []any{map[string]any{"p": int64(1)}, map[string]any{"p": int64(2)}}}
	for text, want := range map[string]any{
		"self.port == 80 && self.port != 81 && self.port % 9 == 8 && self.port / 7 == 11":    true,
		"self.port - 1 - 1 == 78 && 2 + 3 * 4 == 14 && (2 + 3) * 4 == 20 && -self.port < 0":  true,
		"self.port < 81 && self.port <= 80 && self.port > 79 && self.port >= 80":             true,
		"self.name.size() == 5 && self.name.substring(1, 3) == 'rg'":                         true,
		"self.name + '!' == 'Ärger!' && 'it\\'s' == \"it's\"":                                true,
		"has(self.name) && !has(self.nothing)":                                               true,
		"has(self.name) ? self.port == 80 : self.nothing == 1":                               true,
		"has(self.nothing) ? self.nothing == 1 : false":                                      false,
		"self.list.all(x, x.size() == 1) && self.list.exists(x, x == 'b')":                   true,
		"self.list.exists_one(x, x == 'a') && !self.list.exists_one(x, x != 'c')":            true,
		"self.list.filter(x, x == 'a').size() == 1 && self.list.map(x, x.size()).sum() == 2": true,
		"self.map.all(k, self.map[k] == 'v') && self.list[1] == 'b' && 'k' in self.map":      true,
		"self.port in [79, 80] && !(self.port in [])":                                        true,
		"type(self.port) == int && type(self.name) == string && type(self.name) != int":      true,
		"int('12') == 12 && '1.2'.split('.')[0] == '1'":                                      true,
		"isQuantity(self.size) && !quantity(self.size).isLessThan(quantity('0'))":            true,
		"self.name.startsWith('Ä') && self.name.endsWith('r') && self.name.contains('rg')":   true,
		"self.name.matches('^[A-Z]')":                                                        false,
		"self.two.all(v, self.two.exists_one(w, w.p == v.p))":                                true,
		// What one side alone decides is decided, though the other fails.
		"self.nothing == 1 || true":                        true,
		"self.nothing == 1 && false":                       false,
		"self.list.exists(x, x == 'a' || x.nothing == 1)":  true,
		"self.two.all(x, x.p != 1 && x.nothing == 1)":      false,
		"self.port == oldSelf.port || self.yes == oldSelf": true,
		"self.list == ['a', 'b'] && self.half != 1":        true,
		// Failures.
		"self.nothing == 1":                             nil,
		"self.nothing":                                  nil,
		"self.port":                                     nil,
		"!self.port":                                    nil,
		"-self.name == 1":                               nil,
		"self.port < self.name":                         nil,
		"self.port % 0 == 1":                            nil,
		"self.list[2] == 'c'":                           nil,
		"self.map['x'] == 'c'":                          nil,
		"'x' in self.port":                              nil,
		"self.port.all(x, x)":                           nil,
		"self.list.map(x, x.y).size() > 0":              nil,
		"self.port.size() == 1":                         nil,
		"self.list.sum() == 1":                          nil,
		"self.name.substring(4, 9) == ''":               nil,
		"self.port.startsWith('8')":                     nil,
		"int('x') == 1 && int(self.list) == 1":          nil,
		"quantity('64MB').isLessThan(quantity('0'))":    nil,
		"quantity(self.port).isLessThan(quantity('0'))": nil,
		"self.port.isLessThan(quantity('0'))":           nil,
		"self.port.nothing == 1":                        nil,
		"self.list.all(x, x)":                           nil,
		"(self.nothing == 1 ? true : false) == true":    nil,
	} {
		p, err := Parse(text)
		if err != nil {
			t.Error(err)
			continue
		}
		got, err := p.Bool(self, map[string]any{"port": int64(80)})
		if want == nil {
			if err == nil {
				t.Errorf("%s is %v, want a failure", text, got)
			}
			continue
		}
		if err != nil || got != want {
			t.Errorf("%s is %v (%v), want %v", text, got, err, want)
		}
	}
}

// What is not known is refused when it is read, not when an object is judged.
func TestUnknownIsRefused(t *testing.T) {
	for _, text := range []string{
		"", "self.", "self.x(", "self.x &", "self == 1.5", "'open", `'\n' == self`, "nobody == 1", "self.upperAscii() == 'A'", "size(self) == 1",
		"self.matches(self)", "self.matches('[')", "self.startsWith('a', 'b')", "has(self)", "has(1)", "self ? 1", "self ? 1 : ", "[1, 2", "self[1", "(self", "self == 1 2",
		"self.all(x)", "self.all(1, x)", "self.all(x, x", "self.exists(x, y)", "x.all(x, x)", "self.x y", "#", "99999999999999999999 == self", "[1 2]", "f(", "self.map(x, ) == 1", "!", "self.1",
		"self ? ) : 1", "self in", "self[)]", "()",
	} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestTransition(t *testing.T) {
	for text, want := range map[string]bool{"self == oldSelf": true, "self == 1": false, "!has(oldSelf.x) || self.x == oldSelf.x": true} {
		if p, err := Parse(text); err != nil || p.Transition != want {
			t.Errorf("%s: %v, %v", text, p, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("self.all(k, k.size() >= 1 ? self[k] in ['a'] : !k.startsWith('x'))")
	f.Fuzz(func(_ *testing.T, text string) {
		if p, err := Parse(text); err == nil {
			_, _ = p.Bool(map[string]any{"a": int64(1)}, nil)
		}
	})
}
