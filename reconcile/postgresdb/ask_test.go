package postgresdb

import (
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
	"example.com/mote/reconcile"
)

// askedFor: the status says that the cloud was asked for a change, and is in a
// phase for a reason since so long ago.
func askedFor(c databasev1.CloudChange, reason string, since time.Duration) tweak {
	return func(v *View) {
		bought("Updating")(v)
		v.Object.Status.Change = &c
		v.Found = &[]cloud.Instance{}
		readyCondition(reason, "")(v)
		changedSince(since)(v)
	}
}

func task(s cloud.TaskStatus) tweak { return func(v *View) { v.Task = &s } }

func versions(v *View) {
	v.Versions = &[]cloud.Version{
		{Major: "13", Minor: "13.9", Kernel: "v13.9_r1.1", Available: true},
		{Major: "14", Minor: "14.10", Kernel: "v14.10_r1.1", Targets: []string{"v14.10_r1.2", "v14.11_r1.9", "v14.11_r1.10", "v14.13_r1.1", "v14.14_r1.1"}},
		{Major: "14", Minor: "14.10", Kernel: "v14.10_r1.2"},
		{Major: "14", Minor: "14.11", Kernel: "v14.11_r1.9", Available: true},
		{Major: "14", Minor: "14.11", Kernel: "v14.11_r1.10", Available: true},
		{Major: "14", Minor: "14.13", Kernel: "v14.13_r1.1"},
		{Major: "14", Minor: "14.14", Kernel: "v14.14_r1.1", Withdrawn: true},
		{Major: "14", Minor: "14.15", Kernel: "v14.15_r1.1"}, // not a target
		{Major: "15", Minor: "15.6", Kernel: "v15.6_r1.9", Available: true},
		{Major: "15", Minor: "15.10", Kernel: "v15.10_r1.2"},
		{Major: "15", Minor: "15.12", Kernel: "v15.12_r1.2", Withdrawn: true},
	}
}

func wishes(version string) tweak {
	return spec1(func(s *databasev1.PostgresDBSpec) { s.EngineVersion = version })
}

// A change is asked for once; what comes of it is waited for, shown, and only much
// later or for another spec asked for again.
func TestAsk(t *testing.T) {
	const minute = time.Minute
	fast := func(i *cloud.Instance) { i.CPU, i.MemoryGB = 4, 8 }
	resize := databasev1.CloudChange{Kind: "Resize", Target: "2C4G with 100 GB"}
	other := databasev1.CloudChange{Kind: "Resize", Target: "1C2G with 100 GB"}
	upgrade := databasev1.CloudChange{Kind: "Upgrade", Target: "PostgreSQL 14.13 (v14.13_r1.1)", TaskID: 7}
	newSpec := func(v *View) { v.Object.Generation++ }
	older := []tweak{wishes("14.12"), versions, connected()}
	upgrading := func(reason string, since time.Duration, more ...tweak) View {
		all := append([]tweak{askedFor(upgrade, reason, since), seenAs()}, older...)
		return see(append(all, more...)...)
	}
	check(t, []ruling{
		{"for the first time", see(ran, seenAs(fast), connected()), expected{do: Resize, id: "postgres-1", phase: "Updating", reason: "Resizing"}},
		{"just now", see(askedFor(resize, "Resizing", 10*time.Second), seenAs(fast), connected()), expected{do: Rest, phase: "Updating", reason: "Resizing", after: minute}},
		{"something else", see(askedFor(other, "Resizing", 10*time.Second), seenAs(fast), connected()), expected{do: Resize}},
		{"it does not show", see(askedFor(resize, "Resizing", minute), seenAs(fast), connected()), expected{do: Rest, phase: "Failed", reason: "ResizeFailed", after: 10 * minute}},
		{"the cloud worked, and nothing came of it", see(askedFor(resize, "Updating", 0), seenAs(fast), connected()), expected{do: Rest, phase: "Failed", reason: "ResizeFailed"}},
		{"for another spec, on its way", see(askedFor(resize, "Resizing", 0), newSpec, seenAs(fast), connected()), expected{do: Rest, reason: "ResizeFailed"}},
		{"that it failed is shown for a while", see(askedFor(resize, "ResizeFailed", 4*minute), seenAs(fast), connected()), expected{do: Rest, phase: "Failed", reason: "ResizeFailed", after: 6 * minute}},
		{"then asked again", see(askedFor(resize, "ResizeFailed", 10*minute), seenAs(fast), connected()), expected{do: Resize}},
		{"or at once for another spec", see(askedFor(resize, "ResizeFailed", 0), newSpec, seenAs(fast), connected()), expected{do: Resize}},

		{"the task is read", upgrading("Upgrading", 0), expected{do: ReadTask, id: "postgres-1"}},
		{"it runs", upgrading("Upgrading", time.Hour, task(cloud.TaskRunning)), expected{do: Rest, phase: "Updating", reason: "Upgrading"}},
		{"it is done, and has yet to show", upgrading("Upgrading", 0, task(cloud.TaskDone)), expected{do: Rest, phase: "Updating", reason: "Upgrading"}},
		{"it is done, and does not show", upgrading("Upgrading", minute, task(cloud.TaskDone)), expected{do: Rest, reason: "UpgradeFailed"}},
		{"it failed", upgrading("Upgrading", 0, task(cloud.TaskFailed)), expected{do: Rest, phase: "Failed", reason: "UpgradeFailed", after: 10 * minute}},
		{"it failed, and nobody asks the cloud again", upgrading("UpgradeFailed", minute), expected{do: Rest, phase: "Failed", reason: "UpgradeFailed", after: 9 * minute}},
		{"it failed long ago", upgrading("UpgradeFailed", 10*minute), expected{do: Upgrade}},
	})
}

