package cloud

import "context"

// The calls of Postgres, each through the Gate.

// Subnet is Postgres.Subnet.
func (g *Gate) Subnet(ctx context.Context, region, subnetID string) (Subnet, error) {
	return remembered(g, region, "Subnet", func() (Subnet, error) { return g.Postgres.Subnet(ctx, region, subnetID) })
}

// Classes is Postgres.Classes.
func (g *Gate) Classes(ctx context.Context, region, zone, major string) ([]InstanceClass, error) {
	return remembered(g, region, "Classes", func() ([]InstanceClass, error) { return g.Postgres.Classes(ctx, region, zone, major) })
}

// Versions is Postgres.Versions.
func (g *Gate) Versions(ctx context.Context, region string) ([]Version, error) {
	return remembered(g, region, "Versions", func() ([]Version, error) { return g.Postgres.Versions(ctx, region) })
}

// Create is Postgres.Create. One that is not made has certainly bought nothing.
func (g *Gate) Create(ctx context.Context, region string, r CreateRequest) (Created, error) {
	return through(g, region, "Create", func() (Created, error) { return g.Postgres.Create(ctx, region, r) })
}

// Orders is Postgres.Orders.
func (g *Gate) Orders(ctx context.Context, region string, names []string) ([]string, error) {
	return through(g, region, "Orders", func() ([]string, error) { return g.Postgres.Orders(ctx, region, names) })
}

// Find is Postgres.Find.
func (g *Gate) Find(ctx context.Context, region, name string) ([]Instance, error) {
	return through(g, region, "Find", func() ([]Instance, error) { return g.Postgres.Find(ctx, region, name) })
}

// Get is Postgres.Get.
func (g *Gate) Get(ctx context.Context, region, id string) (Instance, error) {
	return through(g, region, "Get", func() (Instance, error) { return g.Postgres.Get(ctx, region, id) })
}

// List is Postgres.List.
func (g *Gate) List(ctx context.Context, region string, ids []string) ([]Instance, error) {
	return through(g, region, "List", func() ([]Instance, error) { return g.Postgres.List(ctx, region, ids) })
}

// Resize is Postgres.Resize.
func (g *Gate) Resize(ctx context.Context, region, id string, s Size, w Window) error {
	return g.do(region, "Resize", func() error { return g.Postgres.Resize(ctx, region, id, s, w) })
}

// Upgrade is Postgres.Upgrade.
func (g *Gate) Upgrade(ctx context.Context, region, id, kernel string, major bool, w Window) (int64, error) {
	return through(g, region, "Upgrade", func() (int64, error) { return g.Postgres.Upgrade(ctx, region, id, kernel, major, w) })
}

// Task is Postgres.Task.
func (g *Gate) Task(ctx context.Context, region, id string, task int64) (TaskStatus, error) {
	return through(g, region, "Task", func() (TaskStatus, error) { return g.Postgres.Task(ctx, region, id, task) })
}

// SwitchNow is Postgres.SwitchNow.
func (g *Gate) SwitchNow(ctx context.Context, region, id string) error {
	return g.do(region, "SwitchNow", func() error { return g.Postgres.SwitchNow(ctx, region, id) })
}

// Rename is Postgres.Rename.
func (g *Gate) Rename(ctx context.Context, region, id, name string) error {
	return g.do(region, "Rename", func() error { return g.Postgres.Rename(ctx, region, id, name) })
}

// SetTags is Postgres.SetTags.
func (g *Gate) SetTags(ctx context.Context, region, id string, set map[string]string, drop []string) error {
	return g.do(region, "SetTags", func() error { return g.Postgres.SetTags(ctx, region, id, set, drop) })
}

// SecurityGroups is Postgres.SecurityGroups.
func (g *Gate) SecurityGroups(ctx context.Context, region, id string) ([]string, error) {
	return through(g, region, "SecurityGroups", func() ([]string, error) { return g.Postgres.SecurityGroups(ctx, region, id) })
}

// SetSecurityGroups is Postgres.SetSecurityGroups.
func (g *Gate) SetSecurityGroups(ctx context.Context, region, id string, groups []string) error {
	return g.do(region, "SetSecurityGroups", func() error { return g.Postgres.SetSecurityGroups(ctx, region, id, groups) })
}

// SetDeletionProtection is Postgres.SetDeletionProtection.
func (g *Gate) SetDeletionProtection(ctx context.Context, region, id string, on bool) error {
	return g.do(region, "SetDeletionProtection", func() error { return g.Postgres.SetDeletionProtection(ctx, region, id, on) })
}

// ResetPassword is Postgres.ResetPassword.
func (g *Gate) ResetPassword(ctx context.Context, region, id, user, password string) error {
	return g.do(region, "ResetPassword", func() error { return g.Postgres.ResetPassword(ctx, region, id, user, password) })
}

// Isolate is Postgres.Isolate.
func (g *Gate) Isolate(ctx context.Context, region, id string) error {
	return g.do(region, "Isolate", func() error { return g.Postgres.Isolate(ctx, region, id) })
}

// Destroy is Postgres.Destroy.
func (g *Gate) Destroy(ctx context.Context, region, id string) error {
	return g.do(region, "Destroy", func() error { return g.Postgres.Destroy(ctx, region, id) })
}
