package k3s

import (
	"fmt"
	"slices"
	"strings"
)

// roles are the rights, and to whom they are given: a ClusterRole for what is of all
// namespaces, and a Role in each namespace that rules name.
func (o Options) roles() string {
	by := map[string][]Rule{}
	var namespaces []string
	for _, r := range Rules(o.Scope) {
		if !slices.Contains(namespaces, r.Namespace) {
			namespaces = append(namespaces, r.Namespace)
		}
		by[r.Namespace] = append(by[r.Namespace], r)
	}
	var b strings.Builder
	for _, namespace := range namespaces {
		o.role(&b, namespace, by[namespace])
	}
	return b.String()
}

func (o Options) role(b *strings.Builder, namespace string, rules []Rule) {
	kind, name, where := "Role", o.Name, "  namespace: "+namespace+"\n"
	switch namespace {
	case "":
		kind, name, where = "ClusterRole", o.clusterName(), ""
	case o.Namespace:
	default: // beside those of Motes in other namespaces
		name = o.clusterName()
	}
	head := "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: %s\nmetadata:\n  name: %s\n%s" + labels("  ", o)
	fmt.Fprintf(b, head+"rules:\n", kind, name, where)
	for _, r := range rules {
		fmt.Fprintf(b, "  # %s\n  - apiGroups: [%q]\n    resources: [%q]\n", r.Why, r.Group, r.Resource)
		if len(r.Names) > 0 {
			fmt.Fprintf(b, "    resourceNames: [\"%s\"]\n", strings.Join(r.Names, `", "`))
		}
		fmt.Fprintf(b, "    verbs: [%s]\n", strings.Join(r.Verbs, ", "))
	}
	fmt.Fprintf(b, head, kind+"Binding", name, where)
	fmt.Fprintf(b, "roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: %s\n  name: %s\nsubjects:\n  - {kind: ServiceAccount, name: %s, namespace: %s}\n",
		kind, name, o.Name, o.Namespace)
}
