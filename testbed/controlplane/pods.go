package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/mote/testbed/controlplane/podstandin"
	"example.com/mote/testbed/controlplane/settings"
)

// nodeName is the one Node of the cluster.
const nodeName = "edge-1"

func runPodStandIn(ctx context.Context, dir *stateDir) error {
	client, err := clientFor(dir, podStandIn)
	if err != nil {
		return err
	}
	return podstandin.Run(ctx, client, nodeName)
}

// usable waits until a client's first pod would be let in and scheduled: the service account of its namespace is there,
// and the Node is.
func usable(dir *stateDir, s settings.Settings) func(context.Context) error {
	return func(ctx context.Context) error {
		client, err := clientFor(dir, admin)
		if err != nil {
			return err
		}
		return poll(ctx, "the cluster is not usable", func(ctx context.Context) error {
			if s.Controllers == settings.DefaultControllers {
				if _, err := client.CoreV1().ServiceAccounts("default").Get(ctx, "default", metav1.GetOptions{}); err != nil {
					return err
				}
			}
			if s.Pods == settings.PodStandIn {
				node, err := client.CoreV1().Nodes().Get(ctx, nodeName, metav1.GetOptions{})
				if err != nil {
					return err
				}
				if len(node.Status.Conditions) == 0 {
					return fmt.Errorf("Node %s is not Ready", nodeName)
				}
			}
			return nil
		})
	}
}
