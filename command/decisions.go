package command

import (
	"strings"

	"example.com/mote/reconcile"
	"example.com/mote/reconcile/myapp"
	"example.com/mote/reconcile/postgresdb"
)

// Settings are the paces of a database's decisions.
func (o *RunOptions) Settings() postgresdb.Settings {
	s := postgresdb.DefaultSettings
	s.Region, s.Grace, s.SlowRetry, s.RefusedRetry, s.Resync = o.Region, o.createGrace, o.slowRetry, o.refusedRetry, o.resyncInterval
	return s
}

// Apps is what an app may have of its node.
func (o *RunOptions) Apps() myapp.Options {
	return myapp.Options{HostPaths: o.hostPaths(), HostNetwork: o.allowHostNetwork}
}

// hostPaths are the paths of --allow-host-paths.
func (o *RunOptions) hostPaths() []string {
	return strings.FieldsFunc(o.allowHostPaths, func(r rune) bool { return r == ',' })
}

// Selection is which objects are served.
func (o *RunOptions) Selection() reconcile.Selection {
	label, field := o.selectors()
	return reconcile.Selection{Namespace: o.namespace, LabelSelector: label, FieldSelector: field}
}

// selectors joins what narrows the objects served.
func (o *RunOptions) selectors() (label, field string) {
	field = o.fieldSelector
	if o.site != "" {
		field = strings.TrimPrefix(field+",spec.site="+o.site, ",")
	}
	return o.labelSelector, field
}
