package tencent

import "example.com/mote/cloud"

// states is DBInstanceStatus in our words; the cloud's words are those of the
// SDK's doc comment of that field. An instance that is offlining or recycling
// cannot be had back, but it is not gone before the cloud says so.
var states = map[string]cloud.State{
	"applying": cloud.StateProvisioning,
	"init":     cloud.StateProvisioning,
	"initing":  cloud.StateProvisioning,

	"running":     cloud.StateRunning,
	"limited run": cloud.StateLimited,
	"readonly":    cloud.StateLimited,

	"job running":         cloud.StateBusy,
	"expanding":           cloud.StateBusy,
	"waitSwitch":          cloud.StateWaiting,
	"switching":           cloud.StateBusy,
	"restarting":          cloud.StateBusy,
	"network changing":    cloud.StateBusy,
	"upgrading":           cloud.StateBusy,
	"audit-switching":     cloud.StateBusy,
	"primary-switching":   cloud.StateBusy,
	"deployment changing": cloud.StateBusy,
	"parameter modifying": cloud.StateBusy,
	"log-switching":       cloud.StateBusy,
	"migrating":           cloud.StateBusy,
	"cloning":             cloud.StateBusy,
	"restoring":           cloud.StateBusy,
	"recycling":           cloud.StateBusy,
	"offlining":           cloud.StateBusy,

	"isolating":    cloud.StateIsolating,
	"isolated":     cloud.StateIsolated,
	"disisolating": cloud.StateRestoring,

	"recycled": cloud.StateGone,
	"offline":  cloud.StateGone,
}

// stateOf is a status in our words; StateUnknown for one we do not know.
func stateOf(status string) cloud.State {
	if s, ok := states[status]; ok {
		return s
	}
	return cloud.StateUnknown
}
