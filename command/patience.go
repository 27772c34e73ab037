package command

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// answerLimit is how long plan, explain and status wait for the answer to one request.
const answerLimit = 30 * time.Second

// patient limits each request over next, its body included; of a watch only the time
// until it begins.
func patient(next http.RoundTripper) http.RoundTripper { return &limited{next} }

type limited struct{ next http.RoundTripper }

// silent is why a request was given up.
type silent struct{ host string }

func (s silent) Error() string {
	return fmt.Sprintf("the API server at %s did not answer within %s", s.host, answerLimit)
}

// RoundTrip is http.RoundTripper's.
func (l *limited) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	why := silent{r.URL.Host}
	timer := time.AfterFunc(answerLimit, func() { cancel(why) })
	b := &limitedBody{ctx: ctx, end: func() { timer.Stop(); cancel(nil) }}
	answer, err := l.next.RoundTrip(r.WithContext(ctx))
	if err != nil {
		err = b.reason(err)
		b.end()
		return nil, err
	}
	if r.URL.Query().Has("watch") {
		timer.Stop()
	}
	b.ReadCloser = answer.Body
	answer.Body = b
	return answer, nil
}

// limitedBody ends the limit when it is closed.
type limitedBody struct {
	io.ReadCloser
	ctx context.Context
	end func()
}

// reason is err, or the limit where that was it: not every transport tells the cause.
func (b *limitedBody) reason(err error) error {
	if why, ok := context.Cause(b.ctx).(silent); ok && err != nil && err != io.EOF {
		return why
	}
	return err
}

func (b *limitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	return n, b.reason(err)
}

func (b *limitedBody) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}
