package standin

// one takes the single id that the isolation calls allow.
func one(ids []string) (string, *apiError) {
	if len(ids) != 1 {
		return "", fail("InvalidParameterValue.ParameterOutRangeError", "DBInstanceIdSet takes exactly one id, not %d.", len(ids))
	}
	return ids[0], nil
}

func protected(i *instance) *apiError {
	return fail("OperationDenied.InstanceStatusDeniedError", "The instance `%s` has deletion protection on.", i.ID)
}

// isolateInstances stops an instance and puts it into the recycle bin.
func isolateInstances(t *turn, p struct{ DBInstanceIdSet []string }) (any, *apiError) {
	id, failed := one(p.DBInstanceIdSet)
	if failed != nil {
		return nil, failed
	}
	i, failed := t.resting(id)
	if failed != nil {
		return nil, failed
	}
	if i.Protected {
		return nil, protected(i)
	}
	t.world.begin(i, t.now, t.timing.isolation(i, t.now)...)
	return empty{}, nil
}

// disIsolateInstances takes an instance out of the recycle bin.
func disIsolateInstances(t *turn, p struct {
	DBInstanceIdSet []string
	Period          *int
	AutoVoucher     bool
	VoucherIds      []string
}) (any, *apiError) {
	id, failed := one(p.DBInstanceIdSet)
	if failed != nil {
		return nil, failed
	}
	i, failed := t.find(id)
	if failed != nil {
		return nil, failed
	}
	if i.Status != isolated {
		return nil, busy(i)
	}
	t.world.begin(i, t.now, t.timing.restoration(t.now)...)
	return empty{}, nil
}

// destroyInstance ends an isolated instance and its data.
func destroyInstance(t *turn, p struct{ DBInstanceId string }) (any, *apiError) {
	i, failed := t.find(p.DBInstanceId)
	if failed != nil {
		return nil, failed
	}
	if i.Status != isolated {
		return nil, busy(i)
	}
	if i.Protected {
		return nil, protected(i)
	}
	taskID := t.startTask("DestroyInstance", i, t.now, t.timing.Destroy)
	t.world.begin(i, t.now, t.timing.destruction(t.now, taskID)...)
	return empty{}, nil
}
