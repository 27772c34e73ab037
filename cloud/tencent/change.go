package tencent

import (
	"context"

	"example.com/mote/cloud"
)

// Resize asks for a new size, to be switched to as soon as it is ready.
func (c *Client) Resize(ctx context.Context, region, id string, s cloud.Size) error {
	return c.change(ctx, region, id, modifySpec, struct {
		DBInstanceId         string
		Cpu, Memory, Storage int // cores, GB, GB
		SwitchTag            int // 0: now
	}{id, s.CPU, s.MemoryGB, s.StorageGB, 0})
}

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
