package postgresdb

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/mote/cloud"
)

// versionFor says why a version cannot be bought, or "". A major is bought, and
// the cloud picks its latest minor; that minor must satisfy the wish.
func versionFor(all []cloud.Version, wish string) string {
	major, _, _ := strings.Cut(wish, ".")
	var sold []string
	newest := ""
	for _, x := range all {
		if !x.Available {
			continue
		}
		sold = append(sold, x.Major)
		if x.Major == major && (newest == "" || !Satisfies(newest, x.Minor)) {
			newest = x.Minor
		}
	}
	switch {
	case newest == "":
		slices.SortFunc(sold, func(a, b string) int { return cmp.Compare(atoi(a), atoi(b)) })
		return fmt.Sprintf("PostgreSQL %s is not for sale in this region; %s", major, thereAre(sold))
	case !Satisfies(newest, wish):
		return fmt.Sprintf("PostgreSQL %s is not for sale in this region; the newest of its major is %s", wish, newest)
	}
	return ""
}

// Satisfies tells whether the version that runs fulfils a wish: the same major,
// and no older a minor where the wish names one.
func Satisfies(runs, wish string) bool {
	runsMajor, runsMinor, _ := strings.Cut(runs, ".")
	major, minor, named := strings.Cut(wish, ".")
	return runsMajor == major && (!named || atoi(runsMinor) >= atoi(minor))
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s) // the schema lets only digits through; anything else from the cloud counts as 0
	return n
}

// classFor finds the size that is for sale, or says why there is none. A size
// may be sold in several makes; the first that takes the storage will do.
func classFor(all []cloud.InstanceClass, wish string, storageGB int, zone, major string) (cloud.InstanceClass, string) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b cloud.InstanceClass) int {
		return cmp.Or(cmp.Compare(a.CPU, b.CPU), cmp.Compare(a.MemoryGB, b.MemoryGB))
	})
	var sold []string
	storage := ""
	for _, c := range all {
		name := fmt.Sprintf("%dC%dG", c.CPU, c.MemoryGB)
		sold = append(sold, name)
		if name != wish {
			continue
		}
		if c.MaxStore > 0 && (storageGB < c.MinStorage || storageGB > c.MaxStore) {
			storage = fmt.Sprintf("%s takes %d to %d GB of storage in %s, not %d", wish, c.MinStorage, c.MaxStore, zone, storageGB)
			continue
		}
		return c, ""
	}
	if storage == "" {
		storage = fmt.Sprintf("%s is not for sale in %s for PostgreSQL %s; %s", wish, zone, major, thereAre(sold))
	}
	return cloud.InstanceClass{}, storage
}

// thereAre names what is for sale, in the order given, each once.
func thereAre(sold []string) string {
	if len(sold) == 0 {
		return "there is none"
	}
	return "there are " + strings.Join(slices.Compact(sold), ", ")
}
