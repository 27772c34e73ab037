package tencent

import "context"

// SetDeletionProtection turns the cloud's own protection on or off.
func (c *Client) SetDeletionProtection(ctx context.Context, region, id string, on bool) error {
	return c.change(ctx, region, id, modifyDeletionProtection, struct {
		DBInstanceId       string
		DeletionProtection bool
	}{id, on})
}

// ResetPassword gives an account a new password.
func (c *Client) ResetPassword(ctx context.Context, region, id, user, password string) error {
	return c.change(ctx, region, id, resetPassword, struct{ DBInstanceId, UserName, Password string }{id, user, password}, password)
}

// Isolate stops an instance and its billing.
func (c *Client) Isolate(ctx context.Context, region, id string) error {
	return c.change(ctx, region, id, isolateInstances, struct{ DBInstanceIdSet []string }{[]string{id}})
}

// Destroy ends an isolated instance and its data for good.
func (c *Client) Destroy(ctx context.Context, region, id string) error {
	return c.change(ctx, region, id, destroyInstance, struct{ DBInstanceId string }{id})
}

// Rename gives an instance another name.
func (c *Client) Rename(ctx context.Context, region, id, name string) error {
	return c.change(ctx, region, id, modifyName, struct{ DBInstanceId, InstanceName string }{id, name})
}

// SecurityGroups are the ids of an instance's security groups.
func (c *Client) SecurityGroups(ctx context.Context, region, id string) ([]string, error) {
	if id == "" {
		return nil, c.noID(region, describeSecurityGroups)
	}
	var answer struct {
		SecurityGroupSet []struct{ SecurityGroupId string }
	}
	if _, err := c.call(ctx, region, describeSecurityGroups, struct{ DBInstanceId string }{id}, &answer); err != nil {
		return nil, err
	}
	groups := make([]string, 0, len(answer.SecurityGroupSet))
	for _, g := range answer.SecurityGroupSet {
		groups = append(groups, g.SecurityGroupId)
	}
	return groups, nil
}

// SetSecurityGroups replaces all of an instance's security groups.
func (c *Client) SetSecurityGroups(ctx context.Context, region, id string, groups []string) error {
	return c.change(ctx, region, id, modifySecurityGroups, struct {
		DBInstanceId       string
		SecurityGroupIdSet []string
	}{id, groups})
}

// change makes a call about one instance of whose answer nothing is wanted.
func (c *Client) change(ctx context.Context, region, id string, a action, request any, secrets ...string) error {
	if id == "" {
		return c.noID(region, a)
	}
	_, err := c.call(ctx, region, a, request, nil, secrets...)
	return err
}

func (c *Client) noID(region string, a action) error {
	return c.refuse(region, a, "mote.NoInstance", "no instance was given")
}
