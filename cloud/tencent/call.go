package tencent

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/tencentcloud/tencentcloud-sdk-go/tencentcloud/common"
	tchttp "github.com/tencentcloud/tencentcloud-sdk-go/tencentcloud/common/http"

	"example.com/mote/cloud"
	"example.com/mote/jsonscan"
)

// request is one call as the SDK sends it: its body is params as JSON.
type request struct {
	tchttp.BaseRequest
	params any
}

// MarshalJSON is the body.
func (r *request) MarshalJSON() ([]byte, error) { return json.Marshal(r.params) }

// response is what the SDK parses: whether it is an error. The rest is ours; see envelope.
type response struct {
	tchttp.BaseResponse
}

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
	f := failure{client: c, action: a, region: region, secrets: secrets, parent: ctx}
	if err := ctx.Err(); err != nil {
		return "", f.notSent("mote.GaveUp", "nothing was sent", err)
	}
	if region == "" {
		return "", f.refused("mote.NoRegion", "no region was given")
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	key, err := c.credentials(ctx)
	if err == nil && (key.SecretID == "" || key.SecretKey == "") {
		err = errNoKey
	}
	if err != nil {
		return "", f.noCredentials(ctx, err)
	}
	f.secrets = append(f.secrets, key.SecretKey, key.Token)
	if wait := c.limits.Take(a.name, region); wait > 0 {
		return "", f.tooEarly(wait)
	}

	ctx, f.exchange = withExchange(ctx)
	defer f.exchange.release()
	req := &request{params: params}
	req.Init().WithApiInfo(a.service, versions[a.service], a.name)
	req.SetScheme(c.endpoint.scheme)
	req.SetDomain(c.endpoint.domain(a.service))
	req.SetContext(ctx)
	f.signed = c.now()
	req.SetHeader(map[string]string{
		"X-TC-Region":    region,
		"X-TC-Timestamp": strconv.FormatInt(f.signed.Unix(), 10),
	})
	var resp response
	sdk := c.sdk
	sdk.WithCredential(common.NewTokenCredential(key.SecretID, key.SecretKey, key.Token))
	if err := sdk.Send(req, &resp); err != nil {
		return "", f.of(err)
	}

	// An empty object parses, too. Only an answer with a request id is one of
	// the API's; anything else must not pass for "done" or "there are none".
	if f.exchange.requestID == "" {
		return "", f.unreadable()
	}
	switch result := result.(type) {
	case nil:
	case scanned:
		err = result.scan(jsonscan.New(f.exchange.response))
	default:
		err = json.Unmarshal(f.exchange.response, result)
	}
	if err != nil {
		return f.exchange.requestID, f.unreadable()
	}
	return f.exchange.requestID, nil
}

// refuse is the error for a call that makes no sense and is not made.
func (c *Client) refuse(region string, a action, code, message string) *cloud.Error {
	return (&failure{client: c, action: a, region: region}).refused(code, message)
}
