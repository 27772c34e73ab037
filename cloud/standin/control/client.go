// Package control is a client of the stand-in's control endpoint: what was
// bought, who called, faults, keys, limits and changes in the console, for
// tests and the demo that run the stand-in as a process of its own.
//
// What may come in: the standard library and cloud/standin, whose types it
// speaks. What may not: anything of Mote's own.
package control

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"example.com/mote/cloud/standin"
)

// Client speaks to one stand-in. It is safe for use by many goroutines. Every
// method fails when the stand-in cannot be reached or refuses, with its words.
type Client struct {
	base string
	http *http.Client
}

// New makes a client of the stand-in at base, the URL of its READY line. A nil
// client is http.DefaultClient.
func New(base string, client *http.Client) *Client {
	if client == nil {
		client = http.DefaultClient
	}
	return &Client{base: strings.TrimSuffix(base, "/"), http: client}
}

// Ledger lists every instance ever bought, oldest first.
func (c *Client) Ledger(ctx context.Context) ([]standin.Entry, error) {
	return call[[]standin.Entry](ctx, c, http.MethodGet, "ledger", nil)
}

// Instance is the ledger's entry of one instance.
func (c *Client) Instance(ctx context.Context, id string) (standin.Entry, error) {
	return call[standin.Entry](ctx, c, http.MethodGet, "instances/"+url.PathEscape(id), nil)
}

// Console changes an instance past the API and returns it as it is then.
func (c *Client) Console(ctx context.Context, id string, change standin.Change) (standin.Entry, error) {
	return call[standin.Entry](ctx, c, http.MethodPost, "instances/"+url.PathEscape(id), change)
}

// Faults lists the faults that can still strike.
func (c *Client) Faults(ctx context.Context) ([]standin.Fault, error) {
	return call[[]standin.Fault](ctx, c, http.MethodGet, "faults", nil)
}

// AddFaults adds faults and returns their ids.
func (c *Client) AddFaults(ctx context.Context, faults ...standin.Fault) ([]int, error) {
	out, err := call[given](ctx, c, http.MethodPost, "faults", append([]standin.Fault{}, faults...))
	return out.IDs, err
}

// SetFaults does as AddFaults, and drops all earlier faults.
func (c *Client) SetFaults(ctx context.Context, faults ...standin.Fault) ([]int, error) {
	out, err := call[given](ctx, c, http.MethodPut, "faults", append([]standin.Fault{}, faults...))
	return out.IDs, err
}

// given are the ids that faults got.
type given struct {
	IDs []int `json:"ids"`
}

// ClearFaults drops the faults with these ids, or all when none is given.
func (c *Client) ClearFaults(ctx context.Context, ids ...int) error {
	path := "faults"
	if len(ids) > 0 {
		var text []string
		for _, id := range ids {
			text = append(text, strconv.Itoa(id))
		}
		path += "?id=" + strings.Join(text, ",")
	}
	_, err := call[json.RawMessage](ctx, c, http.MethodDelete, path, nil)
	return err
}

// SetKeys replaces the accepted credentials.
func (c *Client) SetKeys(ctx context.Context, keys ...standin.Key) error {
	_, err := call[json.RawMessage](ctx, c, http.MethodPut, "keys", append([]standin.Key{}, keys...))
	return err
}

// Calls returns the counts and the recent calls whose Seq is above since.
func (c *Client) Calls(ctx context.Context, since int) (standin.Calls, error) {
	return call[standin.Calls](ctx, c, http.MethodGet, "calls?since="+strconv.Itoa(since), nil)
}

// Limits are the rate limits in force.
func (c *Client) Limits(ctx context.Context) (standin.Limits, error) {
	return call[standin.Limits](ctx, c, http.MethodGet, "limits", nil)
}

// SetLimits replaces the rate limits.
func (c *Client) SetLimits(ctx context.Context, l standin.Limits) error {
	_, err := call[json.RawMessage](ctx, c, http.MethodPut, "limits", l)
	return err
}

func call[T any](ctx context.Context, c *Client, method, path string, body any) (T, error) {
	var out T
	var payload io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return out, err
		}
		payload = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.base+standin.ControlPath+path, payload)
	if err != nil {
		return out, err
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return out, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return out, err
	}
	if resp.StatusCode != http.StatusOK {
		return out, fmt.Errorf("stand-in: %s %s: %s", method, path, strings.TrimSpace(string(b)))
	}
	err = json.Unmarshal(b, &out)
	return out, err
}
