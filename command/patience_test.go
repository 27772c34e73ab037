package command

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// answers is a transport that answers after a while, with a body that comes later.
type answers struct{ head, body time.Duration }

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := wait(r.Context(), a.head); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Body: lateBody{r.Context(), a.body}}, nil
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

type lateBody struct {
	ctx  context.Context
	late time.Duration
}

func (b lateBody) Read([]byte) (int, error) {
	if err := wait(b.ctx, b.late); err != nil {
		return 0, err
	}
	return 0, io.EOF
}
func (b lateBody) Close() error { return nil }

func TestPatience(t *testing.T) {
	const never = time.Duration(1<<63 - 1)
	for name, c := range map[string]struct {
		answers
		url   string
		fails bool
	}{
		"quick":               {answers{time.Second, time.Second}, "http://api/apis", false},
		"no answer":           {answers{never, 0}, "http://api/apis", true},
		"no body":             {answers{time.Second, never}, "http://api/apis", true},
		"a watch goes on":     {answers{time.Second, time.Hour}, "http://api/apis?watch=true", false},
		"a watch that is not": {answers{never, 0}, "http://api/apis?watch=true", true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				answer, err := (&http.Client{Transport: patient(c.answers)}).Get(c.url)
				if err == nil {
					_, err = io.ReadAll(answer.Body)
					answer.Body.Close()
				}
				if c.fails != (err != nil) || c.fails && !strings.Contains(err.Error(), "the API server at api did not answer within 30s") {
					t.Error(err)
				}
				if c.fails && time.Since(began) != answerLimit {
					t.Errorf("after %s", time.Since(began))
				}
			})
		})
	}
}

// Whoever ends a request hears that, and nothing of a limit.
func TestPatienceOfACaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://api/apis", nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := patient(answers{time.Hour, 0}).RoundTrip(r); err == nil || strings.Contains(err.Error(), "within") {
			t.Error(err)
		}
	})
}
