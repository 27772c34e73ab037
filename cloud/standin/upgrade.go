package standin

import (
	"slices"
	"time"
)

type kernelParams struct {
	DBInstanceId, TargetDBKernelVersion string
	SwitchTag                           int
	SwitchStartTime, SwitchEndTime      string // HH:MM:SS
	DryRun                              bool
}

type taskResult struct{ TaskId int64 }

// upgradeKernel moves an instance to a later kernel of its major.
func upgradeKernel(t *turn, p kernelParams) (any, *apiError) {
	i, failed := t.resting(p.DBInstanceId)
	if failed != nil {
		return nil, failed
	}
	from, to := t.catalog.version(i.Kernel), t.catalog.version(p.TargetDBKernelVersion)
	if from == nil || to == nil || !slices.Contains(t.catalog.targets(*from), to.Kernel) {
		return nil, noTarget(i, p.TargetDBKernelVersion)
	}
	wait, failed := t.untilSwitch(p.SwitchTag, p.SwitchStartTime, p.SwitchEndTime)
	if failed != nil || p.DryRun {
		return taskResult{}, failed
	}
	return taskResult{t.upgrade("UpgradeKernelVersion", i, to, wait)}, nil
}

type majorParams struct {
	DBInstanceId, TargetDBKernelVersion             string
	UpgradeCheck                                    bool
	BackupBeforeUpgrade                             bool
	StatisticsRefreshOption, ExtensionUpgradeOption int
	UpgradeTimeOption                               int
	UpgradeTimeBegin, UpgradeTimeEnd                string // HH:MM:SS
}

// upgradeMajor moves an instance to a kernel of a later major. With
// UpgradeCheck it only checks, in a task of its own.
func upgradeMajor(t *turn, p majorParams) (any, *apiError) {
	i, failed := t.resting(p.DBInstanceId)
	if failed != nil {
		return nil, failed
	}
	to := t.catalog.version(p.TargetDBKernelVersion)
	if to == nil || to.Major <= i.Major || to.State == VersionDeprecated {
		return nil, noTarget(i, p.TargetDBKernelVersion)
	}
	wait, failed := t.untilSwitch(p.UpgradeTimeOption, p.UpgradeTimeBegin, p.UpgradeTimeEnd)
	if failed != nil {
		return nil, failed
	}
	if p.UpgradeCheck {
		return taskResult{t.checkOnly(i)}, nil
	}
	return taskResult{t.upgrade("UpgradeMajorVersion", i, to, wait)}, nil
}

// upgrade begins the work and returns its task.
func (t *turn) upgrade(kind string, i *instance, to *Version, wait time.Duration) int64 {
	taskID := t.startTask(kind, i, t.now, t.timing.Upgrade)
	end := step{At: t.now.Add(t.timing.Upgrade), Status: running, Do: doUpgrade, To: to, Task: taskID}
	t.world.begin(i, t.now, t.switched([]step{{At: t.now, Status: upgrading}}, end, wait)...)
	return taskID
}

// checkOnly is a task that leaves the instance alone.
func (t *turn) checkOnly(i *instance) int64 {
	id := t.startTask("UpgradeMajorVersionCheck", i, t.now, t.timing.Upgrade)
	k := t.world.Tasks[id]
	k.Status, k.End = taskSuccess, k.Due
	if t.failTask {
		k.Status = taskFail
	}
	return id
}

func noTarget(i *instance, kernel string) *apiError {
	return fail("InvalidParameterValue.InvalidParameterValueError",
		"The kernel `%s` is not an upgrade for the instance `%s` on `%s`.", kernel, i.ID, i.Kernel)
}
