module example.com/mote

go 1.26.0

require (
	github.com/KimMachineGun/automemlimit v1.0.1
	github.com/tencentcloud/tencentcloud-sdk-go/tencentcloud/common v1.3.212
	go.uber.org/automaxprocs v1.6.0
	k8s.io/apimachinery v0.37.2
	k8s.io/client-go v0.37.2
)
