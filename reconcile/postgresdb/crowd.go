package postgresdb

import (
	"context"

	"example.com/mote/crd/databasev1"
	"example.com/mote/reconcile"
)

// crowdRequests is how many requests the turns of all objects that nobody uses yet have
// under way at the API server: half of what all turns may. Ten thousand new databases
// write as fast as the API server can; what is written of others shall not stand in the
// queue behind hundreds of them.
const crowdRequests = 16

// crowd is the cluster of an object that nobody uses yet: its requests wait until the
// crowd has room for them.
type crowd struct {
	cluster
	room chan struct{}
}

// inUse tells whether an object has been of use to somebody, or is on its way out.
func inUse(phase string) bool {
	switch phase {
	case "", databasev1.PhasePending, databasev1.PhaseProvisioning:
		return false
	}
	return true
}

// enter waits for room, at most until ctx ends.
func (c crowd) enter(ctx context.Context) error {
	select {
	case c.room <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c crowd) leave() { <-c.room }

func (c crowd) PatchStatusChecked(ctx context.Context, wanted any) error {
	if err := c.enter(ctx); err != nil {
		return err
	}
	defer c.leave()
	return c.cluster.PatchStatusChecked(ctx, wanted)
}

func (c crowd) AddFinalizer(ctx context.Context, name string) error {
	if err := c.enter(ctx); err != nil {
		return err
	}
	defer c.leave()
	return c.cluster.AddFinalizer(ctx, name)
}

func (c crowd) RemoveFinalizer(ctx context.Context, name string) error {
	if err := c.enter(ctx); err != nil {
		return err
	}
	defer c.leave()
	return c.cluster.RemoveFinalizer(ctx, name)
}

func (c crowd) Event(ctx context.Context, kind reconcile.EventType, reason, action, note string) {
	if c.enter(ctx) != nil {
		return
	}
	defer c.leave()
	c.cluster.Event(ctx, kind, reason, action, note)
}

func (c crowd) ReadSecret(ctx context.Context, o *databasev1.PostgresDB) (*Secret, error) {
	if err := c.enter(ctx); err != nil {
		return nil, err
	}
	defer c.leave()
	return c.cluster.ReadSecret(ctx, o)
}

func (c crowd) CreateSecret(ctx context.Context, o *databasev1.PostgresDB, w SecretWrite) error {
	if err := c.enter(ctx); err != nil {
		return err
	}
	defer c.leave()
	return c.cluster.CreateSecret(ctx, o, w)
}

func (c crowd) WriteSecret(ctx context.Context, o *databasev1.PostgresDB, seen *Secret, w SecretWrite) error {
	if err := c.enter(ctx); err != nil {
		return err
	}
	defer c.leave()
	return c.cluster.WriteSecret(ctx, o, seen, w)
}
