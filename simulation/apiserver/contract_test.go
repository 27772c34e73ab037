package apiserver_test

import (
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
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

// A list in pages that takes too long ends in Expired; a watch that stands does not.
func TestForget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, err := apiserver.New("default", "two", "three")
		if err != nil {
			t.Fatal(err)
		}
		client, err := dynamic.NewForConfig(&rest.Config{Host: "http://apiserver.test", Transport: wire.NewLine(server, nil)})
		if err != nil {
			t.Fatal(err)
		}
		namespaces := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"})
		page, err := namespaces.List(t.Context(), metav1.ListOptions{Limit: 2})
		if err != nil || page.GetContinue() == "" {
			t.Fatalf("%v, %v", page, err)
		}
		w, err := namespaces.Watch(t.Context(), metav1.ListOptions{ResourceVersion: page.GetResourceVersion()})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Stop()
		four := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "four"}}}
		if _, err := namespaces.Create(t.Context(), four, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		server.Forget()
		if _, err := namespaces.List(t.Context(), metav1.ListOptions{Limit: 2, Continue: page.GetContinue()}); !apierrors.IsResourceExpired(err) {
			t.Errorf("the next page: %v", err)
		}
		if e := <-w.ResultChan(); e.Type != watch.Added {
			t.Errorf("the watch tells %v", e)
		}
	})
}
