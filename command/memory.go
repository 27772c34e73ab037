package command

import (
	"errors"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"example.com/mote/check"
)

// memoryLimit is the limit of the cgroup.
func memoryLimit() check.Memory {
	limit, err := memlimit.FromCgroup()
	switch {
	case err == nil && limit < 1<<60: // cgroup v1 says so of none
		return check.Memory{Limit: limit}
	case err == nil, errors.Is(err, memlimit.ErrNoLimit), errors.Is(err, memlimit.ErrNoCgroup), errors.Is(err, memlimit.ErrCgroupsNotSupported):
		return check.Memory{}
	}
	return check.Memory{Trouble: err.Error()}
}
