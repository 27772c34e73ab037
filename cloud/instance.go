package cloud

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
)

// State is an instance's condition in the few words that decisions need.
type State string

// The states. Busy means that the cloud is changing the instance and refuses
// any other change; Isolated instances are stopped, unbilled and recoverable.
const (
	StateProvisioning State = "Provisioning"
	StateRunning      State = "Running"
	StateLimited      State = "Limited" // runs, but degraded (read-only, limited run)
	StateBusy         State = "Busy"
	StateWaiting      State = "Waiting" // busy: a change is ready and waits for its time of day
	StateIsolating    State = "Isolating"
	StateIsolated     State = "Isolated"
	StateRestoring    State = "Restoring" // coming back from isolation
	StateGone         State = "Gone"      // recycled, offline, or not known any more
	StateUnknown      State = "Unknown"   // a word that we do not know: nothing is done to it
)

// Instance is one database instance as the cloud reports it.
type Instance struct {
	ID, Name                      string
	Region, Zone, VPCID, SubnetID string
	State                         State
	Status                        string // the cloud's own word for State
	CPU, MemoryGB, StorageGB      int
	Major, Version, Kernel        string // "14", "14.1", "v14.1_r1.8"
	Host                          string // private address; empty until it is open
	Port                          int    // 0 while Host is empty
	ChargeType                    ChargeType
	DeletionProtection            bool
	Tags                          map[string]string
}

// Endpoint is "host:port", or empty while the instance has no open address.
func (i Instance) Endpoint() string {
	if i.Host == "" || i.Port == 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d", i.Host, i.Port)
}

// ClassName is the size in the words of our own API: "2C4G".
func (i Instance) ClassName() string { return fmt.Sprintf("%dC%dG", i.CPU, i.MemoryGB) }

// Fingerprint sums up what a reconciler acts upon: two observations with the same
// fingerprint need no turn. The order in which tags are listed does not count. It
// has 48 bits, and is neither 0 nor Absent.
func (i Instance) Fingerprint() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s|%s|%s|%d|%s|%s|%s|%t", i.Name, i.State, i.ClassName(), i.StorageGB, i.Version, i.Kernel, i.Endpoint(), i.DeletionProtection)
	for _, k := range slices.Sorted(maps.Keys(i.Tags)) {
		fmt.Fprintf(h, "|%q=%q", k, i.Tags[k])
	}
	return max(h.Sum64()>>16, Absent+1)
}
