package main

import (
	"context"
	"fmt"

	"k8s.io/client-go/tools/cache"
	schedapp "k8s.io/kubernetes/cmd/kube-scheduler/app"
	schedoptions "k8s.io/kubernetes/cmd/kube-scheduler/app/options"

	"example.com/mote/testbed/controlplane/settings"
)

func schedulerOptions(s settings.Settings, dir *stateDir) (*schedoptions.Options, error) {
	sched := schedoptions.NewOptions()
	name, err := cache.NewInformerName("kube-scheduler")
	if err != nil {
		return nil, err
	}
	sched.InformerName = name
	return sched, parseComponentFlags(*sched.Flags, []string{
		"--kubeconfig=" + dir.kubeconfig(scheduler),
		"--leader-elect=false", "--secure-port=0",
		fmt.Sprintf("--kube-api-qps=%d", s.QPS), fmt.Sprintf("--kube-api-burst=%d", 2*s.QPS),
	}, s.SchedulerArgs)
}

func runScheduler(ctx context.Context, sched *schedoptions.Options) error {
	config, s, err := schedapp.Setup(ctx, sched)
	if err != nil {
		return err
	}
	return schedapp.Run(ctx, config, s)
}
