package reconcile

import (
	"strconv"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// statusChildren is the field of a status that sums up the children for which it was
// written. A start sees all children in its lists: an object whose status says that
// nothing is left to do, about just those children, needs no turn. "": it does.
const statusChildren = "childrenHash"

// Children sums up children, in any order.
type Children uint64

// With is the sum with one child more: its resource, its name, and its fingerprint by
// Owned.
func (c Children) With(r schema.GroupVersionResource, name string, fingerprint uint64) Children {
	return c ^ Children(newDigest().text(r.Resource).text(name).number(fingerprint))
}

// Hash is what a status has in its childrenHash. The seed is Kind.Seed.
func (c Children) Hash(seed uint64) string {
	return strconv.FormatUint(uint64(c)^seed, 16)
}

// childrenOf reads the sum of a status; 0: it has none.
func childrenOf(status map[string]any, seed uint64) Children {
	text, _ := status[statusChildren].(string)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseUint(text, 16, 64)
	if err != nil {
		return 0
	}
	return Children(n ^ seed)
}

// wakeChanged gives a turn to each object whose children are not those for which its
// status was written.
func (c *Controller) wakeChanged() {
	for _, s := range c.owned {
		s.each(func(child, owner Key, fingerprint uint64) {
			c.index.meet(owner, Children(0).With(s.owned.Resource, child.Name, fingerprint))
		})
	}
	c.index.unmet(func(k Key) { c.queue.Add(k, Flood) })
}
