package forecast

// Sign is what a step does, in one character.
type Sign string

// The signs.
const (
	Make   Sign = "+"
	Change Sign = "~"
	End    Sign = "-"
	Wait   Sign = "."
	Refuse Sign = "!" // the cloud refuses it
)

// Where a step takes effect.
const (
	InCloud   = "cloud"
	InCluster = "cluster"
	InStatus  = "status" // of the object itself: for Mote's own books
)

// Step is one thing that Mote would do.
type Step struct {
	Sign Sign `json:"sign"`
	// Do is the action by its name in the code, like "Buy" or "Apply Deployment".
	Do    string `json:"do"`
	Where string `json:"where"`
	What  string `json:"what"`
	Why   string `json:"why,omitempty"`
	// Interrupts says what of the object does not run meanwhile, or "".
	Interrupts string `json:"interrupts,omitempty"`
	// Final says that there is no way back.
	Final bool  `json:"final,omitempty"`
	Cost  *Cost `json:"cost,omitempty"`
	// Details are further lines, like the fields that change.
	Details []string `json:"details,omitempty"`
}

// Object is what is ahead of one object.
type Object struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// File and Document tell which manifest it is of; the first document is 1.
	File     string `json:"file,omitempty"`
	Document int    `json:"document,omitempty"`
	// New: there is no such object in the cluster yet.
	New bool `json:"new,omitempty"`
	// Fields are what the manifest changes of the object in the cluster.
	Fields []Field  `json:"fields,omitempty"`
	Notes  []string `json:"notes,omitempty"`
	Steps  []Step   `json:"steps"`
	// Then is how the object is when all that is done.
	Then Then `json:"then"`
	// Errors are why nothing can be said of it, or why its manifest is refused.
	Errors []string `json:"errors,omitempty"`
}

// Then is a state, in the words of the object's status.
type Then struct {
	Phase   string `json:"phase,omitempty"`
	Ready   bool   `json:"ready"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// Gone: there is no object any more.
	Gone bool `json:"gone,omitempty"`
}

// Pending tells whether anything would be done to the object, or to what is in the
// cluster by applying its manifest.
func (o Object) Pending() bool {
	if len(o.Errors) > 0 {
		return false
	}
	for _, s := range o.Steps {
		if s.Sign != Wait {
			return true
		}
	}
	return o.New || len(o.Fields) > 0
}

// Forecast is all that is ahead.
type Forecast struct {
	Objects []Object `json:"objects"`
	// Notes are about all of it, like that there are no prices.
	Notes []string `json:"notes,omitempty"`
	// Errors belong to no object.
	Errors []string `json:"errors,omitempty"`
	Total  []Cost   `json:"total,omitempty"` // a currency each
}

// Exit codes of mote plan.
const (
	ExitNothing = 0
	ExitError   = 1
	ExitChanges = 2
)

// Exit is the exit code that the forecast asks for.
func (f Forecast) Exit() int {
	code := ExitNothing
	for _, o := range f.Objects {
		if len(o.Errors) > 0 {
			return ExitError
		}
		if o.Pending() {
			code = ExitChanges
		}
	}
	if len(f.Errors) > 0 {
		return ExitError
	}
	return code
}
