package myapp

import (
	"fmt"
	"strings"

	"example.com/mote/crd/examplev1"
)

// Options are what the controller allows apps beyond their own pods.
type Options struct {
	// HostPaths are the paths of a node that volumes may be of, with all below them.
	HostPaths []string
	// HostNetwork lets pods have the node's own network.
	HostNetwork bool
	// Version is that of Mote, another one of which may want other children.
	Version string
	// Asked: not the controller decides, but a command on its behalf, which may not have
	// been given its flags.
	Asked bool
}

// seed changes with all that may change what is made of an app but for itself.
func (o Options) seed() uint64 { return sum(o.HostPaths, o.HostNetwork, o.Version) }

// forbids says what of an app the controller does not allow; "": nothing.
func (o Options) forbids(app *examplev1.MyApp) string {
	who, hint := "controller does", ""
	if o.Asked {
		who, hint = "command's flags do", "; give it the controller's"
	}
	if app.Spec.HostNetwork && !o.HostNetwork {
		if o.Asked {
			return "hostNetwork is not allowed by this command's flags (--allow-host-network" + hint + ")"
		}
		return "hostNetwork is not allowed by this controller (--allow-host-network)"
	}
	for _, v := range app.Spec.Volumes {
		if v.HostPath != nil && !o.below(v.HostPath.Path) {
			return fmt.Sprintf("volume %q is %s of the node, which this %s not allow (--allow-host-paths%s)", v.Name, v.HostPath.Path, who, hint)
		}
	}
	return ""
}

func (o Options) below(path string) bool {
	path = strings.TrimSuffix(path, "/") + "/"
	for _, allowed := range o.HostPaths {
		if strings.HasPrefix(path, strings.TrimSuffix(allowed, "/")+"/") {
			return true
		}
	}
	return false
}
