package command

import (
	"os"
	"strings"

	"example.com/mote/k3s"
	"example.com/mote/reconcile"
)

const ownNamespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// Lease is the one that a Mote with these options holds while it works. Its name
// follows the selection, so that each shard elects its own leader.
func (o *RunOptions) Lease() (namespace, name string) {
	name = o.leaseName
	if name == "" {
		label, field := o.selectors()
		name = reconcile.LeaseName(o.namespace, label, field)
	}
	return o.leaseNamespaceOrOwn(), name
}

func (o *RunOptions) leaseNamespaceOrOwn() string {
	if o.leaseNamespace != "" {
		return o.leaseNamespace
	}
	if b, err := os.ReadFile(ownNamespaceFile); err == nil {
		return strings.TrimSpace(string(b))
	}
	return "kube-system"
}

// scope is what the rights of a Mote with these options depend on.
func (o *RunOptions) scope() k3s.Scope {
	s := k3s.Scope{Serves: o.namespace}
	if o.LeaderElect {
		s.LeaseNamespace, s.LeaseName = o.Lease()
	}
	s.SecretNamespace, s.SecretName, _ = strings.Cut(o.credentialsSecret, "/")
	return s
}
