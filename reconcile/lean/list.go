package lean

import (
	"context"
	"fmt"
	"io"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"example.com/mote/jsonscan"
)

// client is a dynamic client whose lists are read into one buffer, page after
// page. The dynamic client's own reads each answer into a buffer that it grows
// anew; for pages of 250 objects that was three quarters of all garbage.
type client struct {
	dynamic.Interface
	rest rest.Interface
	read reader

	mu    sync.Mutex
	spare []byte // the buffer between two pages of a list; nil when it is in use, or no list is under way
}

// Resource reaches the objects of one resource.
func (c *client) Resource(r schema.GroupVersionResource) dynamic.NamespaceableResourceInterface {
	inner := c.Interface.Resource(r)
	return &everywhere{NamespaceableResourceInterface: inner, lister: lister{c, r, ""}}
}

// everywhere is a resource in all namespaces.
type everywhere struct {
	dynamic.NamespaceableResourceInterface
	lister
}

// List lists objects, as far as they are read.
func (e *everywhere) List(ctx context.Context, o metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	return e.list(ctx, o)
}

// Namespace narrows to one namespace.
func (e *everywhere) Namespace(name string) dynamic.ResourceInterface {
	return &within{e.NamespaceableResourceInterface.Namespace(name), lister{e.client, e.resource, name}}
}

// within is a resource in one namespace.
type within struct {
	dynamic.ResourceInterface
	lister
}

// List lists objects, as far as they are read.
func (w *within) List(ctx context.Context, o metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	return w.list(ctx, o)
}

// lister reads lists.
type lister struct {
	client    *client
	resource  schema.GroupVersionResource
	namespace string
}

func (l lister) list(ctx context.Context, o metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	path := root(l.resource)
	if l.namespace != "" {
		path = append(path, "namespaces", l.namespace)
	}
	body, err := l.client.rest.Get().AbsPath(append(path, l.resource.Resource)...).
		SpecificallyVersionedParams(&o, metav1.ParameterCodec, metav1.SchemeGroupVersion).Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	text, err := readAll(body, l.client.take())
	if err != nil {
		return nil, fmt.Errorf("read a list: %w", err)
	}
	var out unstructured.UnstructuredList
	if err := list(jsonscan.New(text), l.client.read, &out); err != nil {
		return nil, fmt.Errorf("read a list: %w", err)
	}
	if out.GetContinue() != "" {
		l.client.give(text)
	}
	return &out, nil
}

// root is the path above all of a resource.
func root(r schema.GroupVersionResource) []string {
	if r.Group == "" {
		return []string{"api", r.Version}
	}
	return []string{"apis", r.Group, r.Version}
}

// take is the buffer, if there is one that nobody uses.
func (c *client) take() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.spare
	c.spare = nil
	return b
}

// give keeps a buffer for the list's next page; nothing of what was read from it
// shares its memory.
func (c *client) give(b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cap(b) > cap(c.spare) {
		c.spare = b
	}
}

// firstRoom is the buffer of a first page: most of 250 small objects.
const firstRoom = 256 << 10

// readAll reads to the end, into a buffer if that has room.
func readAll(from io.Reader, into []byte) ([]byte, error) {
	if into = into[:0]; cap(into) == 0 {
		into = make([]byte, 0, firstRoom)
	}
	for {
		n, err := from.Read(into[len(into):cap(into)])
		into = into[:len(into)+n]
		if err == io.EOF {
			return into, nil
		}
		if err != nil {
			return nil, err
		}
		if len(into) == cap(into) {
			into = append(into, make([]byte, len(into))...)[:len(into)]
		}
	}
}
