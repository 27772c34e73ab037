package reconcile

// Key names an object within its kind.
type Key struct {
	Namespace, Name string
}

// String is "namespace/name", as kubectl users write it.
func (k Key) String() string {
	if k.Namespace == "" {
		return k.Name
	}
	return k.Namespace + "/" + k.Name
}
