// Package contender knows the programs that are measured: how each is built, how
// it is started, and by which line of its log it says that its first list is whole.
//
// What may come in: the standard library, the test bed's artifact package.
package contender

import (
	"strings"
	"time"
)

// Contender is one program in one form.
type Contender struct {
	ID     string // for files: "kube-rs-usual"
	Name   string // for people: "kube-rs, usual"
	Binary string
	Args   []string
	Env    []string
	// Operator: it reconciles; a floor does not.
	Operator bool
	// Limit is the memory that it may have, in bytes; 0: as much as there is. It is
	// held in a cgroup.
	Limit int64
	// Synced tells whether a line of its log says that the first list is whole.
	Synced func(line string) bool
}

// Place is where a contender runs: what it is connected to.
type Place struct {
	Kubeconfig, Server, CAFile string
	CloudURL                   string // the stand-in, with its credentials
	SecretID, SecretKey        string
	ShopURL                    string // the cloud of those that make one plain call
}

// Programs are the built binaries; one that is "" is left out.
type Programs struct {
	Mote, ControllerRuntime, KubeRS, List, Empty string
}

// Workers is how many turns controller-runtime takes at once; its default is 1, and
// 16 is what its users take. Mote has its own default, and kube-rs no bound.
const Workers = "16"

// never is the sweep of a Mote that shall not look at the cloud, as the others do not.
const never = 1000 * time.Hour

// All are the contenders, the one that runs first last: the floors, so that what the
// server still has to warm up is at nobody's cost who is compared; then Mote, while all
// statuses are as Mote writes them, for the peers write observedGeneration alone.
func All(p Programs, at Place) []Contender {
	said := func(line string) bool { return line == "synced" }
	env := []string{"KUBECONFIG=" + at.Kubeconfig, "CLOUD_URL=" + at.ShopURL}
	all := []Contender{
		{ID: "controller-runtime-usual", Name: "controller-runtime, usual", Binary: p.ControllerRuntime,
			Args: []string{"usual", Workers}, Env: env, Operator: true, Synced: said},
		{ID: "controller-runtime-tuned", Name: "controller-runtime, tuned", Binary: p.ControllerRuntime,
			Args: []string{"tuned", Workers}, Env: append([]string{"GOGC=50"}, env...), Operator: true, Synced: said},
		{ID: "kube-rs-usual", Name: "kube-rs, usual", Binary: p.KubeRS, Args: []string{"usual"}, Env: env, Operator: true, Synced: said},
		{ID: "kube-rs-tuned", Name: "kube-rs, tuned", Binary: p.KubeRS, Args: []string{"tuned"}, Env: env, Operator: true, Synced: said},
		Mote("mote", "Mote", p.Mote, at),
		Mote("mote-alone", "Mote, cloud sweep off", p.Mote, at, "--sweep-interval="+never.String()),
		caged(Mote("mote-64m", "Mote, in a cgroup of 64 MiB", p.Mote, at)),
		{ID: "list", Name: "floor: bare list", Binary: p.List, Args: []string{at.Server, at.CAFile}, Synced: said},
		{ID: "empty", Name: "floor: empty Go program", Binary: p.Empty},
	}
	kept := all[:0]
	for _, c := range all {
		if c.Binary != "" {
			kept = append(kept, c)
		}
	}
	return kept
}

// caged is a contender with the memory limit of Mote's own manifest.
func caged(c Contender) Contender {
	c.Limit = 64 << 20
	return c
}

// Mote is Mote with further flags.
func Mote(id, name, binary string, at Place, flags ...string) Contender {
	return Contender{
		ID: id, Name: name, Binary: binary, Operator: true,
		Args: append([]string{"run", "--kubeconfig", at.Kubeconfig, "--cloud-endpoint", at.CloudURL, "--region", "ap-guangzhou",
			"--log-format", "json", "--resync-interval", "0"}, flags...), // most objects have no connection Secret, which a look would make
		Env: []string{"TENCENTCLOUD_SECRET_ID=" + at.SecretID, "TENCENTCLOUD_SECRET_KEY=" + at.SecretKey},
		Synced: func(line string) bool {
			return strings.Contains(line, `"msg":"synced"`) && strings.Contains(line, `"PostgresDB"`)
		},
	}
}

// Many is Mote's number of turns at once, which controller-runtime is given too, besides
// its usual one.
const Many = "384"

// Buyers are the contenders that buy instances of a slow cloud. Mote is the first: what
// peers have changed meanwhile it would look into, for their status is not its own.
func Buyers(p Programs, at Place) []Contender {
	var buyers []Contender
	for _, c := range All(p, at) {
		switch c.ID {
		case "mote":
			buyers = append([]Contender{c}, buyers...)
		case "controller-runtime-usual":
			many := c
			many.ID, many.Name, many.Args = "controller-runtime-many", "controller-runtime, "+Many+" workers", []string{"usual", Many}
			buyers = append(buyers, c, many)
		case "kube-rs-usual":
			buyers = append(buyers, c)
		}
	}
	return buyers
}
