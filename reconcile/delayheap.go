package reconcile

import "slices"

// delayHeap orders entries by due time, for container/heap: O(log n) for each
// push, removal and change.
type delayHeap []*entry

func (h delayHeap) Len() int           { return len(h) }
func (h delayHeap) Less(i, j int) bool { return h[i].due < h[j].due }
func (h delayHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = int32(i), int32(j)
}

// Push is for container/heap alone.
func (h *delayHeap) Push(x any) {
	e := x.(*entry)
	e.index = int32(len(*h))
	*h = append(*h, e)
}

// Pop is for container/heap alone. It gives room back when less
// than a quarter of it is in use.
func (h *delayHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	if cap(*h) > tableMin && len(*h) < cap(*h)/4 {
		*h = slices.Clone(*h)
	}
	return e
}
