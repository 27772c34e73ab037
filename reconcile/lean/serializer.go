package lean

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"example.com/mote/jsonscan"
)

// NewClient makes a dynamic client whose lists and watches carry glances of
// objects only. A patch within a namespace answers with such a glance and the whole
// status; what else it reads and writes is whole.
func NewClient(config *rest.Config) (dynamic.Interface, error) {
	return newClient(config, func(s *jsonscan.Scanner) (map[string]any, error) { return glance(s) })
}

// NewBareClient makes a dynamic client whose lists and watches carry whole objects, but
// for their managedFields. It is for these.
func NewBareClient(config *rest.Config) (dynamic.Interface, error) { return newClient(config, bare) }

// reader reads one object.
type reader func(s *jsonscan.Scanner) (map[string]any, error)

func newClient(config *rest.Config, read reader) (dynamic.Interface, error) {
	c := dynamic.ConfigFor(config)
	h, err := rest.HTTPClientFor(c)
	if err != nil {
		return nil, err
	}
	full := c.NegotiatedSerializer.SupportedMediaTypes()[0] // JSON
	c.ContentType, c.AcceptContentTypes = "application/json", "application/json"
	full.Serializer = decoder{full.Serializer, read}
	stream := *full.StreamSerializer
	stream.Serializer, stream.Framer = envelopes{stream.Serializer}, framer{stream.Framer}
	full.StreamSerializer = &stream
	c.NegotiatedSerializer = negotiator{c.NegotiatedSerializer, full}
	c.GroupVersion = &schema.GroupVersion{}
	r, err := rest.UnversionedRESTClientForConfigAndClient(c, h)
	if err != nil {
		return nil, err
	}
	return &client{Interface: dynamic.New(r), rest: r, read: read}, nil
}

// negotiator offers the one media type.
type negotiator struct {
	runtime.NegotiatedSerializer
	json runtime.SerializerInfo
}

// SupportedMediaTypes is JSON, read by a decoder.
func (n negotiator) SupportedMediaTypes() []runtime.SerializerInfo {
	return []runtime.SerializerInfo{n.json}
}

// Glance is an object as an event brought it: what is read of it, and the JSON of it
// all, which is nobody else's.
type Glance struct {
	unstructured.Unstructured
	Text []byte
}

// decoder reads the objects of events. A Status, which tells of an error, and what has
// a place to go into, are read whole by the serializer beneath.
type decoder struct {
	runtime.Serializer
	read reader
}

// Decode reads an object of an event.
func (d decoder) Decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	if into != nil {
		return d.Serializer.Decode(data, defaults, into)
	}
	o, err := d.read(jsonscan.New(data))
	if err != nil {
		return nil, nil, fmt.Errorf("read an object: %w", err)
	}
	u := &Glance{unstructured.Unstructured{Object: o}, data}
	gvk := u.GroupVersionKind()
	if gvk == (schema.GroupVersionKind{Version: "v1", Kind: "Status"}) {
		return d.Serializer.Decode(data, defaults, into)
	}
	return u, &gvk, nil
}
