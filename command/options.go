package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/validation"

	"example.com/mote/cloud/tencent"
)

// RunOptions are all that `mote run` can be told: fields for what its work takes as it
// is, methods for what follows from several.
type RunOptions struct {
	kubeconfig string
	namespace  string

	Region, site                 string
	labelSelector, fieldSelector string

	credentialsDir, credentialsSecret string
	CloudEndpoint                     string
	CloudTimeout                      time.Duration
	PollInterval, SweepInterval       time.Duration
	resyncInterval                    time.Duration
	createGrace                       time.Duration
	slowRetry, refusedRetry           time.Duration

	allowHostPaths   string
	allowHostNetwork bool

	Workers     int
	GracePeriod time.Duration

	LeaderElect    bool
	leaseNamespace string
	leaseName      string
	LeaseDuration  time.Duration

	listenAddress string
	Explain       bool

	logLevel  slog.Level
	logFormat string
}

// errHelp asks for the flags to be listed.
var errHelp = errors.New("help")

// envPrefix is before every flag's environment variable: --log-level is MOTE_LOG_LEVEL.
const envPrefix = "MOTE_"

// fromEnvironment is what helps say of that.
const fromEnvironment = "Each flag can also be given in the environment: --log-level is MOTE_LOG_LEVEL.\n"

