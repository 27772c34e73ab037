package myapp

import (
	"encoding/json"
	"testing"

	"example.com/mote/crd/examplev1"
)

func TestStrategy(t *testing.T) {
	n := func(v int32) *int32 { return &v }
	for name, c := range map[string]struct {
		in          *examplev1.Strategy
		hostNetwork bool
		want        string
	}{
		"usual":                                 {nil, false, `{"rollingUpdate":{"maxSurge":1,"maxUnavailable":0},"type":"RollingUpdate"}`},
		"no second copy":                        {&examplev1.Strategy{MaxSurge: n(0)}, false, `{"rollingUpdate":{"maxSurge":0,"maxUnavailable":1},"type":"RollingUpdate"}`},
		"both":                                  {&examplev1.Strategy{MaxSurge: n(2), MaxUnavailable: n(3)}, false, `{"rollingUpdate":{"maxSurge":2,"maxUnavailable":3},"type":"RollingUpdate"}`},
		"recreate":                              {&examplev1.Strategy{Type: "Recreate"}, false, `{"type":"Recreate"}`},
		"the node's ports":                      {nil, true, `{"rollingUpdate":{"maxSurge":0,"maxUnavailable":1},"type":"RollingUpdate"}`},
		"the node's ports, surge":               {&examplev1.Strategy{MaxSurge: n(1)}, true, `{"rollingUpdate":{"maxSurge":1,"maxUnavailable":0},"type":"RollingUpdate"}`},
		"the node's ports, none may be missing": {&examplev1.Strategy{MaxUnavailable: n(0)}, true, `{"rollingUpdate":{"maxSurge":1,"maxUnavailable":0},"type":"RollingUpdate"}`},
	} {
		app := newApp(func(a *examplev1.MyApp) { a.Spec.Strategy, a.Spec.HostNetwork = c.in, c.hostNetwork })
		if got, err := json.Marshal(strategyFor(app)); err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, c.want)
		}
	}
}

func TestTolerations(t *testing.T) {
	const unreachable = `{"effect":"NoExecute","key":"node.kubernetes.io/unreachable","operator":"Exists","tolerationSeconds":1800}`
	const notReady = `{"effect":"NoExecute","key":"node.kubernetes.io/not-ready","operator":"Exists","tolerationSeconds":1800}`
	for name, c := range map[string]struct {
		in   []examplev1.Toleration
		want string
	}{
		"usual":       {nil, "[" + notReady + "," + unreachable + "]"},
		"another":     {[]examplev1.Toleration{{Key: "a", Value: "b", Effect: "NoSchedule"}}, `[{"effect":"NoSchedule","key":"a","operator":"Equal","value":"b"},` + notReady + "," + unreachable + "]"},
		"its own":     {[]examplev1.Toleration{{Key: "node.kubernetes.io/unreachable", Operator: "Exists"}}, `[{"key":"node.kubernetes.io/unreachable","operator":"Exists"},` + notReady + "]"},
		"not of this": {[]examplev1.Toleration{{Key: "node.kubernetes.io/unreachable", Operator: "Exists", Effect: "NoSchedule"}}, `[{"effect":"NoSchedule","key":"node.kubernetes.io/unreachable","operator":"Exists"},` + notReady + "," + unreachable + "]"},
		"everything":  {[]examplev1.Toleration{{Operator: "Exists"}}, `[{"operator":"Exists"}]`},
	} {
		app := newApp(func(a *examplev1.MyApp) { a.Spec.Tolerations = c.in })
		if got, err := json.Marshal(tolerationsFor(app)); err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, c.want)
		}
	}
}
