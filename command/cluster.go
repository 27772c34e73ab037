package command

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Cluster finds the cluster: the file of --kubeconfig, or else the pod's own
// ServiceAccount, or else what kubectl would use.
func (o *RunOptions) Cluster() (*rest.Config, error) {
	file := o.kubeconfig
	if file == "" && os.Getenv("KUBERNETES_SERVICE_HOST") != "" {
		c, err := rest.InClusterConfig()
		if err != nil {
			return nil, fmt.Errorf("this looks like a pod, but its ServiceAccount is unusable: %w", err)
		}
		return c, nil
	}
	c, err := kubeconfig(file, "").ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("no cluster to work for: %w (give --kubeconfig, or run in a pod)", placed(file, err))
	}
	return c, nil
}

// placed is an error of a kubeconfig; of one that is empty it names the places that
// were looked at, which client-go does not.
func placed(file string, err error) error {
	if !clientcmd.IsEmptyConfig(err) || file != "" {
		return err
	}
	var places []string
	for _, place := range clientcmd.NewDefaultClientConfigLoadingRules().Precedence {
		if _, err := os.Stat(place); err != nil {
			place += " is not there"
		} else {
			place += " names none"
		}
		places = append(places, place)
	}
	return errors.New(strings.Join(places, ", "))
}

// kubeconfig is what kubectl would read, or the given file, with a context other than
// its current one if that is named.
func kubeconfig(file, context string) clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = file
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: context})
}
