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
}

// seed changes with all that may change what is made of an app but for itself.
func (o Options) seed() uint64 { return sum(o.HostPaths, o.HostNetwork, o.Version) }

// forbids says what of an app the controller does not allow; "": nothing.
func (o Options) forbids(app *examplev1.MyApp) string {
	if app.Spec.HostNetwork && !o.HostNetwork {
		return "hostNetwork is not allowed by this controller (--allow-host-network)"
	}
	for _, v := range app.Spec.Volumes {
		if v.HostPath != nil && !o.below(v.HostPath.Path) {
			return fmt.Sprintf("volume %q is %s of the node, which this controller does not allow (--allow-host-paths)", v.Name, v.HostPath.Path)
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
