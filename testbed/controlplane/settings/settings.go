// Package settings reads the control plane's command line. It imports nothing but the standard library, so that its
// tests need not compile Kubernetes.
package settings

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"time"
)

// DefaultControllers are those that Deployments, Services, owned objects, namespaces, service accounts and quotas need.
// There is no node-lifecycle controller: nobody renews the Node's lease, and it would be tainted after 40 seconds.
const DefaultControllers = "deployment-controller,replicaset-controller,endpointslice-controller," +
	garbageCollector + ",namespace-controller,serviceaccount-controller,serviceaccount-token-controller," +
	"root-ca-certificate-publisher-controller,clusterrole-aggregation-controller,resourcequota-controller"

const garbageCollector = "garbage-collector-controller"

// The values of Settings.Pods.
const (
	PodStandIn = "stand-in"
	NoPods     = "none"
)

// Settings are what the command line says.
type Settings struct {
	Dir           string
	Port          int
	Fsync         bool
	ExitWithStdin bool
	RemoveDir     bool
	Controllers   string
	Pods          string
	GCSync        time.Duration
	QPS           int
	KASArgs       []string
	KCMArgs       []string
	SchedulerArgs []string
}

// Parse reads a command line without the program's name. The error is for the user; flag.ErrHelp has been answered.
func Parse(args []string) (Settings, error) {
	var s Settings
	fs := flag.NewFlagSet("controlplane", flag.ContinueOnError)
	fs.StringVar(&s.Dir, "dir", "", "`directory` of the store, keys and kubeconfigs (required; one that was used before continues where it ended)")
	fs.IntVar(&s.Port, "port", 0, "port of the API server on 127.0.0.1; 0 takes a free one")
	fs.BoolVar(&s.Fsync, "fsync", false, "let the store call fsync: slower, survives a crash of the machine")
	fs.BoolVar(&s.ExitWithStdin, "exit-with-stdin", false, "stop when standard input ends, so that no orphan outlives its parent")
	fs.BoolVar(&s.RemoveDir, "remove-dir", false, "remove the directory at the end")
	fs.StringVar(&s.Controllers, "controllers", DefaultControllers, "as kube-controller-manager's flag; \"none\" starts no controllers")
	fs.StringVar(&s.Pods, "pods", PodStandIn, "who runs the pods: \"stand-in\" (one Node, pods turn Ready) or \"none\" (no Node, pods stay Pending)")
	fs.DurationVar(&s.GCSync, "gc-sync", 2*time.Second, "how often the garbage collector looks for new kinds; 30s in a usual cluster")
	fs.IntVar(&s.QPS, "qps", 500, "requests per second that controller-manager and scheduler allow themselves each")
	repeated(fs, &s.KASArgs, "kas-arg", "one more kube-apiserver `flag`, such as --kas-arg=--v=2 (repeatable)")
	repeated(fs, &s.KCMArgs, "kcm-arg", "one more kube-controller-manager `flag` (repeatable)")
	repeated(fs, &s.SchedulerArgs, "scheduler-arg", "one more kube-scheduler `flag` (repeatable)")
	if err := fs.Parse(args); err != nil {
		return s, err
	}
	switch {
	case fs.NArg() > 0:
		return s, fmt.Errorf("unexpected argument %q: it takes flags only", fs.Arg(0))
	case s.Dir == "":
		return s, errors.New("--dir is required: where store, keys and kubeconfigs are kept")
	case s.Pods != PodStandIn && s.Pods != NoPods:
		return s, fmt.Errorf("--pods=%s: it is %q or %q", s.Pods, PodStandIn, NoPods)
	case s.GCSync <= 0:
		return s, fmt.Errorf("--gc-sync=%v: it must be more than 0", s.GCSync)
	}
	return s, nil
}

func repeated(fs *flag.FlagSet, values *[]string, name, usage string) {
	fs.Func(name, usage, func(v string) error { *values = append(*values, v); return nil })
}

// ControllerManager is the value of --controllers without the garbage collector, which does not run inside of the
// controller-manager here. It is "" when there shall be no controllers at all.
func (s Settings) ControllerManager() string {
	if s.Controllers == "none" {
		return ""
	}
	var kept []string
	for c := range strings.SplitSeq(s.Controllers, ",") {
		if c = strings.TrimSpace(c); c != "" && strings.TrimPrefix(c, "-") != garbageCollector {
			kept = append(kept, c)
		}
	}
	return strings.Join(append(kept, "-"+garbageCollector), ",")
}

// GarbageCollector says whether --controllers asks for the garbage collector.
func (s Settings) GarbageCollector() bool {
	wanted := false
	for c := range strings.SplitSeq(s.Controllers, ",") {
		switch strings.TrimSpace(c) {
		case "-" + garbageCollector:
			return false
		case "*", garbageCollector:
			wanted = true
		}
	}
	return wanted
}
