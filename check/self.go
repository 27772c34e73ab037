package check

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"fmt"

	"example.com/mote/k3s"
)

// Self tells whether the binary is whole, and its image: it needs no network, and is
// what to run first on a new platform or under an emulator.
func Self(o k3s.Options) []Finding {
	all := []Finding{embeddedKinds(), embeddedManifests(o), signs()}
	f := Finding{"certificates", OK, "the system's authorities are there", ""}
	if roots, err := x509.SystemCertPool(); err != nil || roots.Equal(x509.NewCertPool()) {
		f = Finding{f.Check, Error, fmt.Sprintf("there are no certificate authorities, so that the cloud cannot be trusted (%v)", err),
			"use the image as it is built, or set SSL_CERT_FILE"}
	}
	return append(all, f)
}

func embeddedKinds() Finding {
	f := Finding{Check: "embedded kinds", Level: OK}
	defs, err := embedded()
	if err != nil || len(defs) == 0 {
		f.Level, f.Message = Error, fmt.Sprintf("%d are there: %v", len(defs), err)
		return f
	}
	for _, d := range defs {
		f.Message += fmt.Sprintf("%s.%s has schema %s; ", d.Spec.Names.Plural, d.Spec.Group, hashOf(d.Spec.Versions[0].Schema.OpenAPIV3Schema))
	}
	f.Message = f.Message[:len(f.Message)-2]
	return f
}

func embeddedManifests(o k3s.Options) Finding {
	files, err := k3s.Files(o)
	if err != nil {
		return Finding{"embedded manifests", Error, err.Error(), ""}
	}
	return Finding{"embedded manifests", OK, fmt.Sprintf("%d files can be made", len(files)), ""}
}

// signs computes the second example of RFC 4231, as each request to the cloud is signed.
func signs() Finding {
	m := hmac.New(sha256.New, []byte("Jefe"))
	m.Write([]byte("what do ya want for nothing?"))
	if got := hex.EncodeToString(m.Sum(nil)); got != "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843" {
		return Finding{"signatures", Error, "HMAC-SHA256 computes " + got, "this processor, or its emulator, computes wrongly"}
	}
	return Finding{"signatures", OK, "HMAC-SHA256 computes what RFC 4231 says", ""}
}
