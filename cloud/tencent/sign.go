package tencent

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/tencentcloud/tencentcloud-sdk-go/tencentcloud/common"
	tchttp "github.com/tencentcloud/tencentcloud-sdk-go/tencentcloud/common/http"
)

// request is one call as the SDK makes it: its body is params as JSON.
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

// signer is the SDK's transport: it sends nothing, and hands back the request that the
// SDK has made and signed. What goes over the wire goes past the SDK: so nothing in it can
// send a request twice, and its frames, 3.5 kB of stack, are gone while hundreds of calls
// wait for a slow cloud.
type signer struct{}

type signedKey struct{}

var errSigned = errors.New("the request is signed")

// RoundTrip is http.RoundTripper's.
func (signer) RoundTrip(r *http.Request) (*http.Response, error) {
	*r.Context().Value(signedKey{}).(**http.Request) = r
	return nil, errSigned
}

// sign makes the request of one call; nothing is sent.
//
//go:noinline
func (c *Client) sign(ctx context.Context, key Credential, region string, a action, params any, now time.Time) (*http.Request, error) {
	var signed *http.Request
	req := &request{params: params}
	req.Init().WithApiInfo(a.service, versions[a.service], a.name)
	req.SetScheme(c.endpoint.scheme)
	req.SetDomain(c.endpoint.domain(a.service))
	req.SetContext(context.WithValue(ctx, signedKey{}, &signed))
	req.SetHeader(map[string]string{
		"X-TC-Region":    region,
		"X-TC-Timestamp": strconv.FormatInt(now.Unix(), 10),
	})
	sdk := c.sdk
	sdk.WithCredential(common.NewTokenCredential(key.SecretID, key.SecretKey, key.Token))
	if err := sdk.Send(req, &response{}); signed == nil {
		return nil, err
	}
	return signed, nil
}
