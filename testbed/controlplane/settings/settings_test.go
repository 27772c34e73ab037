package settings

import (
	"strings"
	"testing"
)

func TestControllers(t *testing.T) {
	for _, c := range []struct {
		controllers, manager string
		gc                   bool
	}{
		{"deployment-controller,garbage-collector-controller", "deployment-controller,-garbage-collector-controller", true},
		{"deployment-controller", "deployment-controller,-garbage-collector-controller", false},
		{"*", "*,-garbage-collector-controller", true},
		{"*, -garbage-collector-controller", "*,-garbage-collector-controller", false},
		{"none", "", false},
	} {
		s := Settings{Controllers: c.controllers}
		if s.ControllerManager() != c.manager || s.GarbageCollector() != c.gc {
			t.Errorf("--controllers=%q: %q, %v; want %q, %v", c.controllers, s.ControllerManager(), s.GarbageCollector(), c.manager, c.gc)
		}
	}
}

func TestParse(t *testing.T) {
	s, err := Parse(strings.Fields("--dir d --kas-arg=--v=2 --kas-arg=--vmodule=x=3"))
	if err != nil || strings.Join(s.KASArgs, " ") != "--v=2 --vmodule=x=3" || s.Pods != PodStandIn || !s.GarbageCollector() {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestParseRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"":                     "--dir is required",
		"--dir d extra":        `unexpected argument "extra"`,
		"--dir d --pods kwok":  `"stand-in" or "none"`,
		"--dir d --gc-sync 0s": "more than 0",
	} {
		if _, err := Parse(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q): %v; want an error with %q", args, err, want)
		}
	}
}
