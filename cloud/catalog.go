package cloud

import (
	"context"
	"slices"
	"time"
)

// Catalog is a Postgres that remembers what rarely changes: Subnet, Classes and
// Versions. Everything else goes straight through. Failures are never
// remembered, and misses at the same time share one call.
type Catalog struct {
	Postgres
	subnets  *memo[Subnet]
	classes  *memo[[]InstanceClass]
	versions *memo[[]Version]
}

// CatalogOptions is how long and how much a Catalog remembers; zero values
// stand for the defaults.
type CatalogOptions struct {
	TTL time.Duration    // how long an answer is good for; default 1 h
	Max int              // answers kept of each of the three kinds; default 512
	Now func() time.Time // default time.Now
}

// NewCatalog wraps api.
func NewCatalog(api Postgres, o CatalogOptions) *Catalog {
	if o.TTL <= 0 {
		o.TTL = time.Hour
	}
	if o.Max <= 0 {
		o.Max = 512
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Catalog{
		Postgres: api,
		subnets:  newMemo[Subnet]("Subnet", o),
		classes:  newMemo[[]InstanceClass]("Classes", o),
		versions: newMemo[[]Version]("Versions", o),
	}
}

// Subnet is Postgres.Subnet, remembered.
func (c *Catalog) Subnet(ctx context.Context, region, subnetID string) (Subnet, error) {
	return c.subnets.get(ctx, memoKey{region, subnetID}, func(ctx context.Context) (Subnet, error) {
		return c.Postgres.Subnet(ctx, region, subnetID)
	})
}

// Classes is Postgres.Classes, remembered. The slice is the caller's own.
func (c *Catalog) Classes(ctx context.Context, region, zone, major string) ([]InstanceClass, error) {
	all, err := c.classes.get(ctx, memoKey{region, zone + "/" + major}, func(ctx context.Context) ([]InstanceClass, error) {
		return c.Postgres.Classes(ctx, region, zone, major)
	})
	return slices.Clone(all), err
}

// Versions is Postgres.Versions, remembered. The slice is the caller's own.
func (c *Catalog) Versions(ctx context.Context, region string) ([]Version, error) {
	all, err := c.versions.get(ctx, memoKey{region: region}, func(ctx context.Context) ([]Version, error) {
		return c.Postgres.Versions(ctx, region)
	})
	return slices.Clone(all), err
}

// CreateWait is that of the wrapped cloud, zero when it is no Pacer.
func (c *Catalog) CreateWait(region string) time.Duration {
	if p, ok := c.Postgres.(Pacer); ok {
		return p.CreateWait(region)
	}
	return 0
}

// Forget drops all that is remembered of a region: for when the cloud refuses
// what the memory said it would take.
func (c *Catalog) Forget(region string) {
	c.subnets.forget(region)
	c.classes.forget(region)
	c.versions.forget(region)
}
