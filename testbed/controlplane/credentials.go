package main

import (
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net"
	"os"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/keyutil"
)

// The identities that get a client certificate and a kubeconfig.
const (
	admin             = "admin"
	controllerManager = "controller-manager"
	scheduler         = "scheduler"
	garbageCollector  = "garbage-collector"
	podStandIn        = "pod-stand-in"
)

// subjects gives each identity its user and, where RBAC has no role for that user, the group that may do everything.
var subjects = map[string]struct{ user, group string }{
	admin:             {"mote-testbed-admin", "system:masters"},
	controllerManager: {"system:kube-controller-manager", ""},
	scheduler:         {"system:kube-scheduler", ""},
	garbageCollector:  {"mote-testbed-garbage-collector", "system:masters"},
	podStandIn:        {"mote-testbed-pod-stand-in", "system:masters"},
}

// writeCredentials writes the API server's certificate and a kubeconfig for each identity. The authority that signs
// them, and the key of service-account tokens, are made once for a directory: a client lives through a restart.
func writeCredentials(dir *stateDir, url string) error {
	ca, err := openAuthority(dir)
	if err != nil {
		return err
	}
	cert, key, err := ca.serving("kube-apiserver",
		[]string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"},
		[]net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 96, 0, 1)})
	if err != nil {
		return err
	}
	if err := errors.Join(os.WriteFile(dir.file("apiserver.crt"), cert, 0o644), os.WriteFile(dir.file("apiserver.key"), key, 0o600)); err != nil {
		return err
	}
	for name, s := range subjects {
		cert, key, err := ca.client(s.user, s.group)
		if err != nil {
			return err
		}
		c := clientcmdapi.NewConfig()
		c.Clusters["mote-testbed"] = &clientcmdapi.Cluster{Server: url, CertificateAuthorityData: ca.pem}
		c.AuthInfos[name] = &clientcmdapi.AuthInfo{ClientCertificateData: cert, ClientKeyData: key}
		c.Contexts["mote-testbed"] = &clientcmdapi.Context{Cluster: "mote-testbed", AuthInfo: name, Namespace: "default"}
		c.CurrentContext = "mote-testbed"
		if err := clientcmd.WriteToFile(*c, dir.kubeconfig(name)); err != nil {
			return err
		}
	}
	return writeTokenKey(dir)
}

// writeTokenKey makes the key pair that signs service-account tokens, unless the directory has one.
func writeTokenKey(dir *stateDir) error {
	if _, err := os.Stat(dir.file("sa.pub")); err == nil {
		return nil
	}
	key, keyPEM, err := newKey()
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(crypto.Signer(key).Public())
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(dir.file("sa.key"), keyPEM, 0o600),
		os.WriteFile(dir.file("sa.pub"), pem.EncodeToMemory(&pem.Block{Type: keyutil.PublicKeyBlockType, Bytes: public}), 0o644))
}

// configFor is an identity's client configuration, without client-side throttling.
func configFor(dir *stateDir, identity string) (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", dir.kubeconfig(identity))
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	config.UserAgent = identity
	return config, nil
}

func clientFor(dir *stateDir, identity string) (*kubernetes.Clientset, error) {
	config, err := configFor(dir, identity)
	if err != nil {
		return nil, err
	}
	return kubernetes.NewForConfig(config)
}
