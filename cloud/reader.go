package cloud

import "context"

// Reader is the part of Postgres that changes nothing. Who only has to look gets
// no more than this.
type Reader interface {
	Subnet(ctx context.Context, region, subnetID string) (Subnet, error)
	Classes(ctx context.Context, region, zone, major string) ([]InstanceClass, error)
	Versions(ctx context.Context, region string) ([]Version, error)
	Orders(ctx context.Context, region string, names []string) ([]string, error)
	Find(ctx context.Context, region, name string) ([]Instance, error)
	Get(ctx context.Context, region, id string) (Instance, error)
	List(ctx context.Context, region string, ids []string) ([]Instance, error)
	Task(ctx context.Context, region, id string, task int64) (TaskStatus, error)
	SecurityGroups(ctx context.Context, region, id string) ([]string, error)
}

var _ Reader = Postgres(nil)

// Pricer tells what an instance costs. The controller has no need of it.
type Pricer interface {
	// Price is that of one instance: of an hour of it, or of a month when it is
	// prepaid. Nothing is bought or reserved by asking.
	Price(ctx context.Context, region string, of Priced) (Price, error)
}

// Priced is what a price is asked for.
type Priced struct {
	Zone, SpecCode string
	StorageGB      int
	ChargeType     ChargeType
}

// Price is an amount of money, in hundredths of the currency's unit.
type Price struct {
	Cents    int64
	Currency string // "CNY"
}
