package standin

import (
	"fmt"
	"time"
)

type specParams struct {
	DBInstanceId                   string
	Memory, Storage, Cpu           int // GB, GB, cores; Cpu 0 takes the first size with that memory
	AutoVoucher, ActivityId        int
	VoucherIds                     []string
	SwitchTag                      int
	SwitchStartTime, SwitchEndTime string // HH:MM:SS
}

// modifySpec changes an instance's size. Storage never shrinks.
func modifySpec(t *turn, p specParams) (any, *apiError) {
	i, failed := t.resting(p.DBInstanceId)
	if failed != nil {
		return nil, failed
	}
	class := t.catalog.classBySize(p.Cpu, p.Memory*1024)
	if class == nil {
		return nil, fail("InvalidParameterValue.BadSpec", "No class with %d cores and %d GB is for sale.", p.Cpu, p.Memory)
	}
	if p.Storage < i.Size.StorageGB {
		return nil, fail("InvalidParameterValue.InvalidInstanceVolume", "The storage cannot shrink from %d to %d GB.", i.Size.StorageGB, p.Storage)
	}
	if failed := checkStorage(class, p.Storage); failed != nil {
		return nil, failed
	}
	wait, failed := t.untilSwitch(p.SwitchTag, p.SwitchStartTime, p.SwitchEndTime)
	if failed != nil {
		return nil, failed
	}
	taskID := t.startTask("ModifyInstanceSpec", i, t.now, t.timing.Resize)
	half := t.timing.Resize / 2
	end := step{At: t.now.Add(t.timing.Resize), Status: running, Do: doResize, Task: taskID,
		Size: size{t.region.zone(i.Zone).specCode(i.Major, *class), class.CPU, class.MemoryMB, p.Storage}}
	plan := []step{{At: t.now, Status: expanding}, {At: t.now.Add(half), Status: jobRunning}}
	t.world.begin(i, t.now, t.switched(plan, end, wait)...)
	deal := fmt.Sprintf("%s%09d", t.now.In(apiZone).Format("20060102"), t.world.serial())
	return struct{ DealName, BillId string }{deal, ""}, nil
}

// untilSwitch is how long a switch waits: not at all, until a time of day, or
// until the maintenance window.
func (t *turn) untilSwitch(tag int, start, end string) (time.Duration, *apiError) {
	switch tag {
	case 0:
		return 0, nil
	case 1:
		from, err := time.Parse(time.TimeOnly, start)
		if err != nil {
			return 0, fail("InvalidParameterValue.InvalidParameterValueError", "SwitchStartTime `%s` is not HH:MM:SS.", start)
		}
		if _, err := time.Parse(time.TimeOnly, end); err != nil {
			return 0, fail("InvalidParameterValue.InvalidParameterValueError", "SwitchEndTime `%s` is not HH:MM:SS.", end)
		}
		return t.untilTimeOfDay(from.Sub(from.Truncate(24 * time.Hour))), nil
	case 2:
		return t.untilTimeOfDay(t.timing.MaintenanceStart), nil
	}
	return 0, outOfRange("SwitchTag", tag)
}

// untilTimeOfDay is how long it is until a time of day, in the API's zone.
func (t *turn) untilTimeOfDay(d time.Duration) time.Duration {
	now := t.now.In(apiZone)
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, apiZone)
	at := midnight.Add(d)
	if at.Before(now) {
		at = at.Add(24 * time.Hour)
	}
	return at.Sub(now)
}

// switched ends a plan with the switch-over: at once when its work is done, or
// after a wait from now, for which the instance stands in waitSwitch.
func (t *turn) switched(plan []step, end step, wait time.Duration) []step {
	end.TaskStatus = taskSuccess
	if t.failTask {
		end = step{At: end.At, Status: end.Status, Task: end.Task, TaskStatus: taskFail}
	}
	ready := end.At
	if at := t.now.Add(wait); wait > 0 {
		if at.Before(ready) {
			at = ready
		}
		plan = append(plan, step{At: ready, Status: waitSwitch, Task: end.Task, TaskStatus: taskWaitSwitch})
		plan = append(plan, step{At: at, Status: switching, Task: end.Task, TaskStatus: taskRunning})
		end.At = at.Add(t.timing.Resize / 5) // the switch itself is short
	}
	return append(plan, end)
}

// switchNow ends waitSwitch: what remains of the plan comes at once.
func (w *world) switchNow(i *instance, now time.Time) {
	if len(i.Plan) == 0 { // the status was set by hand
		i.Status = running
		return
	}
	early := i.Plan[0].At.Sub(now)
	for n := range i.Plan {
		i.Plan[n].At = i.Plan[n].At.Add(-early)
	}
	w.settle(i, now)
}

// modifySwitchTime ends waitSwitch.
func modifySwitchTime(t *turn, p struct {
	DBInstanceId string
	SwitchTag    int
}) (any, *apiError) {
	i, failed := t.find(p.DBInstanceId)
	if failed != nil {
		return nil, failed
	}
	if p.SwitchTag != 0 {
		return nil, outOfRange("SwitchTag", p.SwitchTag)
	}
	if i.Status != waitSwitch {
		return nil, busy(i)
	}
	t.world.switchNow(i, t.now)
	return empty{}, nil
}
