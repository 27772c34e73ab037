package command

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"k8s.io/client-go/dynamic"

	"example.com/mote/cloud/tencent"
	"example.com/mote/reconcile"
)

// Credentials is where the cloud's keys come from; keys is to be run when that is a
// Secret, and nil when it is not.
func (o *RunOptions) Credentials(client dynamic.Interface, log *slog.Logger) (from tencent.Credentials, keys *reconcile.SecretWatch) {
	switch {
	case o.credentialsSecret != "":
		namespace, name, _ := strings.Cut(o.credentialsSecret, "/")
		keys = reconcile.NewSecretWatch(client, namespace, name, log)
		return secretCredentials(keys.Read), keys
	case o.credentialsDir != "":
		return tencent.DirCredentials(o.credentialsDir), nil
	}
	return tencent.EnvCredentials(), nil
}

// MissingKeys is why there are no keys of the cloud; nil where they are in the
// environment, or are to be read elsewhere.
func (o *RunOptions) MissingKeys(ctx context.Context) error {
	if o.credentialsSecret != "" || o.credentialsDir != "" {
		return nil
	}
	_, err := tencent.EnvCredentials()(ctx)
	return err
}

// secretCredentials takes the keys from the data of a Secret.
func secretCredentials(read func(context.Context) (map[string]string, error)) tencent.Credentials {
	return func(ctx context.Context) (tencent.Credential, error) {
		data, err := read(ctx)
		if err != nil {
			return tencent.Credential{}, err
		}
		c := tencent.Credential{SecretID: data["secret-id"], SecretKey: data["secret-key"], Token: data["token"]}
		if c.SecretID == "" || c.SecretKey == "" {
			return c, fmt.Errorf("the credentials Secret lacks secret-id or secret-key")
		}
		return c, nil
	}
}

// credentialWords says where the cloud's keys come from.
func (o *RunOptions) credentialWords() string {
	switch {
	case o.credentialsSecret != "":
		return "Secret " + o.credentialsSecret
	case o.credentialsDir != "":
		return "directory " + o.credentialsDir
	}
	return "the environment"
}
