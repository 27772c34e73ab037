package tencent

import (
	"time"

	"example.com/mote/cloud"
)

// rates are the documented calls a second, for each action, region and
// sub-account (API documentation of each action, "rate limit").
var rates = map[string]int{
	describeInstances.name: 1000,
	describeInstance.name:  1000,
	describeClasses.name:   1000,

	createInstances.name:  100,
	isolateInstances.name: 100,
	modifySpec.name:       100,
	modifyName.name:       100,
	modifySwitchTime.name: 100,
	upgradeKernel.name:    100,

	destroyInstance.name:          50,
	modifyDeletionProtection.name: 20,
	upgradeMajor.name:             20,
	describeTasks.name:            20,
	modifyTags.name:               20,
}

// otherRate is for the actions whose rate was not found: the lowest documented one.
const otherRate = 20

// NewLimits are the documented rates; now is the clock, nil is time.Now.
func NewLimits(now func() time.Time) *cloud.Limits {
	return cloud.NewLimits(rates, otherRate, now)
}
