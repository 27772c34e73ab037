package check

import (
	"time"

	"example.com/mote/k3s"
)

// Observed is all that was seen. Trouble, wherever it is, is why something could not
// be seen, in one line, and "" else.
type Observed struct {
	// What Mote was told.
	Unknown    []string // variables that look like Mote's, and are of no flag
	Region     string   // "" is none
	Credential string   // where keys come from, in words
	KeyTrouble string   // why there are none
	Memory     Memory

	Cluster  Cluster
	Kinds    []Kind
	Rights   []Right
	Lease    Lease
	Security Security
	Clocks   []Clock
	Regions  []Region
	Subnets  []Subnet
}

// Memory is the limit that the process has, in bytes.
type Memory struct {
	Limit   uint64 // 0: none
	Trouble string
}

// Cluster is the API server.
type Cluster struct {
	Host, Version string
	Trouble       string
	// Refused: it answers, and does not take the credentials.
	Refused bool
}

// Kind is one kind of ours, as the API server knows it.
type Kind struct {
	Resource string // "postgresdbs"
	Trouble  string
	Served   bool // in our version
	Status   bool // with its status apart
	Scale    bool // with a scale subresource
	// WantsScale: it should have one.
	WantsScale bool

	SchemaTrouble     string
	SchemaHash, Wants string     // of both schemas; equal, they are the same
	Difference        Difference // between them

	Selected, All, Capped int            // objects in the selection, and all; Capped: only so many were looked at, 0: all
	Elsewhere             map[string]int // by their site, those outside of the selection
	SelectTrouble         string
	ListTrouble           string
	NoRegion              int // objects in the selection without a region of their own
}

// Difference is in what two schemas differ, by the paths of fields.
type Difference struct {
	Missing     []string // what our Mote knows, and the cluster does not
	More        []string // what the cluster knows, and our Mote does not
	Changed     []string // what both know otherwise
	Selectable  []string // what objects should be selectable by, and are not
	NotCompared bool
}

// Right is a rule with those of its verbs that are not allowed.
type Right struct {
	Rule    k3s.Rule
	Denied  []string
	Trouble string
}

// Lease is who leads.
type Lease struct {
	Name    string // namespace/name; "" when none is used
	There   bool
	Holder  string
	Renewed time.Time
	Since   time.Time
	Lasts   time.Duration
	Now     time.Time // by our clock
	Trouble string
}

// Security is the namespace that Mote lives in.
type Security struct {
	Namespace string
	There     bool
	Enforced  string // the level of Pod Security, "" when none is stated
	Trouble   string
}

// Clock is somebody else's clock, beside ours.
type Clock struct {
	Whose string
	Ahead time.Duration // of ours; to a second
	Known bool
}

// Region is one that was asked a signed question.
type Region struct {
	Name    string
	Trouble string
	Class   string // of the failure, as package cloud names it
	Network bool   // nothing came back that the cloud has said
	Code    string
}

// Subnet is one that objects name.
type Subnet struct {
	Region, ID string
	Zone, VPC  string
	By         string // an object that names it, or a flag
	Trouble    string
	Class      string
}
