package myapp

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/mote/crd/examplev1"
	"example.com/mote/forecast"
)

// Nothing of the world but the status tells a forecast until when Mote holds back.
func TestHeldAsTold(t *testing.T) {
	midnight := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		clock string
		now   time.Time
		want  time.Time
	}{
		"today":     {"12:04:00", noon, noon.Add(4 * time.Minute)},
		"tomorrow":  {"00:04:00", midnight.Add(-time.Minute), midnight.Add(4 * time.Minute)},
		"yesterday": {"23:59:00", midnight.Add(time.Minute), midnight.Add(-time.Minute)},
		"nonsense":  {"soon", noon, time.Time{}},
	} {
		app := newApp(after(examplev1.PhaseRunning, reasonContested, 1, 0))
		app.Status.Conditions[0].Message = `Deployment "web": spec.x was changed again and again; Mote does not fight over it, and puts it right once more at ` + c.clock
		held := heldAsTold(app, c.now)
		if !held[deployment].Equal(c.want) || !held[service].IsZero() {
			t.Errorf("%s: held until %v, want %v", name, held, c.want)
		}
		if app.Generation++; heldAsTold(app, c.now)[deployment] != (time.Time{}) {
			t.Errorf("%s: held although the spec is another", name)
		}
	}
}

// What was refused is not promised again.
func TestForeseeWhatWasRefused(t *testing.T) {
	app := newApp(after(examplev1.PhaseFailed, reasonRefused, 1, time.Minute))
	app.Status.Conditions[0].Message = `Service "web" is being deleted; it is made again when it is gone; Deployment "web" could not be applied: spec.x: Invalid value`
	var kids children
	kids[service].live = &unstructured.Unstructured{Object: wanted(app)[service]}
	steps, then := foreseen(t, app, Options{}, kids)
	if len(steps) != 1 || steps[0].Sign != forecast.Wait || then.Ready || then.Message != `Deployment "web" could not be applied: spec.x: Invalid value` {
		t.Errorf("%+v, and then %+v", steps, then)
	}
	app.Generation++
	if _, then := foreseen(t, app, Options{}, kids); !then.Ready {
		t.Errorf("another spec: then %+v", then)
	}
}
