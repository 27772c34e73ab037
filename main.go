// Command mote is an operator for edge clusters.
package main

import (
	_ "github.com/KimMachineGun/automemlimit/memlimit"
	_ "github.com/tencentcloud/tencentcloud-sdk-go/tencentcloud/common"
	_ "go.uber.org/automaxprocs/maxprocs"
	_ "k8s.io/client-go/dynamic"
	_ "k8s.io/client-go/tools/clientcmd"
)

func main() {}
