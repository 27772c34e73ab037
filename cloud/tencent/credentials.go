package tencent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Credential is a pair of API keys. Token is set for temporary keys only.
type Credential struct {
	SecretID, SecretKey, Token string
}

// Credentials yields the keys of the moment. It is asked at each call, so it
// must be cheap, and by many goroutines. Its error is shown to people: it must
// say what is missing and never hold a key. Keys without an id or a secret are
// an error too.
type Credentials func(ctx context.Context) (Credential, error)

// EnvCredentials takes the keys from TENCENTCLOUD_SECRET_ID,
// TENCENTCLOUD_SECRET_KEY and, for temporary ones, TENCENTCLOUD_TOKEN.
func EnvCredentials() Credentials {
	return func(context.Context) (Credential, error) {
		c := Credential{
			SecretID:  os.Getenv("TENCENTCLOUD_SECRET_ID"),
			SecretKey: os.Getenv("TENCENTCLOUD_SECRET_KEY"),
			Token:     os.Getenv("TENCENTCLOUD_TOKEN"),
		}
		if c.SecretID == "" || c.SecretKey == "" {
			return Credential{}, errors.New("TENCENTCLOUD_SECRET_ID and TENCENTCLOUD_SECRET_KEY are not both set")
		}
		return c, nil
	}
}

// DirCredentials takes the keys from the files secret-id, secret-key and, for
// temporary ones, token in dir: a mounted Secret, or any directory. White space
// around them does not count. The files are read at each call.
func DirCredentials(dir string) Credentials {
	return func(context.Context) (Credential, error) {
		var c Credential
		var err error
		// A mounted Secret changes by one rename of the link ..data. Files read
		// through the directory that it pointed to belong together; that
		// directory may be removed between two of them, and then it is a new one.
		for range 3 {
			from := dir
			if now, e := filepath.EvalSymlinks(filepath.Join(dir, "..data")); e == nil {
				from = now
			}
			if c, err = readCredential(from); !errors.Is(err, fs.ErrNotExist) {
				break
			}
		}
		if err != nil {
			return Credential{}, fmt.Errorf("credentials in %s: %w", dir, err)
		}
		return c, nil
	}
}

func readCredential(dir string) (c Credential, err error) {
	for _, f := range []struct {
		name     string
		to       *string
		optional bool
	}{{"secret-id", &c.SecretID, false}, {"secret-key", &c.SecretKey, false}, {"token", &c.Token, true}} {
		text, err := os.ReadFile(filepath.Join(dir, f.name))
		if f.optional && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Credential{}, err
		}
		*f.to = strings.TrimSpace(string(text))
		if *f.to == "" && !f.optional {
			return Credential{}, fmt.Errorf("%s is empty", f.name)
		}
	}
	return c, nil
}
