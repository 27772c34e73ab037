package main

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestForbidden(t *testing.T) {
	for _, c := range []struct {
		pkg   string
		wrong bool
	}{
		{"fmt", false},
		{"testing", true},
		{"testing/iotest", true},
		{"k8s.io/api/core/v1", true},
		{"k8s.io/apimachinery/pkg/apis/meta/v1", false}, // not below k8s.io/api
		{"k8s.io/apiserver/pkg/server", true},
		{"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1", true},
		{"k8s.io/client-go/dynamic", false},
		{"k8s.io/client-go/rest", false},
		{"k8s.io/client-go/kubernetes", true},
		{"k8s.io/client-go/kubernetes/scheme", true},
		{"k8s.io/client-go/tools/leaderelection", true},
		{"k8s.io/client-go/informers/apps/v1", true},
		{"k8s.io/client-go/tools/cache", true},
		{"k8s.io/client-go/tools/clientcmd", false},
		{"sigs.k8s.io/controller-runtime/pkg/client", true},
		{"github.com/prometheus/client_golang/prometheus/promhttp", true},
		{"google.golang.org/grpc", true},
		{"google.golang.org/grpcweb", false},
		{"github.com/spf13/cobra", true},
		{"github.com/spf13/pflag", false},
		{sdk + "/common", false},
		{sdk + "/common/profile", false},
		{sdk + "/postgres/v20170312", true},
		{"example.com/mote/cloud/tencent", false},
		{"example.com/mote/cloud/standin", true},
	} {
		if got := forbidden([]string{"fmt", c.pkg}); (len(got) > 0) != c.wrong {
			t.Errorf("%s: %q, want it forbidden: %v", c.pkg, got, c.wrong)
		}
	}
	for _, b := range bans {
		if got := forbidden([]string{b.path + "/x"}); len(got) == 0 || b.reason == "" {
			t.Errorf("the ban of %s does not hold, or gives no reason", b.path)
		}
	}
}

func TestStaleFiles(t *testing.T) {
	want := map[string][]byte{"a.yaml": []byte("one\ntwo\n"), "b.yaml": []byte("b\n")}
	for _, c := range []struct {
		name string
		got  map[string][]byte
		want []string
	}{
		{"current", want, nil},
		{"changed", map[string][]byte{"a.yaml": []byte("one\n2\n"), "b.yaml": []byte("b\n")}, []string{"a.yaml is stale from line 2 on"}},
		{"shorter", map[string][]byte{"a.yaml": []byte("one\n"), "b.yaml": []byte("b\n")}, []string{"a.yaml is stale from line 2 on"}},
		{"missing", map[string][]byte{"a.yaml": want["a.yaml"]}, []string{"b.yaml is missing"}},
		{"left over", map[string][]byte{"a.yaml": want["a.yaml"], "b.yaml": want["b.yaml"], "c.yaml": nil}, []string{"c.yaml is made by no Go type any more: delete it"}},
	} {
		if got := staleFiles(want, c.got); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestMachinePaths(t *testing.T) {
	slash := "/" // so that this file passes the check itself
	for _, c := range []struct {
		line string
		hit  string
	}{
		{"see docs/flow.md", ""},
		{"/tmp/elsewhere and /etc/config", ""},
		{"https://example.com/rooted/tree", ""},
		{"cd " + slash + "home/ann/mote", slash + "home/ann"},
		{slash + "root/go/pkg", slash + "root/go"},
		{slash + "Users/ann", slash + "Users/ann"},
		{"built in /srv/check/out/bin", "/srv/check/out"},
		{"built in /srv", ""}, // a place of one element is too common
	} {
		got := machinePaths("f", []byte("first\n"+c.line), "/srv/check/out", "/srv")
		if c.hit == "" && got != nil || c.hit != "" && !slices.Equal(got, []string{"f:2 names " + c.hit}) {
			t.Errorf("%q: %q, want %q", c.line, got, c.hit)
		}
	}
	if got := machinePaths("f", []byte("\x00"+slash+"home/ann")); got != nil {
		t.Errorf("a binary file: %q", got)
	}
}

func TestInBudget(t *testing.T) {
	if err := inBudget(budget); err != nil {
		t.Errorf("a binary of exactly the budget: %v", err)
	}
	if err := inBudget(budget + 1); err == nil {
		t.Error("a binary one byte over the budget passes")
	}
}

func TestUnreached(t *testing.T) {
	got := unreached([]string{"m", "m/a", "m/b"}, []string{"fmt", "m", "m/a"})
	if !slices.Equal(got, []string{"m/b"}) {
		t.Errorf("%q", got)
	}
}

func TestOnlyThese(t *testing.T) {
	only := regexp.MustCompile(onlyThese([]string{"m.example/a", "m.example/a/b"}))
	for pkg, want := range map[string]bool{
		"m.example/a": true, "m.example/a/b": true, "m.example/a/c": false, "m.example/a/b/c": false, "mxexample/a": false, "x/m.example/a": false,
	} {
		if only.MatchString(pkg) != want {
			t.Errorf("%s: matched %v", pkg, !want)
		}
	}
}

func TestShortenedKeepsTheFix(t *testing.T) {
	got := shortened(strings.Repeat("found\n", shown+7) + "fix: do it\n")
	if len(got) != shown+2 || got[shown] != "... and 7 lines more" || got[shown+1] != "fix: do it" {
		t.Errorf("%d lines, the last: %q", len(got), got[len(got)-2:])
	}
	if got := shortened("found\nfix: do it"); !slices.Equal(got, []string{"found", "fix: do it"}) {
		t.Errorf("%q", got)
	}
}

func TestEveryCheckRunsWhateverTheOthersFind(t *testing.T) {
	var out bytes.Buffer
	ran := 0
	failing := func(tree) error { ran++; return errors.New("broken\nfix: mend it") }
	passing := func(tree) error { ran++; return nil }
	failed := runAll(&out, tree{}, []check{{"first", failing}, {"second", passing}, {"third", failing}})
	if failed != 2 || ran != 3 {
		t.Errorf("%d failed of %d run, want 2 of 3", failed, ran)
	}
	for _, words := range []string{"FAIL  first", "ok    second", "FAIL  third", "      fix: mend it", "2 of 3 checks failed"} {
		if !strings.Contains(out.String(), words) {
			t.Errorf("no %q in:\n%s", words, fmt.Sprint(out.String()))
		}
	}
}
