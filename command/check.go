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

	"k8s.io/client-go/dynamic"

	"example.com/mote/check"
	"example.com/mote/cloud/tencent"
)

// checkOptions are all that `mote check` can be told.
type checkOptions struct {
	run    RunOptions
	format string
	subnet string
	self   bool
}

func checkFlags(c *checkOptions) *flag.FlagSet {
	f := runFlags(&c.run)
	f.Init("check", flag.ContinueOnError)
	f.StringVar(&c.format, "o", "text", "`format`: text, a line for each finding, or json")
	f.StringVar(&c.subnet, "subnet", "", "look for this `subnet` in --region too, beside those that objects name")
	f.BoolVar(&c.self, "self", false, "look at the binary and its image alone, without any network")
	return f
}

// ofCheck are the flags that are not of mote run.
var ofCheck = []string{"o", "subnet", "self"}

func checkUsage() string {
	var c checkOptions
	return "Usage: mote check [flags]\n\nLooks for what stands in Mote's way, and changes nothing: a line for each thing, with what\nhelps. Exit code 0: Mote can work; 1: it cannot. " +
		"It takes the flags and the environment of\n`mote run`, so that it can stand before it as an init container.\n" + fromEnvironment + "\n" +
		listed(checkFlags(&c), func(name string) bool { return slices.Contains(ofCheck, name) }, "Flags of mote run, as it is or would be given them:")
}

func parseCheck(args []string, env func(string) string) (checkOptions, error) {
	var c checkOptions
	f := checkFlags(&c)
	if err := parseFlags(f, args); err != nil {
		return c, err
	}
	if c.format != "text" && c.format != "json" {
		return c, fmt.Errorf("-o %q: it is text or json", c.format)
	}
	return c, c.run.complete(f, env)
}

// preflight looks, reports, and tells whether Mote can work.
func preflight(ctx context.Context, c checkOptions, environ []string, stdout io.Writer) (passed bool, err error) {
	var findings []check.Finding
	if c.self {
		m, err := parseManifests(nil)
		if err != nil {
			return false, err
		}
		findings = check.Self(m.k3s)
	} else {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		p, err := c.plan(ctx, environ)
		if err != nil {
			return false, err
		}
		findings = check.Judge(check.Observe(ctx, p))
	}
	if ctx.Err() != nil {
		return false, ctx.Err() // what was not asked any more was not found wanting
	}
	if c.format == "json" {
		err = check.JSON(stdout, findings)
	} else {
		check.Text(stdout, findings)
	}
	return check.Passed(findings), err
}

// plan is what to look at; what it begins ends with ctx.
func (c checkOptions) plan(ctx context.Context, environ []string) (check.Plan, error) {
	o := c.run
	sel := o.Selection()
	p := check.Plan{
		Scope: o.scope(), OwnNamespace: o.leaseNamespaceOrOwn(), Namespace: o.namespace, LabelSelector: sel.LabelSelector, FieldSelector: sel.FieldSelector,
		Region: o.Region, Subnet: c.subnet, Unknown: UnknownVariables(environ), Memory: memoryLimit(), CloudDates: &check.Dates{},
	}
	var client dynamic.Interface
	config, err := o.Cluster()
	if err == nil {
		config.UserAgent = "mote-check/" + version
		client, err = dynamic.NewForConfig(config)
	}
	if err != nil {
		p.ConfigTrouble = err.Error()
	} else {
		p.Config = config
	}
	credentials := tencent.Credentials(func(context.Context) (tencent.Credential, error) {
		return tencent.Credential{}, errors.New("the credentials Secret " + o.credentialsSecret + " was not read: there is no cluster")
	})
	switch {
	case o.credentialsSecret != "" && client == nil:
	default:
		from, keys := o.Credentials(client, slog.New(slog.DiscardHandler))
		credentials = from
		if keys != nil {
			go keys.Run(ctx)
		}
	}
	p.Credential = o.credentialWords()
	p.Keys = func(ctx context.Context) error {
		_, err := credentials(ctx)
		return err
	}
	p.Cloud, err = tencent.New(tencent.Options{Credentials: credentials, Endpoint: o.CloudEndpoint, Timeout: o.CloudTimeout,
		Transport: p.CloudDates.Wrap(&http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true})})
	return p, err
}

// checkCommand is mote check.
func checkCommand(ctx context.Context, args []string, s surroundings) int {
	c, err := parseCheck(args, s.env)
	if err == errHelp {
		fmt.Fprint(s.stdout, checkUsage())
		return exitOK
	}
	if err != nil {
		return refuse(s.stderr, "check", err)
	}
	passed, err := preflight(ctx, c, os.Environ(), s.stdout)
	if code, yes := cutShort(ctx); yes {
		return code
	}
	if err != nil {
		fmt.Fprintf(s.stderr, "mote: %v\n", err)
	}
	if err != nil || !passed {
		return exitError
	}
	return exitOK
}
