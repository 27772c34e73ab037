package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"

	"example.com/mote/cloud"
	"example.com/mote/cloud/tencent"
	"example.com/mote/look"
	"example.com/mote/schema"
)

// looking is what plan, explain and status can be told: of the flags of mote run those
// that decide what is seen, and their own.
type looking struct {
	RunOptions
	command string

	all, noCloud, noCluster, watch bool
	selector, output, context      string
	files                          []string
	which                          []look.Which

	// Stand-ins of the world; nil: the one outside.
	config    *rest.Config
	transport http.RoundTripper
}

// ofTheController are flags that say how the controller works that is looked at.
var ofTheController = []string{"region", "credentials-dir", "credentials-secret", "cloud-endpoint", "cloud-timeout", "create-grace",
	"slow-retry", "refused-retry", "allow-host-paths", "allow-host-network"}

// lookFlags declares the flags of one of the commands.
func lookFlags(command string, l *looking) *flag.FlagSet {
	f := flag.NewFlagSet(command, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	borrowed := []string{"kubeconfig"}
	if command != "status" {
		borrowed = append(borrowed, ofTheController...)
		f.BoolVar(&l.noCloud, "no-cloud", false, "do not ask the cloud: believe the spec and the status, without prices")
	}
	of := runFlags(&l.RunOptions)
	for _, name := range borrowed {
		x := of.Lookup(name)
		f.Var(x.Value, name, x.Usage)
	}
	f.StringVar(&l.context, "context", "", "`context` of the kubeconfig (default: its current one)")
	f.StringVar(&l.namespace, "namespace", "", "look into this `namespace` (default: that of the kubeconfig's context)")
	f.StringVar(&l.namespace, "n", "", shortFor+"namespace")
	if command != "explain" {
		f.BoolVar(&l.all, "all-namespaces", false, "look into all namespaces")
		f.BoolVar(&l.all, "A", false, shortFor+"all-namespaces")
		f.StringVar(&l.selector, "selector", "", "only objects with these labels, a kubectl label `selector`")
		f.StringVar(&l.selector, "l", "", shortFor+"selector")
	}
	f.StringVar(&l.output, "output", "text", "`format`: "+strings.Join(outputs[command], ", "))
	f.StringVar(&l.output, "o", "text", shortFor+"output")
	switch command {
	case "plan":
		add := func(s string) error { l.files = append(l.files, s); return nil }
		f.Func("filename", "the manifests in this `file` or folder, or - for standard input; may be given several times", add)
		f.Func("f", shortFor+"filename", add)
		f.BoolVar(&l.noCluster, "no-cluster", false, "do not ask the cluster: plan manifests as if nothing of them were there")
	case "status":
		f.BoolVar(&l.watch, "watch", false, "go on, and show what changes")
		f.BoolVar(&l.watch, "w", false, shortFor+"watch")
	}
	return f
}

// lookCommand reads the command line of one of the commands, and does it; bad is the
// exit code of one that makes no sense.
func lookCommand(ctx context.Context, args []string, s surroundings, command, takes, what string, bad int, do func(*looking, context.Context, surroundings) int) int {
	l, err := parseLooking(command, args, s.env)
	if err == errHelp {
		fmt.Fprint(s.stdout, lookUsage(command, takes, what))
		return exitOK
	}
	if err != nil {
		refuse(s.stderr, command, err)
		return bad
	}
	return do(l, ctx, s)
}

// outputs are the formats of each command.
var outputs = map[string][]string{"plan": {"text", "json", "yaml"}, "explain": {"text", "json"}, "status": {"text", "json", "yaml"}, "check": {"text", "json"}}

// parseLooking reads a command line, in which flags and names may come in any order.
func parseLooking(command string, args []string, env func(string) string) (*looking, error) {
	l := &looking{command: command}
	f := lookFlags(command, l)
	var names []string
	for len(args) > 0 {
		if err := parsed(f, args); err != nil {
			return nil, err
		}
		if args = f.Args(); len(args) > 0 {
			names, args = append(names, args[0]), args[1:]
		}
	}
	if err := fromEnv(f, env); err != nil {
		return nil, err
	}
	return l, l.check(names)
}

// fromEnv takes from the environment what the command line left out of the flags that
// are shared with mote run. The namespace is not: there it is what is served.
func fromEnv(f *flag.FlagSet, env func(string) string) (bad error) {
	given := map[string]bool{"namespace": true}
	f.Visit(func(x *flag.Flag) { given[x.Name] = true })
	runFlags(&RunOptions{}).VisitAll(func(x *flag.Flag) {
		v := env(envName(x.Name))
		if v == "" || given[x.Name] || bad != nil || f.Lookup(x.Name) == nil {
			return
		}
		if err := f.Set(x.Name, v); err != nil {
			bad = fmt.Errorf("%s=%q: it is %s", envName(x.Name), v, expected(x))
		}
	})
	return bad
}

// check finds what could never work, and reads the names.
func (l *looking) check(names []string) error {
	if !slices.Contains(outputs[l.command], l.output) {
		return fmt.Errorf("--output %q: it is one of %s", l.output, strings.Join(outputs[l.command], ", "))
	}
	if _, err := labels.Parse(l.selector); err != nil {
		return fmt.Errorf("--selector %q: %w", l.selector, err)
	}
	switch {
	case len(l.files) > 0 && (len(names) > 0 || l.selector != "" || l.all):
		return errors.New("--filename goes without names, --selector and --all-namespaces")
	case l.noCluster && len(l.files) == 0:
		return errors.New("--no-cluster goes with --filename only: without a cluster there are no objects")
	case l.all && l.namespace != "":
		return errors.New("--all-namespaces and --namespace exclude each other")
	case l.credentialsSecret != "" && l.credentialsDir != "":
		return errors.New("--credentials-secret and --credentials-dir exclude each other")
	case l.credentialsSecret != "" && strings.Count(l.credentialsSecret, "/") != 1:
		return fmt.Errorf("--credentials-secret %q: it is namespace/name", l.credentialsSecret)
	}
	names = joined(names)
	for _, n := range names {
		w, err := which(n)
		if err != nil {
			return err
		}
		if w.Name != "" && (l.selector != "" || l.all) {
			return fmt.Errorf("%s: a name goes without --selector and --all-namespaces", n)
		}
		l.which = append(l.which, w)
	}
	switch {
	case l.watch && len(names) > 1:
		return errors.New("--watch goes with one name or kind at most")
	case l.command == "explain" && len(names) != 1:
		return fmt.Errorf("explains one object, like pgdb/orders, but was given %d names", len(names))
	}
	if l.command == "explain" && l.which[0].Name == "" {
		return fmt.Errorf("explains one object, like %s/orders", names[0])
	}
	if len(l.which) == 0 {
		l.which = []look.Which{{}}
	}
	return nil
}

// joined makes KIND/NAME of kubectl's way to write it: a kind, and then names of it.
func joined(names []string) (all []string) {
	if len(names) < 2 || strings.Contains(names[0], "/") || schema.Named(strings.ToLower(names[0])) == nil {
		return names
	}
	for _, n := range names[1:] {
		if strings.Contains(n, "/") || schema.Named(strings.ToLower(n)) != nil {
			return names
		}
		all = append(all, names[0]+"/"+n)
	}
	return all
}

// which reads NAME, KIND or KIND/NAME.
func which(text string) (look.Which, error) {
	kind, name, both := strings.Cut(text, "/")
	k := schema.Named(strings.ToLower(kind))
	switch {
	case both && k == nil:
		return look.Which{}, fmt.Errorf("%s: there is no kind %q here (there are pgdb and mapp)", text, kind)
	case both && name == "":
		return look.Which{}, fmt.Errorf("%s: the name is missing", text)
	case both:
		return look.Which{Kind: k, Name: name}, nil
	case k != nil:
		return look.Which{Kind: k}, nil
	}
	return look.Which{Name: text}, nil
}

// open finds the cluster and the cloud; what of it is not there is told in notes.
func (l *looking) open(ctx context.Context, env func(string) string) (*look.Look, []string, error) {
	var notes []string
	out := &look.Look{Settings: l.Settings(), Apps: l.Apps(), Now: time.Now}
	out.Settings.Asked, out.Apps.Asked = true, true
	config, err := l.clusterToLookAt()
	switch {
	case err != nil && len(l.files) > 0 && l.kubeconfig == "" && l.context == "" && env("KUBECONFIG") == "":
		notes = append(notes, "there is no cluster to ask ("+err.Error()+"): planned as if nothing of this were there")
	case err != nil:
		return nil, nil, err
	case config != nil:
		if out.Cluster, err = look.Cluster(config); err != nil {
			return nil, nil, fmt.Errorf("the cluster's configuration is unusable: %w", err)
		}
	default:
		notes = append(notes, "the cluster was not asked: planned as if nothing of this were there")
	}
	if l.namespace == "" && !l.all {
		l.namespace = l.home()
	}
	for n := range l.which {
		l.which[n].Namespace, l.which[n].Selector = l.namespace, l.selector
	}
	if l.command == "status" {
		return out, notes, nil
	}
	note, err := l.openCloud(ctx, out, env)
	if note != "" {
		notes = append(notes, note)
	}
	return out, notes, err
}

// clusterToLookAt is nil when none is wanted.
func (l *looking) clusterToLookAt() (*rest.Config, error) {
	switch {
	case l.noCluster:
		return nil, nil
	case l.config != nil:
		return l.config, nil
	}
	config, err := l.clusterConfig()
	if err != nil {
		return nil, err
	}
	config.UserAgent = "mote/" + version + " " + l.command
	config.Wrap(patient)
	return config, nil
}

// clusterConfig is the one of a context where that is named.
func (l *looking) clusterConfig() (*rest.Config, error) {
	if l.context == "" {
		return l.Cluster()
	}
	config, err := kubeconfig(l.kubeconfig, l.context).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("--context %q: %w", l.context, err)
	}
	return config, nil
}

