package tencent

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	tchttp "github.com/tencentcloud/tencentcloud-sdk-go/tencentcloud/common/http"
)

// maxBody bounds an answer in memory: a page of 100 instances is below 1 MB.
const maxBody = 16 << 20

// exchange is what a call's errors tell of the wire; it belongs to one call.
type exchange struct {
	status int       // HTTP status; 0: no answer
	kind   string    // Content-Type of the answer
	size   int       // bytes of its body
	date   time.Time // the cloud's clock; zero when it did not say

	// Of an answer of the API's form; nil and "" else.
	response  []byte // its inner object, until release
	requestID string
	short     []byte // see envelope

	connected bool // the request has one, so it may have left

	buffer *bytes.Buffer
}

// buffers are those that answers are read into: growing a new one for each page
// of 100 instances made most of the garbage of a Mote at rest.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxKept is the largest buffer that is kept for another answer.
const maxKept = 1 << 20

// release ends the use of the answer's bytes.
func (x *exchange) release() {
	if x.buffer != nil && x.buffer.Cap() <= maxKept {
		x.buffer.Reset()
		buffers.Put(x.buffer)
	}
	x.buffer, x.response, x.short = nil, nil, nil
}

// traced makes the exchange know when its request has a connection.
func (x *exchange) traced(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { x.connected = true }})
}

// failure is the error that the answer is, as the SDK reads it; nil: it is none.
func (x *exchange) failure() error {
	body := x.short
	if body == nil {
		body = x.buffer.Bytes()
		if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
			body = nil // is no answer; of a null, the SDK would panic
		}
	}
	answer := &http.Response{StatusCode: x.status, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body))}
	if err := tchttp.TryReadErr(answer); err != nil {
		return err
	}
	return tchttp.ParseFromHttpResponse(answer, &response{})
}

// neverSent marks an error of a request of which not a byte has left.
type neverSent struct{ error }

func (e neverSent) Unwrap() error { return e.error }

// wire is the process's one transport. It sends each request at most once (see
// newWire), knows whether one has left, and takes complete answers only.
type wire struct {
	base http.RoundTripper
	// traced says that base tells of its connections, as net/http's does. What
	// fails in one that does not may have been sent, unless it could not dial.
	traced bool
}

// newWire wraps a transport, by default one for HTTP/1.1 only. There, net/http
// repeats a POST by itself just when nothing of it was written; over HTTP/2 it
// also repeats some that a peer reset.
func newWire(base http.RoundTripper) *wire {
	if base != nil {
		return &wire{base: base}
	}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &wire{traced: true, base: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		Protocols:           &protocols,
		TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConnsPerHost: 64,
		// Each call that waits has both. What is larger goes past them.
		WriteBufferSize: 1 << 10,
		ReadBufferSize:  1 << 10,
		// Shorter than what gateways and NAT tables forget, so that few
		// requests meet a dead connection.
		IdleConnTimeout: 30 * time.Second,
	}}
}

// carry sends a request and reads its answer. Whatever fails before there is a
// connection (name, route, TLS, proxy, the deadline of all that), the request has not left.
func (w *wire) carry(r *http.Request, x *exchange) error {
	resp, err := w.base.RoundTrip(r)
	if err != nil {
		if w.traced && !x.connected || dialFailed(err) {
			err = neverSent{err}
		}
		return err
	}
	x.buffer = buffers.Get().(*bytes.Buffer)
	_, err = x.buffer.ReadFrom(http.MaxBytesReader(nil, resp.Body, maxBody))
	resp.Body.Close()
	if err != nil {
		return err
	}
	body := x.buffer.Bytes()
	x.status, x.kind, x.size = resp.StatusCode, resp.Header.Get("Content-Type"), len(body)
	x.date, _ = http.ParseTime(resp.Header.Get("Date"))
	if e, err := open(body); err == nil {
		x.response, x.requestID, x.short = e.response, e.requestID, e.short
	}
	return nil
}

// dialFailed tells of an error from making a connection. After one connection
// failed, net/http makes another only for a request of which nothing was
// written, so that is certain then as well.
func dialFailed(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}
