package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"time"

	"example.com/mote/cloud/standin"
)

// The credentials that are accepted when none are given.
const (
	defaultSecretID  = "AKIDSTANDIN"
	defaultSecretKey = "standin-secret"
)

type options struct {
	listen        string
	exitWithStdin bool
	config        standin.Config
}

// flags binds all flags to opt.
func flags(opt *options, key *standin.Key, recycle *time.Duration) *flag.FlagSet {
	c, t := &opt.config, &opt.config.Timing
	*t = standin.DemoTiming()
	f := flag.NewFlagSet("standin", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	f.StringVar(&opt.listen, "listen", "127.0.0.1:0", "loopback `address:port` to answer on; port 0 takes a free one")
	f.StringVar(&c.StateFile, "state", "", "`file` that keeps the state, read at the start; empty keeps none")
	f.BoolVar(&c.Fsync, "fsync", false, "flush the state file to the disk at every change")
	f.BoolVar(&opt.exitWithStdin, "exit-with-stdin", false, "stop when standard input ends")
	f.StringVar(&key.ID, "secret-id", defaultSecretID, "accepted SecretId")
	f.StringVar(&key.Secret, "secret-key", defaultSecretKey, "its SecretKey")
	f.StringVar(&key.Token, "token", "", "token that its calls must carry; empty: none")
	f.DurationVar(&t.Create, "create-time", t.Create, "`time` from purchase to running")
	f.DurationVar(&t.Resize, "resize-time", t.Resize, "`time` that a resize takes")
	f.DurationVar(&t.Upgrade, "upgrade-time", t.Upgrade, "`time` that a version upgrade takes")
	f.DurationVar(&t.Isolate, "isolate-time", t.Isolate, "`time` that isolating and restoring take")
	f.DurationVar(&t.Destroy, "destroy-time", t.Destroy, "`time` that destroying takes")
	f.DurationVar(&t.Order, "order-time", t.Order, "`time` until an order shows its instances; prepaid ones exist from then")
	f.DurationVar(recycle, "recycle-time", 0, "`time` in the recycle bin, for all; absent: 72h postpaid, 168h prepaid")
	f.DurationVar(&t.Linger, "linger-time", t.Linger, "`time` that a destroyed instance can still be read")
	f.DurationVar(&c.ListLag, "list-lag", 0, "`time` that lists do not show a new instance")
	f.DurationVar(&c.Latency, "latency", 0, "`time` that every API call waits before its effect")
	f.BoolVar(&c.Normalise, "normalise", false, "bring tags and security groups into another form than they were given in")
	f.BoolVar(&c.HideIsolated, "hide-isolated", false, "leave isolated instances out of lists")
	f.BoolVar(&c.NoRateLimits, "no-rate-limits", false, "turn rate limits off")
	f.Uint64Var(&c.Seed, "seed", 0, "`number` that ids and probabilities come from; 0 takes the clock")
	return f
}

// parse reads the command line. It returns flag.ErrHelp when help is asked for,
// else an error that names what is wrong in one line.
func parse(args []string) (options, error) {
	var opt options
	var key standin.Key
	var recycle time.Duration
	f := flags(&opt, &key, &recycle)
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return opt, err
		}
		return opt, errors.New(strings.ReplaceAll(err.Error(), "\n", " "))
	}
	if f.NArg() > 0 {
		return opt, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	given := map[string]bool{}
	var negative error
	f.Visit(func(g *flag.Flag) {
		given[g.Name] = true
		if d, ok := g.Value.(flag.Getter).Get().(time.Duration); ok && d < 0 {
			negative = fmt.Errorf("-%s cannot be negative: %s", g.Name, d)
		}
	})
	if negative != nil {
		return opt, negative
	}
	if given["secret-id"] != given["secret-key"] {
		return opt, errors.New("-secret-id and -secret-key go together")
	}
	if key.ID == "" || key.Secret == "" {
		return opt, errors.New("-secret-id and -secret-key cannot be empty")
	}
	at, err := netip.ParseAddrPort(opt.listen)
	if err != nil {
		return opt, fmt.Errorf("-listen %q is not an address:port", opt.listen)
	}
	if !at.Addr().IsLoopback() {
		return opt, fmt.Errorf("-listen %s is not on the loopback interface", opt.listen)
	}
	if given["recycle-time"] {
		opt.config.Timing.RecyclePostpaid, opt.config.Timing.RecyclePrepaid = recycle, recycle
	}
	if opt.config.Seed == 0 {
		opt.config.Seed = uint64(time.Now().UnixNano())
	}
	opt.config.Keys = []standin.Key{key}
	return opt, nil
}

// usage is the help text.
func usage() string {
	var opt options
	var key standin.Key
	var recycle time.Duration
	f := flags(&opt, &key, &recycle)
	var b strings.Builder
	b.WriteString("standin runs a stand-in of the Tencent Cloud API for TencentDB for PostgreSQL.\n\n")
	f.SetOutput(&b)
	f.PrintDefaults()
	return b.String()
}
