package dataset

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"k8s.io/client-go/rest"
)

// API makes plain requests of the API server. It decodes no more than asked for,
// because the benchmark's own load shares the machine with what it measures.
type API struct {
	host string
	http *http.Client
}

// NewAPI makes a client of the API server that config names.
func NewAPI(config *rest.Config) (*API, error) {
	config = rest.CopyConfig(config)
	config.DisableCompression = true
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	return &API{host: strings.TrimSuffix(config.Host, "/"), http: client}, nil
}

// Object is the little that is read of an answer.
type Object struct {
	Metadata struct {
		Namespace         string `json:"namespace"`
		Name              string `json:"name"`
		UID               string `json:"uid"`
		Generation        int64  `json:"generation"`
		ResourceVersion   string `json:"resourceVersion"`
		DeletionTimestamp string `json:"deletionTimestamp"`
	} `json:"metadata"`
	Status struct {
		Phase              string `json:"phase"`
		InstanceID         string `json:"instanceID"`
		ObservedGeneration int64  `json:"observedGeneration"`
	} `json:"status"`
}

// Do makes a request; into is what the answer is decoded into (nil: nothing).
// body is sent as JSON, or as a merge patch with PATCH.
func (a *API) Do(ctx context.Context, method, path string, body, into any) error {
	var payload io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		payload = bytes.NewReader(b)
	}
	resp, err := a.send(ctx, method, path, payload)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if into == nil {
		_, err := io.Copy(io.Discard, resp.Body)
		return err
	}
	return json.NewDecoder(resp.Body).Decode(into)
}

// Stream opens a watch; the caller closes it.
func (a *API) Stream(ctx context.Context, path string) (io.ReadCloser, error) {
	resp, err := a.send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

func (a *API) send(ctx context.Context, method, path string, payload io.Reader) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, a.host+path, payload)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	resp, err := a.http.Do(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 300 {
		said, _ := io.ReadAll(io.LimitReader(resp.Body, 1024))
		resp.Body.Close()
		return nil, fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, said)
	}
	return resp, nil
}
