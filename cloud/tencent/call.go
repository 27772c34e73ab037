package tencent

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"example.com/mote/cloud"
	"example.com/mote/jsonscan"
)

// scanned is a result that is read without encoding/json.
type scanned interface {
	scan(*jsonscan.Scanner) error
}

// call makes one call of a in region and decodes the answer into result (nil:
// nothing is wanted of it). The request is sent once or not at all. secrets are
// what params holds that no error may repeat. The error is a *cloud.Error.
func (c *Client) call(ctx context.Context, region string, a action, params, result any, secrets ...string) (requestID string, err error) {
	began := time.Now()
	defer func() { c.called(a.name, region, time.Since(began), err) }()
	f := &failure{client: c, action: a, region: region, secrets: secrets, parent: ctx, exchange: &exchange{}}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	defer f.exchange.release()
	request, err := c.prepare(ctx, f, params)
	if err != nil {
		return "", err
	}
	if err := c.wire.carry(request, f.exchange); err != nil {
		return "", f.noAnswer(Classify(a.name, "", err), err)
	}
	return c.take(f, result)
}

// prepare makes the request of a call that may be made now. The error is a *cloud.Error.
//
//go:noinline
func (c *Client) prepare(ctx context.Context, f *failure, params any) (*http.Request, error) {
	if err := ctx.Err(); err != nil {
		return nil, f.notSent("mote.GaveUp", "nothing was sent", err)
	}
	if f.region == "" {
		return nil, f.refused("mote.NoRegion", "no region was given")
	}
	key, err := c.credentials(ctx)
	if err == nil && (key.SecretID == "" || key.SecretKey == "") {
		err = errNoKey
	}
	if err != nil {
		return nil, f.noCredentials(ctx, err)
	}
	f.secrets = append(f.secrets, key.SecretKey, key.Token)
	if wait := c.limits.Take(f.action.name, f.region); wait > 0 {
		return nil, f.tooEarly(wait)
	}
	f.signed = c.now()
	request, err := c.sign(f.exchange.traced(ctx), key, f.region, f.action, params, f.signed)
	if err != nil {
		return nil, f.of(neverSent{err})
	}
	return request, nil
}

// take decodes an answer into result. The error is a *cloud.Error.
//
//go:noinline
func (c *Client) take(f *failure, result any) (requestID string, err error) {
	x := f.exchange
	if err := x.failure(); err != nil {
		return "", f.of(err)
	}
	// An empty object parses, too. Only an answer with a request id is one of
	// the API's; anything else must not pass for "done" or "there are none".
	if x.requestID == "" {
		return "", f.unreadable()
	}
	switch result := result.(type) {
	case nil:
	case scanned:
		err = result.scan(jsonscan.New(x.response))
	default:
		err = json.Unmarshal(x.response, result)
	}
	if err != nil {
		return x.requestID, f.unreadable()
	}
	return x.requestID, nil
}

// refuse is the error for a call that makes no sense and is not made.
func (c *Client) refuse(region string, a action, code, message string) *cloud.Error {
	return (&failure{client: c, action: a, region: region}).refused(code, message)
}