func envName(flag string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// runFlags declares the flags of `mote run`, with their defaults.
func runFlags(o *RunOptions) *flag.FlagSet {
	f := flag.NewFlagSet("run", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "`file` with the cluster's address and keys (default: the pod's own ServiceAccount; outside of a pod $KUBECONFIG or ~/.kube/config)")
	f.StringVar(&o.namespace, "namespace", "", "serve only this `namespace` (default: all)")
	f.StringVar(&o.Region, "region", "", "cloud `region` of objects that name none, like ap-guangzhou")
	f.StringVar(&o.site, "site", "", "serve only objects whose spec.site is this `name` (default: all)")
	f.StringVar(&o.labelSelector, "label-selector", "", "serve only objects with these labels, a kubectl label `selector`")
	f.StringVar(&o.fieldSelector, "field-selector", "", "serve only objects with these fields, a kubectl field `selector`")
	f.StringVar(&o.credentialsDir, "credentials-dir", "", "`directory` with the files secret-id, secret-key and, for temporary keys, token; read again at each use")
	f.StringVar(&o.credentialsSecret, "credentials-secret", "", "`namespace/name` of a Secret with those keys; followed by that name, so that a change of it counts at once")
	f.StringVar(&o.CloudEndpoint, "cloud-endpoint", "", "`URL` of the cloud's API (default: the public one)")
	f.DurationVar(&o.CloudTimeout, "cloud-timeout", 30*time.Second, "limit of one call to the cloud")
	f.DurationVar(&o.PollInterval, "poll-interval", 10*time.Second, "how often instances in transition are looked at")
	f.DurationVar(&o.SweepInterval, "sweep-interval", 5*time.Minute, "how often all other instances are looked at; a page of 100 a second at most")
	f.DurationVar(&o.resyncInterval, "resync-interval", time.Hour, "how often every database is looked at whole, also its connection Secret and its security groups; one a minute at most; 0: never")
	f.DurationVar(&o.createGrace, "create-grace", 3*time.Minute, "how long a purchase whose answer was lost is looked for before another is made")
	f.DurationVar(&o.slowRetry, "slow-retry", time.Minute, "how often to try again what credentials or another object stand in the way of")
	f.DurationVar(&o.refusedRetry, "refused-retry", 10*time.Minute, "how often to try again what the cloud refuses")
	f.StringVar(&o.allowHostPaths, "allow-host-paths", "", "`paths` of a node, with commas between them, that volumes of apps may be of, like /dev/ttyUSB0,/srv (default: none)")
	f.BoolVar(&o.allowHostNetwork, "allow-host-network", false, "let apps have the node's own network")
	f.IntVar(&o.Workers, "workers", 384, "turns at once for databases, most of which may wait for a slow cloud; for apps at most 32 of them")
	f.DurationVar(&o.GracePeriod, "grace-period", 15*time.Second, "how long turns in work may take to finish at a stop")
	f.BoolVar(&o.LeaderElect, "leader-elect", true, "work only while holding the Lease")
	f.StringVar(&o.leaseNamespace, "lease-namespace", "", "`namespace` of the Lease (default: the pod's own, else kube-system)")
	f.StringVar(&o.leaseName, "lease-name", "", "`name` of the Lease (default: mote, followed by a hash of the selectors if there are any)")
	f.DurationVar(&o.LeaseDuration, "lease-duration", time.Minute, "how long a Lease is good for; it is renewed three times as often")
	f.StringVar(&o.listenAddress, "listen-address", "", "`address` that answers GET /healthz, /readyz and /metrics, like :8080 (default: none, so that nobody finds a port open that was not asked for)")
	f.BoolVar(&o.Explain, "explain", false, "answer GET /explain/KIND/NAMESPACE/NAME at the same address, to callers on the same machine, which kubectl port-forward is")
	f.TextVar(&o.logLevel, "log-level", slog.LevelInfo, "`level`: debug, info, warn or error")
	f.StringVar(&o.logFormat, "log-format", "auto", "`format`: text, json, or auto (text on a terminal)")
	return f
}

// parseFlags reads a command line that holds flags only.
func parseFlags(f *flag.FlagSet, args []string) error {
	if err := parsed(f, args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("takes flags only, but was given %q", f.Arg(0))
	}
	return nil
}

// complete takes from the environment what the flags left out, and checks it all.
func (o *RunOptions) complete(f *flag.FlagSet, env func(string) string) error {
	given := map[string]bool{}
	f.Visit(func(x *flag.Flag) { given[x.Name] = true })
	var bad error
	var own RunOptions
	runFlags(&own).VisitAll(func(x *flag.Flag) {
		if v := env(envName(x.Name)); v != "" && !given[x.Name] && bad == nil {
			if err := f.Set(x.Name, v); err != nil {
				bad = fmt.Errorf("%s=%q: it is %s", envName(x.Name), v, expected(x))
			}
		}
	})
	if bad != nil {
		return bad
	}
	return o.check()
}

// UnknownVariables are those of an environment that look like Mote's, but are of no
// flag. What Kubernetes sets for a Service called mote is not meant.
func UnknownVariables(environ []string) []string {
	known := map[string]bool{}
	var o RunOptions
	runFlags(&o).VisitAll(func(x *flag.Flag) { known[envName(x.Name)] = true })
	var unknown []string
	for _, v := range environ {
		name, _, _ := strings.Cut(v, "=")
		rest, ours := strings.CutPrefix(name, envPrefix)
		if ours && !known[name] && rest != "PORT" && !strings.HasPrefix(rest, "PORT_") && !strings.HasPrefix(rest, "SERVICE_") {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return unknown
}

// regionName is what the PostgresDB's schema says of spec.region.
var regionName = regexp.MustCompile(`^[a-z]+(-[a-z0-9]+)+$`)

// check finds values that could never work.
func (o *RunOptions) check() error {
	if _, err := labels.Parse(o.labelSelector); err != nil {
		return fmt.Errorf("--label-selector %q: %w", o.labelSelector, err)
	}
	if _, err := fields.ParseSelector(o.fieldSelector); err != nil {
		return fmt.Errorf("--field-selector %q: %w", o.fieldSelector, err)
	}
	if o.Region != "" && (len(o.Region) > 32 || !regionName.MatchString(o.Region)) {
		return fmt.Errorf("--region %q: a region looks like ap-guangzhou", o.Region)
	}
	if o.site != "" && len(validation.IsDNS1123Label(o.site)) > 0 {
		return fmt.Errorf("--site %q: a site is lower-case letters, digits and '-'", o.site)
	}
	for _, name := range []struct{ flag, value string }{{"namespace", o.namespace}, {"lease-namespace", o.leaseNamespace}} {
		if name.value != "" && len(validation.IsDNS1123Label(name.value)) > 0 {
			return fmt.Errorf("--%s %q: a namespace is at most 63 lower-case letters, digits and '-'", name.flag, name.value)
		}
	}
	if o.leaseName != "" && len(validation.IsDNS1123Subdomain(o.leaseName)) > 0 {
		return fmt.Errorf("--lease-name %q: a name is lower-case letters, digits, '-' and '.'", o.leaseName)
	}
	if err := o.contradiction(); err != nil {
		return err
	}
	if o.credentialsSecret != "" && len(strings.Split(o.credentialsSecret, "/")) != 2 {
		return fmt.Errorf("--credentials-secret %q: it is namespace/name", o.credentialsSecret)
	}
	if o.credentialsSecret != "" && o.credentialsDir != "" {
		return errors.New("--credentials-secret and --credentials-dir exclude each other")
	}
	if _, err := tencent.New(tencent.Options{Credentials: tencent.EnvCredentials(), Endpoint: o.CloudEndpoint}); err != nil {
		return fmt.Errorf("--cloud-endpoint: %w", err)
	}
	for _, path := range o.hostPaths() {
		if !strings.HasPrefix(path, "/") {
			return fmt.Errorf("--allow-host-paths %q: %q is no absolute path", o.allowHostPaths, path)
		}
	}
	if o.Explain && o.listenAddress == "" {
		return errors.New("--explain goes with --listen-address")
	}
	if o.Workers < 1 || o.Workers > 1000 {
		return fmt.Errorf("--workers %d: it is 1 to 1000", o.Workers)
	}
	if o.logFormat != "auto" && o.logFormat != "text" && o.logFormat != "json" {
		return fmt.Errorf("--log-format %q: it is text, json or auto", o.logFormat)
	}
	for _, d := range []struct {
		flag  string
		value time.Duration
		least time.Duration
	}{
		{"cloud-timeout", o.CloudTimeout, time.Second},
		{"poll-interval", o.PollInterval, 100 * time.Millisecond},
		{"sweep-interval", o.SweepInterval, time.Second},
		{"resync-interval", o.resyncInterval, 0},
		{"create-grace", o.createGrace, time.Second},
		{"slow-retry", o.slowRetry, time.Second},
		{"refused-retry", o.refusedRetry, time.Second},
		{"grace-period", o.GracePeriod, 0},
		{"lease-duration", o.LeaseDuration, 3 * time.Second},
	} {
		if d.value < d.least {
			return fmt.Errorf("--%s %s: at least %s", d.flag, d.value, d.least)
		}
	}
	return nil
}

// contradiction tells of fields that would have to have two values at once: no object
// would ever be served, and nothing would say why.
func (o *RunOptions) contradiction() error {
	_, joined := o.selectors()
	all, err := fields.ParseSelector(joined)
	if err != nil {
		return fmt.Errorf("--field-selector %q: %w", joined, err)
	}
	want := map[string]string{}
	for _, r := range all.Requirements() {
		if r.Operator == selection.NotEquals {
			continue
		}
		if before, ok := want[r.Field]; ok && before != r.Value {
			return fmt.Errorf("--field-selector and --site: %s cannot be %q and %q at once", r.Field, before, r.Value)
		}
		want[r.Field] = r.Value
	}
	return nil
}
