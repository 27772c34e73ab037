package standin

import (
	"cmp"
	"slices"
	"time"
)

// The states of a task.
const (
	taskRunning    = "Running"
	taskWaitSwitch = "WaitSwitch"
	taskSuccess    = "Success"
	taskFail       = "Fail"
)

// task is a piece of asynchronous work.
type task struct {
	ID               int64
	Type, InstanceID string
	Start, Due, End  time.Time // End is zero while nobody knows it
	Status           string    // at End; see at
}

func (k *task) over() bool { return k.Status == taskSuccess || k.Status == taskFail }

// at is the task's status at a time: one that is sure to end still runs until then.
func (k *task) at(now time.Time) string {
	if k.over() && now.Before(k.End) {
		return taskRunning
	}
	return k.Status
}

// startTask notes work on an instance that is to take d from start on.
func (t *turn) startTask(kind string, i *instance, start time.Time, d time.Duration) int64 {
	k := &task{ID: t.world.serial(), Type: kind, InstanceID: i.ID, Start: start, Due: start.Add(d), Status: taskRunning}
	t.world.Tasks[k.ID] = k
	return k.ID
}

// progress is how far a task is, in percent.
func (k *task) progress(now time.Time) int {
	if k.at(now) == taskSuccess {
		return 100
	}
	whole := k.Due.Sub(k.Start)
	if whole <= 0 {
		return 0
	}
	done := min(now.Sub(k.Start), whole)
	return max(0, min(99, int(100*done/whole)))
}

type taskParams struct {
	TaskId               int64
	DBInstanceId         string
	MinStartTime         string
	MaxStartTime         string
	Limit, Offset        *int
	OrderBy, OrderByType string
}

func describeTasks(t *turn, p taskParams) (any, *apiError) {
	limit, offset := 20, 0
	if p.Limit != nil {
		limit = *p.Limit
	}
	if p.Offset != nil {
		offset = *p.Offset
	}
	if limit < 1 || limit > 100 {
		return nil, outOfRange("Limit", limit)
	}
	if offset < 0 {
		return nil, outOfRange("Offset", offset)
	}
	type wireTask struct {
		TaskId                                             int64
		TaskType, DBInstanceId, StartTime, EndTime, Status string
		Progress                                           int
		TaskDetail                                         empty
	}
	t.world.settled(t.now)
	var found []*task
	for _, k := range t.world.Tasks {
		i := t.world.Instances[k.InstanceID]
		if i.Region == t.region.Name && !t.now.Before(k.Start) &&
			(p.TaskId == 0 || p.TaskId == k.ID) && (p.DBInstanceId == "" || p.DBInstanceId == k.InstanceID) {
			found = append(found, k)
		}
	}
	slices.SortFunc(found, func(a, b *task) int { return cmp.Compare(b.ID, a.ID) })
	if p.OrderByType == "asc" {
		slices.Reverse(found)
	}
	set := []wireTask{}
	for _, k := range found[min(offset, len(found)):min(offset+limit, len(found))] {
		w := wireTask{TaskId: k.ID, TaskType: k.Type, DBInstanceId: k.InstanceID, StartTime: stamp(k.Start),
			Status: k.at(t.now), Progress: k.progress(t.now)}
		if w.Status == taskSuccess || w.Status == taskFail {
			w.EndTime = stamp(k.End)
		}
		set = append(set, w)
	}
	return struct {
		TotalCount int
		TaskSet    []wireTask
	}{len(found), set}, nil
}
