package standin

import (
	"fmt"
	"maps"
	"slices"
)

// Deed is something done to an instance from outside, which takes its time.
type Deed string

// The deeds. They ask for no status and no protection, as arrears do not either.
const (
	Isolate Deed = "isolate" // into the recycle bin
	Restore Deed = "restore" // out of it
	Destroy Deed = "destroy" // for good, from whatever state
	Switch  Deed = "switch"  // ends waitSwitch
)

// Change is what somebody does to an instance in the console, past the API and
// its rules. What is nil or empty stays as it is; all but Do is in force at once.
type Change struct {
	Do Deed `json:"do,omitempty"`
	// Status is any documented DBInstanceStatus. Setting one drops the work
	// that is under way and starts none.
	Status             string             `json:"status,omitempty"`
	Name               *string            `json:"name,omitempty"`
	CPU                *int               `json:"cpu,omitempty"`
	MemoryGB           *int               `json:"memoryGB,omitempty"`
	StorageGB          *int               `json:"storageGB,omitempty"` // may shrink
	Kernel             *string            `json:"kernel,omitempty"`    // one of the catalog's; sets version and major too
	SecurityGroups     *[]string          `json:"securityGroups,omitempty"`
	Tags               *map[string]string `json:"tags,omitempty"` // replaces all
	DeletionProtection *bool              `json:"deletionProtection,omitempty"`
}

// Console makes a change and returns the instance as it is then. It fails,
// changing nothing, on an unknown or gone instance and on values that no
// instance can have.
func (s *Server) Console(id string, c Change) (Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	i := s.world.Instances[id]
	if i != nil {
		s.world.settle(i, now)
	}
	if i == nil || i.Gone {
		return Entry{}, fmt.Errorf("no instance %q", id)
	}
	version, err := s.checkChange(i, c)
	if err != nil {
		return Entry{}, err
	}
	i.Updated = now
	assign(&i.Name, c.Name)
	assign(&i.Size.StorageGB, c.StorageGB)
	assign(&i.Protected, c.DeletionProtection)
	assign(&i.SecurityGroups, c.SecurityGroups)
	assign(&i.Size.CPU, c.CPU)
	if c.MemoryGB != nil {
		i.Size.MemoryMB = *c.MemoryGB * 1024
	}
	if version != nil {
		i.Major, i.Version, i.Kernel = version.Major, version.Version, version.Kernel
	}
	if class := s.cfg.Catalog.classBySize(i.Size.CPU, i.Size.MemoryMB); class != nil {
		i.Size.Spec = s.cfg.Catalog.region(i.Region).zone(i.Zone).specCode(i.Major, *class)
	}
	if c.Tags != nil {
		i.Tags = nil
		for _, k := range slices.Sorted(maps.Keys(*c.Tags)) {
			i.Tags = append(i.Tags, tag{k, (*c.Tags)[k]})
		}
	}
	if c.Status != "" {
		s.world.begin(i, now, step{At: now, Status: c.Status, Do: consequence(c.Status)})
	}
	switch c.Do {
	case Isolate:
		s.world.begin(i, now, s.cfg.Timing.isolation(i, now)...)
	case Restore:
		s.world.begin(i, now, s.cfg.Timing.restoration(now)...)
	case Destroy:
		s.world.begin(i, now, s.cfg.Timing.destruction(now, 0)...)
	case Switch:
		s.world.switchNow(i, now)
	}
	if err := s.save(); err != nil {
		return Entry{}, fmt.Errorf("saving the state: %w", err)
	}
	return i.entry(), nil
}

func (s *Server) checkChange(i *instance, c Change) (*Version, error) {
	if c.Status != "" && !slices.Contains(statuses, c.Status) {
		return nil, fmt.Errorf("unknown status %q", c.Status)
	}
	if c.Do != "" && !slices.Contains([]Deed{Isolate, Restore, Destroy, Switch}, c.Do) {
		return nil, fmt.Errorf("unknown deed %q", c.Do)
	}
	if c.Do != "" && c.Status != "" {
		return nil, fmt.Errorf("a change has a deed or a status, not both")
	}
	switch {
	case c.Do == "":
	case !i.Ended.IsZero(), c.Do == Switch && i.Status != waitSwitch, c.Do == Restore && i.Status != isolated:
		return nil, fmt.Errorf("an instance that is %s cannot %s", i.Status, c.Do)
	}
	for _, n := range []*int{c.CPU, c.MemoryGB, c.StorageGB} {
		if n != nil && *n <= 0 {
			return nil, fmt.Errorf("sizes are positive, not %d", *n)
		}
	}
	if c.Kernel == nil {
		return nil, nil
	}
	v := s.cfg.Catalog.version(*c.Kernel)
	if v == nil {
		return nil, fmt.Errorf("unknown kernel %q", *c.Kernel)
	}
	return v, nil
}

// consequence is what comes with a status that is set by hand.
func consequence(status string) deed {
	switch status {
	case running, "limited run", "readonly":
		return doOpen
	case isolated:
		return doIsolate
	case recycled, offline:
		return doEnd
	}
	return ""
}

func assign[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}
