package postgresdb

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/mote/crd/databasev1"
	"example.com/mote/reconcile"
)

// slowCluster takes a second for each request, and counts.
type slowCluster struct {
	cluster
	mu            sync.Mutex
	now, most, in int
}

func (c *slowCluster) take() {
	c.mu.Lock()
	c.now, c.in = c.now+1, c.in+1
	c.most = max(c.most, c.now)
	c.mu.Unlock()
	time.Sleep(time.Second)
	c.mu.Lock()
	c.now--
	c.mu.Unlock()
}

func (c *slowCluster) PatchStatusChecked(context.Context, any) error { c.take(); return nil }
func (c *slowCluster) AddFinalizer(context.Context, string) error    { c.take(); return nil }
func (c *slowCluster) RemoveFinalizer(context.Context, string) error { c.take(); return nil }
func (c *slowCluster) Event(context.Context, reconcile.EventType, string, string, string) {
	c.take()
}
func (c *slowCluster) ReadSecret(context.Context, *databasev1.PostgresDB) (*Secret, error) {
	c.take()
	return &Secret{Exists: true}, nil
}
func (c *slowCluster) CreateSecret(context.Context, *databasev1.PostgresDB, SecretWrite) error {
	c.take()
	return nil
}
func (c *slowCluster) WriteSecret(context.Context, *databasev1.PostgresDB, *Secret, SecretWrite) error {
	c.take()
	return nil
}

// However many turns there are for objects that nobody uses yet, they have so many
// requests under way, and each of them gets through.
func TestCrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const turns = 3 * crowdRequests
		slow := &slowCluster{}
		c := crowd{slow, make(chan struct{}, crowdRequests)}
		began := time.Now()
		var all sync.WaitGroup
		for range turns {
			all.Go(func() {
				ctx := t.Context()
				s, err := c.ReadSecret(ctx, nil)
				if err != nil || s == nil || !s.Exists {
					t.Errorf("read %v, %v", s, err)
				}
				for what, err := range map[string]error{
					"create": c.CreateSecret(ctx, nil, SecretWrite{}), "write": c.WriteSecret(ctx, nil, nil, SecretWrite{}),
					"add": c.AddFinalizer(ctx, ""), "remove": c.RemoveFinalizer(ctx, ""), "patch": c.PatchStatusChecked(ctx, nil),
				} {
					if err != nil {
						t.Errorf("%s: %v", what, err)
					}
				}
				c.Event(ctx, reconcile.Normal, "", "", "")
			})
		}
		all.Wait()
		if slow.most != crowdRequests || slow.in != 7*turns || len(c.room) != 0 {
			t.Errorf("%d requests, %d at once, %d places are lost", slow.in, slow.most, len(c.room))
		}
		if took := time.Since(began); took != 7*turns/crowdRequests*time.Second {
			t.Errorf("took %s", took)
		}
	})
}

// A turn whose time is over does not wait for room.
func TestCrowdLeavesInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &slowCluster{}
		c := crowd{slow, make(chan struct{}, 1)}
		c.room <- struct{}{}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := c.PatchStatusChecked(ctx, nil); err != context.DeadlineExceeded {
			t.Error(err)
		}
		if _, err := c.ReadSecret(ctx, nil); err != context.DeadlineExceeded {
			t.Error(err)
		}
		c.Event(ctx, reconcile.Normal, "", "", "")
		if slow.in != 0 || len(c.room) != 1 {
			t.Errorf("%d requests, %d places taken", slow.in, len(c.room))
		}
	})
}

func TestInUse(t *testing.T) {
	for phase, want := range map[string]bool{"": false, databasev1.PhasePending: false, databasev1.PhaseProvisioning: false,
		databasev1.PhaseRunning: true, databasev1.PhaseUpdating: true, databasev1.PhaseFailed: true, databasev1.PhaseDeleting: true} {
		if inUse(phase) != want {
			t.Errorf("%q: %t", phase, !want)
		}
	}
}
