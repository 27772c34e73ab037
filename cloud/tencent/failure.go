package tencent

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	tcerr "github.com/tencentcloud/tencentcloud-sdk-go/tencentcloud/common/errors"

	"example.com/mote/cloud"
)

var errNoKey = errors.New("the keys are incomplete")

// failure makes a call's *cloud.Error. None of them repeats a secret: texts of
// the cloud are searched for them, and an answer that is not the API's, which
// may be anything, is described and not quoted.
type failure struct {
	client   *Client
	action   action
	region   string
	secrets  []string
	parent   context.Context // the caller's
	signed   time.Time       // by our clock
	exchange *exchange
}

func (f *failure) make(class cloud.Class, code, message string, cause error) *cloud.Error {
	if cause != nil && redact(cause.Error(), f.secrets) != cause.Error() {
		cause = nil
	}
	return &cloud.Error{Class: class, Action: f.action.name, Region: f.region, Code: code,
		Message: line(redact(message, f.secrets)), Err: cause}
}

func (f *failure) notSent(code, message string, cause error) *cloud.Error {
	return f.make(cloud.NotSent, code, message, cause)
}

func (f *failure) refused(code, message string) *cloud.Error {
	return f.make(cloud.Refused, code, message, nil)
}

// tooEarly is the answer of our own rate.
func (f *failure) tooEarly(wait time.Duration) *cloud.Error {
	e := f.make(cloud.Throttled, "mote.LocalRate", "more calls at once than the cloud allows, not sent yet", nil)
	e.RetryAfter = wait
	return e
}

// noCredentials is the answer to a call that nobody can sign.
func (f *failure) noCredentials(ctx context.Context, err error) *cloud.Error {
	if ctx.Err() != nil {
		return f.notSent("mote.NoCredentials", "gave up waiting for the credentials: "+err.Error(), err)
	}
	return f.make(cloud.Denied, "mote.NoCredentials", "no credentials for the cloud: "+err.Error(), err)
}

// unreadable is an answer that is not the API's.
func (f *failure) unreadable() *cloud.Error {
	x := f.exchange
	e := f.make(cloud.Ambiguous, "mote.UnreadableAnswer", fmt.Sprintf("the answer is not one of the API's: HTTP %d %s, %q, %d bytes",
		x.status, http.StatusText(x.status), x.kind, x.size), nil)
	e.Network = true
	return e
}

// of is the error of a call that the SDK reports as failed.
func (f *failure) of(err error) *cloud.Error {
	var e *tcerr.TencentCloudSDKError
	if !errors.As(err, &e) {
		e = &tcerr.TencentCloudSDKError{}
	}
	class := Classify(f.action.name, e.Code, err)
	switch {
	case f.exchange.status == 0:
		return f.noAnswer(class, err)
	case e.Code == "" || strings.HasPrefix(e.Code, "ClientError."):
		return f.unreadable()
	}
	out := f.make(class, e.Code, e.Message+f.hint(e.Code), nil)
	out.RequestID = e.RequestId
	if class == cloud.Throttled && strings.HasPrefix(e.Code, requestLimit) {
		f.client.limits.Throttled(f.action.name, f.region)
		out.RetryAfter = time.Second // rates count by the second
	}
	return out
}

// noAnswer is the error of a request that was not sent, or not answered.
func (f *failure) noAnswer(class cloud.Class, err error) *cloud.Error {
	why := err.Error()
	if errors.Is(err, context.DeadlineExceeded) && f.parent.Err() == nil {
		why = fmt.Sprintf("nothing came within %s", f.client.timeout)
	}
	var e *cloud.Error
	if class == cloud.NotSent {
		e = f.notSent("mote.NotSent", "the request was not sent: "+why, err)
	} else {
		e = f.make(class, "mote.NoAnswer", "no answer to a request that may have been received: "+why, err)
	}
	e.Network = !errors.Is(f.parent.Err(), context.Canceled) // else it was the caller who left
	return e
}

// hint says what a person can do about a code whose cause is on our side.
func (f *failure) hint(code string) string {
	if code != signatureExpire {
		return ""
	}
	hint := " (check this node's clock"
	if date := f.exchange.date; !date.IsZero() {
		switch off := f.signed.Sub(date).Round(time.Second); {
		case off > 0:
			hint += fmt.Sprintf(": it is %s ahead of the cloud's", off)
		case off < 0:
			hint += fmt.Sprintf(": it is %s behind the cloud's", -off)
		}
	}
	return hint + "; at most 5 minutes are allowed)"
}
