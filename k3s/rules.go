package k3s

import (
	"example.com/mote/crd/databasev1"
	"example.com/mote/crd/examplev1"
)

// Scope is what the rights of one Mote depend on.
type Scope struct {
	// Serves is the one namespace whose objects it serves; "" is all.
	Serves string
	// LeaseNamespace and LeaseName are where its Lease is; no name: it uses none.
	LeaseNamespace, LeaseName string
	// SecretNamespace and SecretName are where the cloud's keys are; no name: they
	// are in no Secret that it reads.
	SecretNamespace, SecretName string
}

// Rule is one rule of RBAC. Rules that name no namespace are of all.
type Rule struct {
	Namespace string   // "" is all
	Group     string   // "" is the core group
	Resource  string   // "myapps", or with a subresource "myapps/status"
	Names     []string // of the objects; none: all
	Verbs     []string
	Why       string // in one line
}

// Rules are all rights that Mote uses, and none besides: an end-to-end test takes each
// away in turn and sees what fails.
//
// Secrets of apps and databases are read and written by name, one at a time. Which
// names those are, their objects say, so the rule cannot name them; but Mote cannot
// list or watch Secrets, except the one with the cloud's keys.
func Rules(s Scope) []Rule {
	const core, database, example = "", databasev1.Group, examplev1.Group
	rules := []Rule{
		{s.Serves, database, databasev1.Resource, nil, []string{"get", "list", "watch", "patch"}, "the databases; their finalizer is patched"},
		{s.Serves, database, databasev1.Resource + "/status", nil, []string{"patch"}, "how they do"},
		{s.Serves, database, databasev1.Resource + "/finalizers", nil, []string{"update"}, "connection Secrets hold up the deletion of their owner, where OwnerReferencesPermissionEnforcement asks for that"},
		{s.Serves, example, examplev1.Resource, nil, []string{"get", "list", "watch"}, "the apps"},
		{s.Serves, example, examplev1.Resource + "/status", nil, []string{"patch"}, "how they do"},
		{s.Serves, example, examplev1.Resource + "/finalizers", nil, []string{"update"}, "the same for what apps consist of"},
		{s.Serves, "apps", "deployments", nil, []string{"get", "list", "watch", "create", "patch", "delete"}, "what apps consist of: deleted where another selector is wanted"},
		{s.Serves, core, "services", nil, []string{"get", "list", "watch", "create", "patch", "delete"}, "the same"},
		{s.Serves, core, "configmaps", nil, []string{"get", "list", "watch", "create", "patch", "delete"}, "the same; and those that apps name"},
		{s.Serves, core, "secrets", nil, []string{"get", "create", "patch"}, "connection Secrets, and those that apps name: each by its name, never listed"},
		{s.Serves, core, "pods", nil, []string{"list"}, "why an app does not come up"},
		{s.Serves, core, "events", nil, []string{"list"}, "the same"},
		{s.Serves, "events.k8s.io", "events", nil, []string{"get", "create", "patch"}, "what happened to an object"},
	}
	if s.LeaseName != "" {
		rules = append(rules,
			Rule{s.LeaseNamespace, "coordination.k8s.io", "leases", nil, []string{"create"}, "the Lease, while there is none: a rule cannot name what is to be created"},
			Rule{s.LeaseNamespace, "coordination.k8s.io", "leases", []string{s.LeaseName}, []string{"get", "patch"}, "the Lease"})
	}
	if s.SecretName != "" {
		rules = append(rules, Rule{s.SecretNamespace, core, "secrets", []string{s.SecretName}, []string{"list", "watch"}, "the cloud's keys, followed by that name alone"})
	}
	return rules
}
