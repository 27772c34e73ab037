package report

import "slices"

// label is a text at a place.
type label struct {
	x, y         float64
	colour, text string
}

// spread moves labels apart until none covers another, the highest first.
func spread(all []label) []label {
	slices.SortFunc(all, func(a, b label) int { return int(a.y - b.y) })
	for i := 1; i < len(all); i++ {
		all[i].y = max(all[i].y, all[i-1].y+labelGap)
	}
	// What was pushed off the panel's end goes back up, and pushes in its turn.
	for i := len(all) - 1; i >= 0; i-- {
		limit := float64(panelTop + panelHeight + 4 - (len(all)-1-i)*labelGap)
		all[i].y = min(all[i].y, limit)
	}
	return all
}
