package myapp

import (
	"example.com/mote/crd/examplev1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// role is what a child is to its app. Roles are numbered in the order in which
// children are applied: what another child needs comes first. The Service comes
// before the Deployment, so that it leads to new pods when the first of them is
// ready.
type role int

const (
	config role = iota
	service
	deployment
	roles // how many there are
)

var resources = [roles]schema.GroupVersionResource{
	config:     {Version: "v1", Resource: "configmaps"},
	deployment: {Group: "apps", Version: "v1", Resource: "deployments"},
	service:    {Version: "v1", Resource: "services"},
}

var kinds = [roles]string{config: "ConfigMap", deployment: "Deployment", service: "Service"}

// childName is the name of the child that has a role for an app. An app's name
// has at most 63 characters, as a Service's; a ConfigMap's may have 253.
func childName(app *examplev1.MyApp, r role) string {
	if r == config {
		return app.Name + "-config"
	}
	return app.Name
}
