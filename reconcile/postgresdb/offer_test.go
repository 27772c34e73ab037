package postgresdb

import (
	"strings"
	"testing"

	"example.com/mote/cloud"
)

func TestSatisfies(t *testing.T) {
	for _, c := range []struct {
		runs, wish string
		want       bool
	}{
		{"14.10", "14", true}, {"14.10", "14.9", true}, {"14.10", "14.10", true}, {"14.10", "14.11", false},
		{"14.1", "14.10", false}, {"15.1", "14", false}, {"13.9", "14", false}, {"", "14", false},
		{"14", "14", true}, {"14", "14.1", false}, {"14.2-beta", "14", true}, {"14.x", "14.1", false},
	} {
		if got := Satisfies(c.runs, c.wish); got != c.want {
			t.Errorf("%q satisfies %q: %t", c.runs, c.wish, got)
		}
	}
}

func TestVersionFor(t *testing.T) {
	all := []cloud.Version{{Major: "15", Minor: "15.3", Available: true}, {Major: "9", Minor: "9.6", Available: true}, {Major: "14", Minor: "14.2", Available: true},
		{Major: "14", Minor: "14.11", Available: true}, {Major: "14", Minor: "14.9", Available: true}, {Major: "16", Minor: "16.1"}}
	for wish, says := range map[string]string{
		"14": "", "14.1": "", "14.11": "", "15": "",
		"14.12": "the newest of its major is 14.11",
		"16":    "there are 9, 14, 15", // known, and not for sale
		"12":    "there are 9, 14, 15",
	} {
		if why := versionFor(all, wish); (why == "") != (says == "") || !strings.Contains(why, says) {
			t.Errorf("%s: %q", wish, why)
		}
	}
	if why := versionFor(nil, "14"); !strings.Contains(why, "there is none") {
		t.Error(why)
	}
}

func TestClassFor(t *testing.T) {
	all := []cloud.InstanceClass{
		{SpecCode: "large", CPU: 16, MemoryGB: 64, MinStorage: 10, MaxStore: 6000},
		{SpecCode: "old", CPU: 2, MemoryGB: 4, MinStorage: 10, MaxStore: 100},
		{SpecCode: "new", CPU: 2, MemoryGB: 4, MinStorage: 10, MaxStore: 1000},
		{SpecCode: "free", CPU: 4, MemoryGB: 8},
	}
	for _, c := range []struct {
		wish       string
		storage    int
		code, says string
	}{
		{"2C4G", 100, "old", ""}, {"2C4G", 110, "new", ""}, {"2C4G", 1010, "", "takes 10 to 1000 GB"},
		{"16C64G", 10, "large", ""}, {"4C8G", 32000, "free", ""},
		{"3C5G", 10, "", "3C5G is not for sale in z for PostgreSQL 14; there are 2C4G, 4C8G, 16C64G"},
	} {
		class, why := classFor(all, c.wish, c.storage, "z", "14")
		if class.SpecCode != c.code || (why == "") != (c.says == "") || !strings.Contains(why, c.says) {
			t.Errorf("%s with %d GB: %q %q", c.wish, c.storage, class.SpecCode, why)
		}
	}
	if all[0].SpecCode != "large" {
		t.Error("the caller's list was put into another order")
	}
	if _, why := classFor(nil, "2C4G", 10, "z", "14"); !strings.Contains(why, "there is none") {
		t.Error(why)
	}
}
