package tencent

import (
	"context"

	"example.com/mote/cloud"
)

// When a change is switched to (SwitchTag, UpgradeTimeOption): at once, or in the
// window that the call names.
const (
	switchNow      = 0
	switchInWindow = 1
)

// switching is when a change is switched to, as most actions take it. The times are
// HH:MM:SS, by the cloud's clock.
type switching struct {
	SwitchTag       int
	SwitchStartTime string `json:",omitempty"`
	SwitchEndTime   string `json:",omitempty"`
}

func switchIn(w cloud.Window) switching {
	if w == (cloud.Window{}) {
		return switching{SwitchTag: switchNow}
	}
	return switching{switchInWindow, w.From + ":00", w.To + ":00"}
}

// Resize asks for a new size.
func (c *Client) Resize(ctx context.Context, region, id string, s cloud.Size, w cloud.Window) error {
	return c.change(ctx, region, id, modifySpec, struct {
		DBInstanceId         string
		Cpu, Memory, Storage int // cores, GB, GB
		switching
	}{id, s.CPU, s.MemoryGB, s.StorageGB, switchIn(w)})
}

// Upgrade asks for another kernel. To one of a later major version a backup is
// made first: there is no way back but to restore it.
func (c *Client) Upgrade(ctx context.Context, region, id, kernel string, major bool, w cloud.Window) (int64, error) {
	a := upgradeKernel
	var request any = struct {
		DBInstanceId, TargetDBKernelVersion string
		switching
	}{id, kernel, switchIn(w)}
	if major {
		when := switchIn(w)
		a = upgradeMajor
		request = struct {
			DBInstanceId, TargetDBKernelVersion string
			UpgradeCheck                        bool // true would only check
			BackupBeforeUpgrade                 bool
			UpgradeTimeOption                   int
			UpgradeTimeBegin                    string `json:",omitempty"`
			UpgradeTimeEnd                      string `json:",omitempty"`
		}{id, kernel, false, true, when.SwitchTag, when.SwitchStartTime, when.SwitchEndTime}
	}
	if id == "" {
		return 0, c.noID(region, a)
	}
	var answer struct{ TaskId int64 }
	_, err := c.call(ctx, region, a, request, &answer)
	return answer.TaskId, err
}

// Task tells how a task stands. One that the cloud does not show yet runs.
func (c *Client) Task(ctx context.Context, region, id string, task int64) (cloud.TaskStatus, error) {
	if id == "" {
		return "", c.noID(region, describeTasks)
	}
	var answer struct {
		TaskSet []struct {
			TaskId int64
			Status string // Running, Success, WaitSwitch, Fail, Pause
		}
	}
	request := struct {
		TaskId       int64
		DBInstanceId string
		Limit        int
	}{task, id, 100}
	if _, err := c.call(ctx, region, describeTasks, request, &answer); err != nil {
		return "", err
	}
	for _, t := range answer.TaskSet {
		switch {
		case t.TaskId != task:
		case t.Status == "Success":
			return cloud.TaskDone, nil
		case t.Status == "Fail":
			return cloud.TaskFailed, nil
		}
	}
	return cloud.TaskRunning, nil
}

// SwitchNow ends the wait of a change for its window.
func (c *Client) SwitchNow(ctx context.Context, region, id string) error {
	return c.change(ctx, region, id, modifySwitchTime, struct {
		DBInstanceId string
		SwitchTag    int
	}{id, switchNow})
}
