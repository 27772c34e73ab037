package tencent

import (
	"errors"
	"net/http"
	"time"

	"github.com/tencentcloud/tencentcloud-sdk-go/tencentcloud/common"
	"github.com/tencentcloud/tencentcloud-sdk-go/tencentcloud/common/profile"

	"example.com/mote/cloud"
)

// Options are what a Client needs to know; only Credentials is required.
type Options struct {
	// Credentials is asked at each call, so that keys rotate without a restart.
	Credentials Credentials
	// Endpoint is where the API is. "": the public endpoints,
	// https://{service}.tencentcloudapi.com. Else a URL of scheme http or https
	// and host[:port]; "{service}" in the host stands for postgres, vpc or tag, as
	// in https://{service}.intl.tencentcloudapi.com, and without it the host serves
	// all. With http, passwords go over the network in plain text.
	Endpoint string
	// Timeout bounds each call, beside the caller's context; default 30 s.
	Timeout time.Duration
	// Limits are the rates shared by all callers; default NewLimits(nil).
	Limits *cloud.Limits
	// Transport carries the requests, in place of the default of HTTP/1.1, for
	// a simulation without sockets. It must send each request at most once.
	Transport http.RoundTripper
	// Now is the clock that signs requests; default time.Now. The cloud accepts
	// a difference of 5 minutes.
	Now func() time.Time
	// Called is told of each call that ends, also of those that were not sent;
	// nil: nobody is. The error is nil or a *cloud.Error.
	Called func(action, region string, took time.Duration, err error)
}

// Client is a cloud.Postgres. It is safe for use by many goroutines, and one is
// enough for a process: it holds the only transport.
type Client struct {
	sdk         common.Client // signs; copied for each call, with the credentials of the moment
	wire        *wire
	endpoint    endpoint
	credentials Credentials
	timeout     time.Duration
	limits      *cloud.Limits
	now         func() time.Time
	called      func(action, region string, took time.Duration, err error)
}

var (
	_ cloud.Postgres = (*Client)(nil)
	_ cloud.Pacer    = (*Client)(nil)
)

// New makes a Client. It fails on missing Credentials, an Endpoint that is not
// as Options says, or a negative Timeout; it makes no call.
func New(o Options) (*Client, error) {
	if o.Credentials == nil {
		return nil, errors.New("the cloud needs a source of credentials")
	}
	if o.Timeout < 0 {
		return nil, errors.New("the timeout of a call to the cloud cannot be negative")
	}
	at, err := parseEndpoint(o.Endpoint)
	if err != nil {
		return nil, err
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Limits == nil {
		o.Limits = NewLimits(o.Now)
	}
	p := profile.NewClientProfile()
	p.Language = "en-US"
	// Everything that would send a request twice, or print one, stays off.
	p.NetworkFailureMaxRetries = 0
	p.RateLimitExceededMaxRetries = 0
	p.UnsafeRetryOnConnectionFailure = false
	p.DisableRegionBreaker = true
	p.Debug = false
	// The call's context is the one timeout; the SDK's knows whole seconds only.
	p.HttpProfile.ReqTimeout = 0

	if o.Called == nil {
		o.Called = func(string, string, time.Duration, error) {}
	}
	c := &Client{called: o.Called, endpoint: at, credentials: o.Credentials, timeout: o.Timeout, limits: o.Limits, now: o.Now, wire: newWire(o.Transport)}
	c.sdk.Init("").WithProfile(p).WithHttpTransport(signer{})
	return c, nil
}
