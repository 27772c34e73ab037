package standin

// resting finds an instance that a change can be made to now.
func (t *turn) resting(id string) (*instance, *apiError) {
	i, failed := t.find(id)
	if failed != nil {
		return nil, failed
	}
	if !i.resting() {
		return nil, busy(i)
	}
	return i, nil
}

func busy(i *instance) *apiError {
	return fail("OperationDenied.InstanceStatusLimitError", "The status `%s` of the instance `%s` does not allow this operation.", i.Status, i.ID)
}

func modifyName(t *turn, p struct{ DBInstanceId, InstanceName string }) (any, *apiError) {
	i, failed := t.resting(p.DBInstanceId)
	if failed != nil {
		return nil, failed
	}
	if failed := checkName(p.InstanceName); failed != nil {
		return nil, failed
	}
	i.Name, i.Updated = p.InstanceName, t.now
	return empty{}, nil
}

// modifyProtection works on isolated instances too: an instance that was
// isolated in the console keeps its protection.
func modifyProtection(t *turn, p struct {
	DBInstanceId       string
	DeletionProtection bool
}) (any, *apiError) {
	i, failed := t.find(p.DBInstanceId)
	if failed != nil {
		return nil, failed
	}
	if !i.resting() && i.Status != isolated {
		return nil, busy(i)
	}
	i.Protected, i.Updated = p.DeletionProtection, t.now
	return empty{}, nil
}

func resetPassword(t *turn, p struct{ DBInstanceId, UserName, Password string }) (any, *apiError) {
	i, failed := t.resting(p.DBInstanceId)
	if failed != nil {
		return nil, failed
	}
	if p.UserName != i.Admin {
		return nil, fail("InvalidParameterValue.AccountNotExistError", "The account `%s` does not exist.", p.UserName)
	}
	if failed := checkPassword(p.Password); failed != nil {
		return nil, failed
	}
	i.PasswordHash, i.Updated = hash([]byte(p.Password)), t.now
	return empty{}, nil
}

func modifySecurityGroups(t *turn, p struct {
	SecurityGroupIdSet            []string
	DBInstanceId, ReadOnlyGroupId string
}) (any, *apiError) {
	if p.DBInstanceId == "" {
		return nil, fail("MissingParameter", "The request is missing a required parameter `DBInstanceId`.")
	}
	i, failed := t.resting(p.DBInstanceId)
	if failed != nil {
		return nil, failed
	}
	if failed := checkSecurityGroups(p.SecurityGroupIdSet); failed != nil {
		return nil, failed
	}
	i.SecurityGroups, i.Updated = t.groupsAsKept(p.SecurityGroupIdSet), t.now
	return empty{}, nil
}
