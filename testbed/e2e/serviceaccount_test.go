package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/yaml"

	"example.com/mote/k3s"
	"example.com/mote/testbed/bed"
)

// installedAs are the kinds of a manifest that are made by another than kubectl,
// because every site needs them.
var installedAs = map[string]schema.GroupVersionResource{
	"ServiceAccount":     serviceAccounts,
	"ClusterRole":        {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"},
	"ClusterRoleBinding": {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings"},
	"Role":               {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"},
	"RoleBinding":        {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings"},
}

// ownRights makes Mote's ServiceAccount, with exactly the rights of the generated
// manifests for a Mote with these flags, and returns a kubeconfig for it.
func (s *site) ownRights(flags []string) (kubeconfig string) {
	s.t.Helper()
	scope := scopeOf(flags)
	file, there := s.rights[scope]
	if there {
		return file
	}
	o := k3s.Options{Name: fmt.Sprintf("mote-%d", len(s.rights)+1), Namespace: s.ns, Image: "mote", Scope: scope}
	return s.granted(o, scope)
}

// startEverywhere runs mote as what is installed in another namespace, with rights in
// all: those in a namespace go with it, and so does a ServiceAccount.
func (s *site) startEverywhere(flags ...string) *bed.Process {
	s.t.Helper()
	const elsewhere = "mote-system"
	s.makeNamespace(elsewhere)
	flags = append(s.brisk(), flags...)
	scope := scopeOf(flags)
	scope.Serves = ""
	kubeconfig := s.granted(k3s.Options{Name: s.ns, Namespace: elsewhere, Image: "mote", Scope: scope}, scope)
	return s.startWith(nil, append(flags, "--kubeconfig", kubeconfig)...)
}

// scopeOf is what a Mote with these flags needs rights for.
func scopeOf(flags []string) (scope k3s.Scope) {
	for i := 0; i+1 < len(flags); i++ {
		switch value := flags[i+1]; flags[i] {
		case "--namespace":
			scope.Serves = value
		case "--lease-namespace":
			scope.LeaseNamespace = value
		case "--lease-name":
			scope.LeaseName = value
		case "--credentials-secret":
			scope.SecretNamespace, scope.SecretName, _ = strings.Cut(value, "/")
		}
	}
	return scope
}

// granted makes the ServiceAccount and the Roles of manifests.
func (s *site) granted(o k3s.Options, scope k3s.Scope) (kubeconfig string) {
	s.t.Helper()
	files, err := k3s.Files(o)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, part := range strings.Split(string(files[1].Data), "\n---\n") {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(part), &u.Object); err != nil {
			s.t.Fatal(err)
		}
		if r, ok := installedAs[u.GetKind()]; ok {
			_, err := s.client.Resource(r).Namespace(u.GetNamespace()).Create(s.t.Context(), u, metav1.CreateOptions{})
			if err != nil && !apierrors.IsAlreadyExists(err) {
				s.t.Fatal(err)
			}
		}
	}
	s.allowed("system:serviceaccount:"+o.Namespace+":"+o.Name, k3s.Rules(scope))
	file := s.kubeconfigWith(s.token(o.Name, o.Namespace))
	if s.rights == nil {
		s.rights = map[k3s.Scope]string{}
	}
	s.rights[scope] = file
	return file
}

// allowed waits until somebody may all that rules say: the API server takes a moment
// to notice a Role. It notices it as a whole, so one rule of each namespace tells.
func (s *site) allowed(user string, rules []k3s.Rule) {
	s.t.Helper()
	s.eventually(user+" has its rights", func() error {
		asked := map[string]bool{}
		for _, r := range rules {
			if asked[r.Namespace] {
				continue
			}
			asked[r.Namespace] = true
			if yes, err := s.mayDo(user, r, r.Verbs[0]); err != nil {
				return fatal{err}
			} else if !yes {
				return fmt.Errorf("it may not %s %s yet", r.Verbs[0], r.Resource)
			}
		}
		return nil
	})
}

// mayDo tells whether somebody may do what a verb of a rule says.
func (s *site) mayDo(user string, r k3s.Rule, verb string) (bool, error) {
	resource, subresource, _ := strings.Cut(r.Resource, "/")
	what := map[string]any{"namespace": r.Namespace, "verb": verb, "group": r.Group, "resource": resource, "subresource": subresource}
	if len(r.Names) > 0 {
		what["name"] = r.Names[0]
	}
	review, err := s.client.Resource(schema.GroupVersionResource{Group: "authorization.k8s.io", Version: "v1", Resource: "subjectaccessreviews"}).
		Create(s.t.Context(), &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": map[string]any{"user": user, "resourceAttributes": what},
		}}, metav1.CreateOptions{})
	if err != nil {
		return false, err
	}
	yes, _, err := unstructured.NestedBool(review.Object, "status", "allowed")
	return yes, err
}

// audited makes a ServiceAccount whose requests are written down, and a kubeconfig
// for it.
func (s *site) audited(name string) (user, kubeconfig string) {
	s.t.Helper()
	s.makeNamespace(auditedNamespace)
	scope := k3s.Scope{Serves: s.ns, LeaseNamespace: s.ns, LeaseName: "mote"}
	kubeconfig = s.granted(k3s.Options{Name: name, Namespace: auditedNamespace, Image: "mote", Scope: scope}, scope)
	return "system:serviceaccount:" + auditedNamespace + ":" + name, kubeconfig
}

// kubeconfigWith writes a kubeconfig for the site's cluster with a token.
func (s *site) kubeconfigWith(token string) string {
	s.t.Helper()
	c, err := clientcmd.LoadFromFile(s.bed.Kubeconfig)
	if err != nil {
		s.t.Fatal(err)
	}
	c.AuthInfos = map[string]*clientcmdapi.AuthInfo{c.Contexts[c.CurrentContext].AuthInfo: {Token: token}}
	f, err := os.CreateTemp(s.bed.Dir, "token-*.kubeconfig")
	if err != nil {
		s.t.Fatal(err)
	}
	f.Close()
	if err := clientcmd.WriteToFile(*c, filepath.Clean(f.Name())); err != nil {
		s.t.Fatal(err)
	}
	return f.Name()
}

// token is a fresh token of a ServiceAccount.
func (s *site) token(name, namespace string) string {
	s.t.Helper()
	token := strings.TrimSpace(s.kubectl("create", "token", name, "--namespace", namespace, "--duration=2h"))
	s.secrets = append(s.secrets, token)
	return token
}