func TestAFailureIsTold(t *testing.T) {
	v := see(askedFor(databasev1.CloudChange{Kind: "Upgrade", Target: "PostgreSQL 14.13 (v14.13_r1.1)", TaskID: 7}, "Upgrading", 0),
		seenAs(), wishes("14.12"), versions, connected(), task(cloud.TaskFailed))
	d := Decide(v)
	if d.Event == nil || !d.Event.Warning || !strings.Contains(d.Event.Note, "14.13") {
		t.Errorf("%+v", d.Event)
	}
	v.Object.Status = Status(v, *d.Show)
	if c := v.Object.Status.Change; c == nil || c.TaskID != 7 {
		t.Errorf("what failed is forgotten: %+v", c)
	}
	if again := Decide(v); again.Show.Message != d.Show.Message {
		t.Errorf("said %q, then %q", d.Show.Message, again.Show.Message)
	}
}

func TestUpgrade(t *testing.T) {
	db := dbOf()
	runs := func(minor, kernel string) cloud.Instance {
		i := db
		i.Version, i.Kernel = minor, kernel
		return i
	}
	var v View
	versions(&v)
	for _, c := range []struct {
		name   string
		i      cloud.Instance
		wish   string
		kernel string // "": none
		major  bool
		says   string
	}{
		{"runs the major", db, "14", "", false, ""},
		{"runs a later minor", db, "14.2", "", false, ""},
		{"the newest minor", db, "14.11", "v14.13_r1.1", false, ""},
		{"the newest minor that there is", db, "14.13", "v14.13_r1.1", false, ""},
		{"a minor that is no target", db, "14.15", "", false, "possible are 14.10, 14.11, 14.13"},
		{"a deprecated minor", db, "14.14", "", false, "no upgrade to 14.14"},
		{"from where no way leads", runs("14.11", "v14.11_r1.9"), "14.13", "", false, "none of that major version is possible"},
		{"a major", db, "15", "v15.10_r1.2", true, ""},
		{"a major with a minor", db, "15.7", "v15.10_r1.2", true, ""},
		{"a major without the minor", db, "15.12", "", true, "possible are 15.6, 15.10"},
		{"a major that nobody has", db, "16", "", true, "none of that major version is possible"},
		{"back to an older major", db, "13", "", false, "no way back to 13: set spec.engineVersion to 14"},
		{"nobody knows what runs", runs("", ""), "14", "", false, "does not say which version"},
	} {
		got := wantedVersion(*v.Versions, c.i, c.wish)
		kernel := ""
		if got.to != nil {
			kernel = got.to.Kernel
		}
		if kernel != c.kernel || kernel != "" && got.major != c.major || (got.why == "") != (c.says == "") || !strings.Contains(got.why, c.says) {
			t.Errorf("%s: %q, major %t, %q", c.name, kernel, got.major, got.why)
		}
	}
	// Where the running kernel names targets of the wanted major, only those will do.
	narrow := slices.Clone(*v.Versions)
	narrow[1].Targets = append(slices.Clone(narrow[1].Targets), "v15.6_r1.9")
	if got := wantedVersion(narrow, db, "15"); got.to == nil || got.to.Kernel != "v15.6_r1.9" {
		t.Errorf("%+v", got)
	}
	check(t, []ruling{
		{"not possible", see(ran, seenAs(), connected(), wishes("14.15"), versions), expected{do: Rest, phase: "Failed", reason: "UpgradeNotPossible", after: 10 * time.Minute}},
		{"back", see(ran, seenAs(), connected(), wishes("13"), versions), expected{do: Rest, phase: "Failed", reason: "UpgradeNotPossible"}},
		{"what was upgraded outside is enough", see(ran, seenAs(), connected(), wishes("14.2")), expected{do: Rest, phase: "Running"}},
		{"a resize goes first", see(ran, seenAs(func(i *cloud.Instance) { i.StorageGB = 10 }), connected(), wishes("14.13"), versions), expected{do: Resize}},
	})
	d := Decide(see(ran, seenAs(), connected(), wishes("15"), versions))
	if d.Do != Upgrade || d.Kernel != "v15.10_r1.2" || !d.Major || d.Show.Change.Kind != "Upgrade" {
		t.Errorf("%+v", d)
	}
}

