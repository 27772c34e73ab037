package postgresdb

import (
	"testing"
	"time"

	"example.com/mote/crd/databasev1"
)

func TestRegion(t *testing.T) {
	spec := func(v *View) { v.Object.Spec.Region = "spec" }
	status := func(v *View) { v.Object.Status.Region = "status" }
	for name, c := range map[string]struct {
		v    View
		want string
	}{
		"the controller's":                    {see(), "ap-guangzhou"},
		"the spec's":                          {see(spec), "spec"},
		"bought":                              {see(bought("Running"), spec, status), "status"},
		"perhaps bought":                      {see(openIntent(0, 0), status), "status"},
		"shown, and nothing was bought there": {see(status), "ap-guangzhou"},
	} {
		if got := c.v.Region(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestSecretName(t *testing.T) {
	o := see().Object
	if got := SecretName(o); got != "orders-connection" {
		t.Error(got)
	}
	o.Spec.ConnectionSecretName = "mine"
	if got := SecretName(o); got != "mine" {
		t.Error(got)
	}
}

func TestInstanceNameFitsTheCloud(t *testing.T) {
	if name := InstanceName("5b2f7a30-3c54-4e0f-9d0b-3a1f6f7f2c11"); len(name) >= 60 || name != "mote-5b2f7a30-3c54-4e0f-9d0b-3a1f6f7f2c11" {
		t.Error(name)
	}
}

func TestWithin(t *testing.T) {
	v := see()
	for age, want := range map[time.Duration]bool{0: true, 59 * time.Second: true, time.Minute: false, time.Hour: false, -time.Second: false} {
		if v.within(present.Add(-age), time.Minute) != want {
			t.Errorf("%s ago: %t", age, !want)
		}
	}
}

func TestLastChange(t *testing.T) {
	if got := see().lastChange(); !got.Equal(present.Add(-time.Hour)) {
		t.Error(got)
	}
	if got := see(changedSince(time.Minute)).lastChange(); !got.Equal(present.Add(-time.Minute)) {
		t.Error(got)
	}
}

func TestNobodyElsesFinalizerIsOurs(t *testing.T) {
	v := see(func(v *View) { v.Object.Finalizers = []string{"other/finalizer"} })
	if v.Finalizer() {
		t.Error("taken for ours")
	}
	v.Object.Finalizers = append(v.Object.Finalizers, databasev1.Finalizer)
	if !v.Finalizer() {
		t.Error("not found")
	}
}
