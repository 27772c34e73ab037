package main

import (
	"bytes"
	"encoding/pem"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// certificates are the roots that the image trusts, as PEM: Mozilla's, in the form
// that the Go project publishes. They are pinned by go.sum, so that they depend on
// no machine; `go get golang.org/x/crypto/x509roots/fallback` renews them. In a file
// rather than in the binary they cost it nothing, and a node's own roots can be
// mounted over them.
//
// A root that is trusted only within bounds (certificates issued before a date) is
// left out: a PEM file cannot say so.
func certificates() ([]byte, error) {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue
		}
		if err := pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}
