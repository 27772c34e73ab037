package apiserver_test

import (
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"example.com/mote/simulation/apiserver"
	"example.com/mote/simulation/contract"
	"example.com/mote/simulation/wire"
)

// The same tests are passed by a real kube-apiserver: see testbed/contracttest.
func TestContract(t *testing.T) {
	for _, c := range contract.Tests() {
		t.Run(c.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, err := apiserver.New("default")
				if err != nil {
					t.Fatal(err)
				}
				stop := make(chan struct{})
				go server.Clock(time.Second, time.Hour, stop)
				defer close(stop)
				c.Run(t, &rest.Config{Host: "http://apiserver.test", Transport: wire.NewLine(server, nil)})
			})
		})
	}
}
