package reconcile

import "strings"

// space is a namespace's name, shared by all that is kept of what is in it.
type space struct {
	name  string
	users int
}

// spaces holds each namespace once, for as long as anything uses it; so that
// namespaces that come and go leave nothing behind.
type spaces map[string]*space

// take is the namespace for one more user.
func (s spaces) take(name string) *space {
	sp := s[name]
	if sp == nil {
		sp = &space{name: strings.Clone(name)}
		s[sp.name] = sp
	}
	sp.users++
	return sp
}

// release is called by each user when it ends.
func (s spaces) release(sp *space) {
	if sp.users--; sp.users == 0 {
		delete(s, sp.name)
	}
}
