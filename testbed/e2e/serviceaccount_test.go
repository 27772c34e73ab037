package e2e

import (
	"path/filepath"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// audited makes a ServiceAccount whose requests are written down, and a kubeconfig
// for it.
func (s *site) audited(name string) (user, kubeconfig string) {
	s.t.Helper()
	s.makeNamespace(auditedNamespace)
	s.kubectlWith(`{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"namespace":"`+auditedNamespace+`","name":"`+name+`"}}
{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding","metadata":{"name":"`+auditedNamespace+`-`+name+`"},
 "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"cluster-admin"},
 "subjects":[{"kind":"ServiceAccount","namespace":"`+auditedNamespace+`","name":"`+name+`"}]}`, "apply", "--namespace", auditedNamespace, "-f", "-")
	return "system:serviceaccount:" + auditedNamespace + ":" + name, s.kubeconfigWith(s.token(name, auditedNamespace))
}

// kubeconfigWith writes a kubeconfig for the site's cluster with a token.
func (s *site) kubeconfigWith(token string) string {
	s.t.Helper()
	c, err := clientcmd.LoadFromFile(s.bed.Kubeconfig)
	if err != nil {
		s.t.Fatal(err)
	}
	c.AuthInfos = map[string]*clientcmdapi.AuthInfo{c.Contexts[c.CurrentContext].AuthInfo: {Token: token}}
	file := filepath.Join(s.bed.Dir, "token.kubeconfig")
	if err := clientcmd.WriteToFile(*c, file); err != nil {
		s.t.Fatal(err)
	}
	return file
}

// token is a fresh token of a ServiceAccount.
func (s *site) token(name, namespace string) string {
	s.t.Helper()
	token := strings.TrimSpace(s.kubectl("create", "token", name, "--namespace", namespace, "--duration=2h"))
	s.secrets = append(s.secrets, token)
	return token
}
