package main

import (
	"context"
	"fmt"

	kcmapp "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	kcmoptions "k8s.io/kubernetes/cmd/kube-controller-manager/app/options"

	"example.com/mote/testbed/controlplane/settings"
)

func controllerOptions(s settings.Settings, dir *stateDir) (*kcmoptions.KubeControllerManagerOptions, error) {
	kcm, err := kcmoptions.NewKubeControllerManagerOptions()
	if err != nil {
		return nil, err
	}
	flags := kcm.Flags(kcmapp.KnownControllers(), kcmapp.ControllersDisabledByDefault(), kcmapp.ControllerAliases())
	kcm.ParsedFlags = &flags
	return kcm, parseComponentFlags(flags, []string{
		"--kubeconfig=" + dir.kubeconfig(controllerManager),
		"--controllers=" + s.ControllerManager(),
		"--use-service-account-credentials=true",
		"--service-account-private-key-file=" + dir.file("sa.key"), "--root-ca-file=" + dir.file("ca.crt"),
		"--leader-elect=false", "--secure-port=0",
		fmt.Sprintf("--kube-api-qps=%d", s.QPS), fmt.Sprintf("--kube-api-burst=%d", 2*s.QPS),
	}, s.KCMArgs)
}

func runControllers(ctx context.Context, kcm *kcmoptions.KubeControllerManagerOptions) error {
	config, err := kcm.Config(ctx, kcmapp.KnownControllers(), kcmapp.ControllersDisabledByDefault(), kcmapp.ControllerAliases())
	if err != nil {
		return err
	}
	return kcmapp.Run(ctx, config.Complete())
}
