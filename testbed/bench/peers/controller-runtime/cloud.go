package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
)

// cloud sells instances, with one call each.
type cloud struct {
	url  string
	http *http.Client
}

// newCloud is the cloud at CLOUD_URL. Its client keeps as many connections as
// there may be calls.
func newCloud(workers int) cloud {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = workers
	return cloud{url: os.Getenv("CLOUD_URL"), http: &http.Client{Transport: t}}
}

// buy returns the id of a new instance.
func (c cloud) buy(ctx context.Context) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, nil)
	if err != nil {
		return "", err
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return "", fmt.Errorf("call the cloud: %w", err)
	}
	defer resp.Body.Close()
	var bought struct{ ID string }
	if err := json.NewDecoder(resp.Body).Decode(&bought); err != nil {
		return "", fmt.Errorf("read the cloud's answer: %w", err)
	}
	return bought.ID, nil
}
