package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"time"

	"k8s.io/client-go/util/keyutil"
)

// authority signs the certificates of one control plane.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte // the certificate
}

// openAuthority reads the directory's authority, or makes it.
func openAuthority(dir *stateDir) (*authority, error) {
	certFile, keyFile := dir.file("ca.crt"), dir.file("ca.key")
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err == nil {
		key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
		if !ok {
			return nil, errors.New(keyFile + " is not a key that this program wrote: remove it together with ca.crt")
		}
		return &authority{pair.Leaf, key, encodeCert(pair.Certificate[0])}, nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	key, keyPEM, err := newKey()
	if err != nil {
		return nil, err
	}
	t := template("mote-testbed-ca", "")
	t.IsCA = true
	t.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, t, t, key.Public(), key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	a := &authority{cert, key, encodeCert(der)}
	return a, errors.Join(os.WriteFile(keyFile, keyPEM, 0o600), os.WriteFile(certFile, a.pem, 0o644))
}

// serving signs a server's certificate.
func (a *authority) serving(name string, hosts []string, addresses []net.IP) (cert, key []byte, err error) {
	t := template(name, "")
	t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	t.DNSNames, t.IPAddresses = hosts, addresses
	return a.sign(t)
}

// client signs a user's certificate; group may be empty.
func (a *authority) client(user, group string) (cert, key []byte, err error) {
	t := template(user, group)
	t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return a.sign(t)
}

func (a *authority) sign(t *x509.Certificate) (cert, key []byte, err error) {
	k, key, err := newKey()
	if err != nil {
		return nil, nil, err
	}
	t.KeyUsage = x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, t, a.cert, k.Public(), a.key)
	return encodeCert(der), key, err
}

func template(name, group string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120)) // rand.Reader does not fail
	t := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name}, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0),
	}
	if group != "" {
		t.Subject.Organization = []string{group}
	}
	return t
}

func newKey() (key *ecdsa.PrivateKey, keyPEM []byte, err error) {
	if key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, nil, err
	}
	keyPEM, err = keyutil.MarshalPrivateKeyToPEM(key)
	return key, keyPEM, err
}

func encodeCert(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}
