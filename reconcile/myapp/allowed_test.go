package myapp

import (
	"testing"

	"example.com/mote/crd/examplev1"
)

func TestForbids(t *testing.T) {
	of := func(path string) *examplev1.MyApp {
		return newApp(func(a *examplev1.MyApp) {
			a.Spec.Volumes = []examplev1.Volume{{Name: "v", HostPath: &examplev1.HostPath{Path: path}}}
		})
	}
	network := newApp(func(a *examplev1.MyApp) { a.Spec.HostNetwork = true })
	const noNetwork = "hostNetwork is not allowed by this controller (--allow-host-network)"
	const noPath = `volume "v" is /dev/ttyUSB0 of the node, which this controller does not allow (--allow-host-paths)`
	for name, c := range map[string]struct {
		app     *examplev1.MyApp
		options Options
		want    string
	}{
		"an ordinary app":          {newApp(), Options{}, ""},
		"network":                  {network, Options{HostPaths: []string{"/"}}, noNetwork},
		"network allowed":          {network, Options{HostNetwork: true}, ""},
		"path":                     {of("/dev/ttyUSB0"), Options{HostNetwork: true}, noPath},
		"path allowed":             {of("/dev/ttyUSB0"), Options{HostPaths: []string{"/srv", "/dev/ttyUSB0"}}, ""},
		"path below":               {of("/dev/ttyUSB0"), Options{HostPaths: []string{"/dev/"}}, ""},
		"path that only begins so": {of("/dev/ttyUSB0"), Options{HostPaths: []string{"/dev/tty"}}, noPath},
		"path above":               {of("/dev"), Options{HostPaths: []string{"/dev/ttyUSB0"}}, `volume "v" is /dev of the node, which this controller does not allow (--allow-host-paths)`},
		"all paths":                {of("/dev/ttyUSB0"), Options{HostPaths: []string{"/"}}, ""},
		"the folder itself":        {of("/srv/"), Options{HostPaths: []string{"/srv"}}, ""},
		"network, asked":           {network, Options{Asked: true}, "hostNetwork is not allowed by this command's flags (--allow-host-network; give it the controller's)"},
		"path, asked":              {of("/srv"), Options{Asked: true}, `volume "v" is /srv of the node, which this command's flags do not allow (--allow-host-paths; give it the controller's)`},
		"everything":               {of("/"), Options{HostPaths: []string{"/"}}, ""},
	} {
		if got := c.options.forbids(c.app); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