// home is the namespace of whoever asks.
func (l *looking) home() string {
	if l.kubeconfig == "" && l.context == "" && os.Getenv("KUBERNETES_SERVICE_HOST") != "" {
		if b, err := os.ReadFile(ownNamespaceFile); err == nil {
			return strings.TrimSpace(string(b))
		}
	}
	if name, _, err := kubeconfig(l.kubeconfig, l.context).Namespace(); err == nil && name != "" {
		return name
	}
	return "default"
}

// openCloud makes a client over which nothing can be bought or changed. Without keys
// there is no cloud, and a note says so.
func (l *looking) openCloud(ctx context.Context, out *look.Look, env func(string) string) (note string, err error) {
	none := "the cloud was not asked: what the spec and the status say is believed, and nothing has a price"
	if l.noCloud {
		return none, nil
	}
	if l.credentialsDir == "" && l.credentialsSecret == "" && (env("TENCENTCLOUD_SECRET_ID") == "" || env("TENCENTCLOUD_SECRET_KEY") == "") {
		return "there are no keys of the cloud (TENCENTCLOUD_SECRET_ID and TENCENTCLOUD_SECRET_KEY, --credentials-dir or --credentials-secret), so " + none, nil
	}
	if l.credentialsSecret != "" && out.Cluster == nil {
		return "", errors.New("--credentials-secret is in a cluster, and there is none to ask")
	}
	credentials, keys := l.Credentials(out.Cluster, slog.New(slog.DiscardHandler))
	if keys != nil {
		go keys.Run(ctx)
	}
	client, err := tencent.New(tencent.Options{Credentials: credentials, Endpoint: l.CloudEndpoint, Timeout: l.CloudTimeout, Transport: tencent.ReadOnly(l.transport)})
	if err != nil {
		return "", err
	}
	patient := look.Patient{Reader: cloud.NewCatalog(client, cloud.CatalogOptions{}), Pricer: look.NewPriceList(client)}
	out.Cloud, out.Prices = patient, patient
	return "", nil
}

// lookUsage lists the flags of one of the commands.
func lookUsage(command, args, what string) string {
	env := "In the environment, --kubeconfig is MOTE_KUBECONFIG.\n"
	if command != "status" {
		env = "--kubeconfig and the flags of the controller can also be given in the environment: --region is\nMOTE_REGION.\n"
	}
	return "Usage: " + program + " " + command + " " + args + "\n\n" + what + "\n\n" + env + "\n" +
		listed(lookFlags(command, &looking{}), func(name string) bool { return !slices.Contains(ofTheController, name) },
			"Flags of the controller: what is said is true of one that was given the same.")
}
