package main

import (
	"slices"
	"strings"
	"testing"
)

const (
	databaseKind = "postgresdbs.database.example.com"
	appKind      = "myapps.example.com"
)

// order fails the test unless the calls that hold these words come in this order.
func order(t *testing.T, calls []string, words ...string) {
	t.Helper()
	at := 0
	for _, w := range words {
		i := slices.IndexFunc(calls[at:], func(c string) bool { return strings.Contains(c, w) })
		if i < 0 {
			t.Fatalf("no %q at its place in\n%s", w, strings.Join(calls, "\n"))
		}
		at += i + 1
	}
}

// populated is a node with Mote installed and objects of both kinds.
func populated(n *node) {
	n.run()
	n.say("known", databaseKind+"\n"+appKind+"\n")
	n.say("databases", "shop|orders|Isolate|||postgres-1\nshop|cache|Delete|||postgres-2\nshop|books|Retain|false||postgres-3\nlab|new||||\n")
	n.say("apps", "shop/web\n")
}

// The objects go first, while the controller is there; then it, then the kinds.
func TestUninstallInOrder(t *testing.T) {
	onEachShell(t, func(t *testing.T, n *node) {
		populated(n)
		code, out, calls := n.run("uninstall", "--yes", "--timeout", "7m")
		n.want(code, 0, out,
			"database shop/orders (postgres-1) is stopped; its data waits 3 days",
			"database shop/cache (postgres-2) is DESTROYED AT ONCE",
			"database shop/books (postgres-3) goes on running and costing",
			"database lab/new (nothing was bought yet) is stopped",
			"app shop/web goes", "Uninstalled")
		order(t, calls,
			"kubectl delete "+databaseKind+" --all --all-namespaces --ignore-not-found --wait=true --timeout=7m",
			"kubectl delete "+appKind+" --all --all-namespaces",
			"retiring.mote-1-mote.yaml",
			"delete addons.k3s.cattle.io mote-1-mote ",
			"retiring.mote-0-crds.yaml",
			"delete addons.k3s.cattle.io mote-0-crds ",
			"ctr images rm example.com/mote:v1")
		for _, f := range []string{tarball, crdFile, deployFile} {
			n.has(f, "")
		}
		// Again: there is nothing left to do, and that is no error.
		n.say("known", "")
		code, out, _ = n.run("uninstall", "--yes")
		n.want(code, 0, out, "Uninstalled")
	})
}

// Nothing happens without a yes.
func TestUninstallAsks(t *testing.T) {
	onEachShell(t, func(t *testing.T, n *node) {
		populated(n)
		before := n.files()
		for _, input := range []string{"", "no\n", "y\n"} {
			code, out, calls := n.runWith(input, []string{"uninstall", "--root", n.root}, "K3S="+n.k3s)
			n.want(code, 1, out, "DESTROYED AT ONCE", "not confirmed", "nothing was changed")
			if strings.Contains(strings.Join(calls, "\n"), "delete") || n.files() != before {
				t.Errorf("after %q something was deleted: %q", input, calls)
			}
		}
		code, out, _ := n.runWith("yes\n", []string{"uninstall", "--root", n.root}, "K3S="+n.k3s)
		n.want(code, 0, out, "Uninstalled")
	})
}

// What would stay for ever without the controller is found before anything is deleted.
func TestUninstallFindsWhatIsHeldUp(t *testing.T) {
	onEachShell(t, func(t *testing.T, n *node) {
		for _, c := range []struct{ line, want string }{
			{"shop|orders|Isolate|true||postgres-1", "deletionProtection is true"},
			{"shop|orders|Isolate||true|postgres-1", "it is paused"},
		} {
			populated(n)
			n.say("databases", c.line+"\n")
			before := n.files()
			code, out, calls := n.run("uninstall", "--yes")
			n.want(code, 1, out, c.want, "nothing was changed")
			if strings.Contains(strings.Join(calls, "\n"), "delete") || n.files() != before {
				t.Errorf("%s: something was deleted: %q", c.line, calls)
			}
		}
	})
}

// Objects that do not go keep their controller; a cluster that does not answer keeps
// everything; and what was interrupted goes on later.
func TestUninstallStopsWhereItIsSafe(t *testing.T) {
	onEachShell(t, func(t *testing.T, n *node) {
		populated(n)
		before := n.files()
		for _, c := range []struct{ fail, want string }{
			{"get crd", "the cluster cannot be asked"},
			{"get " + databaseKind, "the databases cannot be listed"},
			{"get " + appKind, "the apps cannot be listed"},
			{"delete " + databaseKind, "not all of them are gone"},
			{"delete " + appKind, "not all of them are gone"},
			{"retiring.mote-1-mote.yaml", "the file is back"},
		} {
			n.say("fail", c.fail+"\n")
			code, out, calls := n.run("uninstall", "--yes")
			n.want(code, 1, out, c.want)
			if strings.Contains(strings.Join(calls, "\n"), "retiring.mote-0-crds.yaml") || n.files() != before {
				t.Errorf("%s fails: the node is\n%s\nafter %q", c.fail, n.files(), calls)
			}
		}
		// The kinds could not go: the controller's file is gone by then.
		n.say("fail", "retiring.mote-0-crds.yaml\n")
		code, out, _ := n.run("uninstall", "--yes")
		n.want(code, 1, out, "the file is back")
		n.has(deployFile, "")
		n.has(crdFile, kind+"crds: 1\n")
		n.say("fail", "")
		code, out, _ = n.run("uninstall", "--yes")
		n.want(code, 0, out, "Uninstalled")
		n.has(crdFile, "")
	})
}

// Only the controller goes: no object and no kind is touched.
func TestUninstallKeepsObjects(t *testing.T) {
	onEachShell(t, func(t *testing.T, n *node) {
		populated(n)
		code, out, calls := n.run("uninstall", "--keep-objects", "--yes")
		n.want(code, 0, out, "nothing manages them", "Uninstalled")
		order(t, calls, "retiring.mote-1-mote.yaml", "ctr images rm")
		all := strings.Join(calls, "\n")
		for _, never := range []string{databaseKind, appKind, "mote-0-crds"} {
			if strings.Contains(all, never) {
				t.Errorf("asked about %s:\n%s", never, all)
			}
		}
		n.has(crdFile, kind+"crds: 1\n")
		n.has(deployFile, "")
		n.has(tarball, "")
	})
}

// Without a cluster to ask, only files go, and it says so.
func TestUninstallWithoutACluster(t *testing.T) {
	onEachShell(t, func(t *testing.T, n *node) {
		populated(n)
		code, out, calls := n.runWith("yes\n", []string{"uninstall", "--root", n.root})
		n.want(code, 0, out, "only files are removed; objects stay")
		if calls[0] != "" {
			t.Errorf("asked %q", calls)
		}
		n.has(crdFile, "")
	})
}
