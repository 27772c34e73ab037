package standin

import (
	"fmt"
	"time"
)

// Entry is one instance in the ledger: what was bought, and what became of it.
// Entries are never removed.
type Entry struct {
	ID         string            `json:"id"`
	Name       string            `json:"name"`
	Region     string            `json:"region"`
	Zone       string            `json:"zone"`
	VpcID      string            `json:"vpcID"`
	SubnetID   string            `json:"subnetID"`
	Tags       map[string]string `json:"tags"`
	ChargeType string            `json:"chargeType"` // PREPAID | POSTPAID_BY_HOUR
	AdminUser  string            `json:"adminUser"`
	// PasswordSHA256 is the hash in hex of the admin's present password.
	PasswordSHA256 string `json:"passwordSHA256"`

	SpecCode           string   `json:"specCode"`
	CPU                int      `json:"cpu"`
	MemoryGB           int      `json:"memoryGB"`
	StorageGB          int      `json:"storageGB"`
	Major              string   `json:"major"`
	Version            string   `json:"version"`
	Kernel             string   `json:"kernel"`
	SecurityGroups     []string `json:"securityGroups"`
	DeletionProtection bool     `json:"deletionProtection"`
	Endpoint           string   `json:"endpoint,omitempty"` // host:port while it is open

	RequestID string `json:"requestID"` // of the purchase
	DealName  string `json:"dealName"`

	Bought   time.Time `json:"bought"`
	Running  time.Time `json:"running,omitzero"`  // first; zero: never
	Isolated time.Time `json:"isolated,omitzero"` // zero: is not isolated
	Ended    time.Time `json:"ended,omitzero"`    // when its data went; zero: it is there

	Status string `json:"status"` // DBInstanceStatus now, or the last one it had
	Gone   bool   `json:"gone"`   // the API does not know it any more
	Billed bool   `json:"billed"` // it costs money now
}

// Ledger lists every instance ever bought, oldest first.
func (s *Server) Ledger() []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []Entry{}
	for _, i := range s.world.settled(s.now()) {
		out = append(out, i.entry())
	}
	return out
}

func (i *instance) entry() Entry {
	e := Entry{
		ID: i.ID, Name: i.Name, Region: i.Region, Zone: i.Zone, VpcID: i.Vpc, SubnetID: i.Subnet,
		Tags: map[string]string{}, ChargeType: i.ChargeType, AdminUser: i.Admin, PasswordSHA256: i.PasswordHash,
		SpecCode: i.Size.Spec, CPU: i.Size.CPU, MemoryGB: i.Size.MemoryMB / 1024, StorageGB: i.Size.StorageGB,
		Major: i.Major, Version: i.Version, Kernel: i.Kernel,
		SecurityGroups: append([]string{}, i.SecurityGroups...), DeletionProtection: i.Protected,
		RequestID: i.RequestID, DealName: i.Deal,
		Bought: i.Bought, Running: i.Ran, Isolated: i.Isolated, Ended: i.Ended,
		Status: i.Status, Gone: i.Gone, Billed: i.billed(),
	}
	for _, g := range i.Tags {
		e.Tags[g.TagKey] = g.TagValue
	}
	if i.Open {
		e.Endpoint = fmt.Sprintf("%s:%d", i.Address, postgresPort)
	}
	return e
}
