package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"
)

// options are what the command can be told.
type options struct {
	objects     int
	only        []string
	idle        time.Duration
	rate        int
	changes     time.Duration
	creates     int
	apps        int
	call        time.Duration
	createLimit time.Duration
	write       bool
	reportOnly  bool
}

func parse(args []string) (options, error) {
	var o options
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.IntVar(&o.objects, "n", 10_000, "`number` of PostgresDB objects in steady state")
	only := f.String("only", "", "run only these contenders, a `list` of ids: mote,mote-alone,controller-runtime-usual,...; the others' results stay")
	f.DurationVar(&o.idle, "idle", time.Minute, "how `long` to watch a contender that has nothing to do")
	f.IntVar(&o.rate, "rate", 200, "changes a `second`")
	f.DurationVar(&o.changes, "changes", 30*time.Second, "how `long` to change objects at that rate; 0: not at all")
	f.IntVar(&o.creates, "creates", 200, "`number` of objects that are created against a slow cloud; 0: none")
	f.IntVar(&o.apps, "apps", 0, "`number` of MyApps to bring up, and nothing else; 0: none")
	f.DurationVar(&o.call, "call", 2*time.Second, "`time` that each call to the slow cloud takes")
	f.DurationVar(&o.createLimit, "create-limit", 10*time.Minute, "the longest that a contender may take to buy them")
	f.BoolVar(&o.write, "write", true, "keep what was measured, and write docs/benchmarks.md and its picture")
	f.BoolVar(&o.reportOnly, "report", false, "measure nothing: write the report from what was kept")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if *only != "" {
		o.only = strings.Split(*only, ",")
	}
	switch {
	case f.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q: it takes flags only", f.Arg(0))
	case o.objects < 1 || o.objects > 130_000:
		return o, fmt.Errorf("-n %d: it is 1 to 130000, which is what the stand-in's subnets hold", o.objects)
	case o.apps < 0 || o.apps > 20_000:
		return o, fmt.Errorf("-apps %d: it is 0 to 20000", o.apps)
	case o.rate < 1 || o.creates < 0 || o.idle < time.Second || o.changes < 0 || o.call < 0:
		return o, fmt.Errorf("-rate is at least 1, -idle at least 1s, and nothing is negative")
	}
	return o, nil
}

// wants tells whether a contender shall run.
func (o options) wants(id string) bool { return len(o.only) == 0 || slices.Contains(o.only, id) }

// changed is how many of the objects are changed in turn: so many that one is
// answered long before it is changed again.
func (o options) changed() int { return min(o.objects, max(1000, o.rate*30)) }
