package look

import (
	"context"
	"errors"
	"time"

	"example.com/mote/cloud"
)

// Patient is a cloud that is looked at no faster than it allows: a call that is turned
// away for its rate, by the cloud or before it is sent, is made again after a wait.
type Patient struct {
	Reader cloud.Reader
	Pricer cloud.Pricer
}

// Bounds of the waits.
const (
	shortestWait = 100 * time.Millisecond
	tries        = 20
)

// patiently makes a call until it is not turned away for its rate any more, at most so
// many times.
func patiently[T any](ctx context.Context, call func() (T, error)) (v T, err error) {
	for range tries {
		if v, err = call(); cloud.ClassOf(err) != cloud.Throttled {
			return v, err
		}
		wait := shortestWait
		if e := (*cloud.Error)(nil); errors.As(err, &e) {
			wait = max(wait, e.RetryAfter)
		}
		select {
		case <-ctx.Done():
			return v, err
		case <-time.After(wait):
		}
	}
	return v, err
}

// Subnet is cloud.Reader's.
func (p Patient) Subnet(ctx context.Context, region, subnetID string) (cloud.Subnet, error) {
	return patiently(ctx, func() (cloud.Subnet, error) { return p.Reader.Subnet(ctx, region, subnetID) })
}

// Classes is cloud.Reader's.
func (p Patient) Classes(ctx context.Context, region, zone, major string) ([]cloud.InstanceClass, error) {
	return patiently(ctx, func() ([]cloud.InstanceClass, error) { return p.Reader.Classes(ctx, region, zone, major) })
}

// Versions is cloud.Reader's.
func (p Patient) Versions(ctx context.Context, region string) ([]cloud.Version, error) {
	return patiently(ctx, func() ([]cloud.Version, error) { return p.Reader.Versions(ctx, region) })
}

// Orders is cloud.Reader's.
func (p Patient) Orders(ctx context.Context, region string, names []string) ([]string, error) {
	return patiently(ctx, func() ([]string, error) { return p.Reader.Orders(ctx, region, names) })
}

// Find is cloud.Reader's.
func (p Patient) Find(ctx context.Context, region, name string) ([]cloud.Instance, error) {
	return patiently(ctx, func() ([]cloud.Instance, error) { return p.Reader.Find(ctx, region, name) })
}

// Get is cloud.Reader's.
func (p Patient) Get(ctx context.Context, region, id string) (cloud.Instance, error) {
	return patiently(ctx, func() (cloud.Instance, error) { return p.Reader.Get(ctx, region, id) })
}

// List is cloud.Reader's.
func (p Patient) List(ctx context.Context, region string, ids []string) ([]cloud.Instance, error) {
	return patiently(ctx, func() ([]cloud.Instance, error) { return p.Reader.List(ctx, region, ids) })
}

// Task is cloud.Reader's.
func (p Patient) Task(ctx context.Context, region, id string, task int64) (cloud.TaskStatus, error) {
	return patiently(ctx, func() (cloud.TaskStatus, error) { return p.Reader.Task(ctx, region, id, task) })
}

// SecurityGroups is cloud.Reader's.
func (p Patient) SecurityGroups(ctx context.Context, region, id string) ([]string, error) {
	return patiently(ctx, func() ([]string, error) { return p.Reader.SecurityGroups(ctx, region, id) })
}

// Price is cloud.Pricer's.
func (p Patient) Price(ctx context.Context, region string, of cloud.Priced) (cloud.Price, error) {
	return patiently(ctx, func() (cloud.Price, error) { return p.Pricer.Price(ctx, region, of) })
}
