package lean

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// Patch writes, and answers with a glance and the whole status.
func (w *within) Patch(ctx context.Context, name string, kind types.PatchType, data []byte, o metav1.PatchOptions, subresources ...string) (*unstructured.Unstructured, error) {
	body, err := w.client.rest.Patch(kind).AbsPath(root(w.resource)...).Namespace(w.namespace).Resource(w.resource.Resource).
		Name(name).SubResource(subresources...).Body(data).
		SpecificallyVersionedParams(&o, metav1.ParameterCodec, metav1.SchemeGroupVersion).Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	answer := answers.Get().(*bytes.Buffer)
	defer giveBack(answer)
	if _, err := answer.ReadFrom(body); err != nil {
		return nil, fmt.Errorf("read the answer to a patch: %w", err)
	}
	return look(answer.Bytes(), "status")
}

// answers are buffers of answers; nothing of what was read from one shares its memory.
var answers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// mostAnswer is the room of a buffer that is kept.
const mostAnswer = 64 << 10

func giveBack(b *bytes.Buffer) {
	if b.Cap() > mostAnswer {
		return
	}
	b.Reset()
	answers.Put(b)
}