func TestWindow(t *testing.T) {
	night := spec1(func(s *databasev1.PostgresDBSpec) { s.MaintenanceWindow = "23:30-01:00" })
	small := func(i *cloud.Instance) { i.StorageGB = 50 }
	if d := Decide(see(ran, night, seenAs(small), connected())); d.Window != (cloud.Window{From: "23:30", To: "01:00"}) || d.Show.Change.Window != "23:30-01:00" {
		t.Errorf("%+v %+v", d.Window, d.Show.Change)
	}
	if d := Decide(see(ran, night, seenAs(), connected(), wishes("15"), versions)); d.Window.From != "23:30" {
		t.Errorf("%+v", d.Window)
	}
	if d := Decide(see(ran, seenAs(small), connected())); d.Window != (cloud.Window{}) || d.Show.Change.Window != "" {
		t.Errorf("%+v", d)
	}
	ours := databasev1.CloudChange{Kind: "Resize", Target: "4C8G with 100 GB", Window: "23:30-01:00"}
	waits := seenAs(inState(cloud.StateWaiting))
	check(t, []ruling{
		{"waits", see(askedFor(ours, "Updating", 0), night, waits), expected{do: Rest, phase: "Updating", reason: "WaitingForWindow"}},
		{"the window was taken out", see(askedFor(ours, "WaitingForWindow", 0), waits), expected{do: SwitchNow, id: "postgres-1", phase: "Updating", reason: "SwitchingNow"}},
		{"that was said just now", see(askedFor(ours, "SwitchingNow", time.Second), waits), expected{do: Rest, reason: "SwitchingNow"}},
		{"and had no effect", see(askedFor(ours, "SwitchingNow", time.Hour), waits), expected{do: SwitchNow}},
		{"somebody else's wait is left alone", see(ran, waits), expected{do: Rest, phase: "Updating", reason: "WaitingForWindow"}},
	})
	d := Decide(see(askedFor(ours, "Updating", 0), night, waits))
	if !strings.Contains(d.Show.Message, "23:30-01:00") || !strings.Contains(d.Show.Message, "4C8G") {
		t.Error(d.Show.Message)
	}
}

func TestSynced(t *testing.T) {
	synced := func(v View) (status, reason string) {
		d := Decide(v)
		if d.Show == nil {
			return "", string(d.Do)
		}
		c := reconcile.GetCondition(Status(v, *d.Show).Conditions, ConditionSynced)
		if c == nil {
			return "", "none"
		}
		return string(c.Status), c.Reason
	}
	steady := func(v *View) {
		w := see(ran, seenAs(), connected())
		v.Object.Status = Status(w, *Decide(w).Show)
	}
	fast := seenAs(func(i *cloud.Instance) { i.CPU, i.MemoryGB = 4, 8 })
	newSpec := func(v *View) { v.Object.Generation++; v.Object.Spec.StorageGB = 500 }
	for name, c := range map[string]struct {
		v              View
		status, reason string
	}{
		"as the spec says":         {see(ran, steady, seenAs(), connected()), "True", reasonAsSpecified},
		"storage that grew":        {see(ran, steady, seenAs(func(i *cloud.Instance) { i.StorageGB = 500 }), connected()), "True", reasonAsSpecified},
		"changed in the console":   {see(ran, steady, fast, connected()), "False", reasonDrifted},
		"the spec is ahead":        {see(ran, steady, newSpec, seenAs(), connected()), "False", reasonUpdating},
		"just made":                {see(bought("Provisioning"), fast, connected(), found()), "False", reasonUpdating},
		"limited: nobody can tell": {see(ran, seenAs(inState(cloud.StateLimited)), connected()), "", "none"},
	} {
		if status, reason := synced(c.v); status != c.status || reason != c.reason {
			t.Errorf("%s: %s %s", name, status, reason)
		}
	}
	// It is drift until it is put right.
	v := see(ran, steady, fast, connected())
	d := Decide(v)
	if d.Event == nil || !d.Event.Warning || d.Event.Reason != reasonDrifted {
		t.Errorf("%+v", d.Event)
	}
	v.Object.Status = Status(v, *d.Show)
	v.Found = &[]cloud.Instance{}
	if status, reason := synced(v); status != "False" || reason != reasonDrifted {
		t.Error(status, reason)
	}
}
