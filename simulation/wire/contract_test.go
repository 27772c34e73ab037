package wire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// both runs a test over a Line and over a real socket: what a client can tell of
// the two is the same.
func both(t *testing.T, h http.HandlerFunc, test func(t *testing.T, client *http.Client, url string)) {
	t.Run("line", func(t *testing.T) {
		test(t, &http.Client{Transport: NewLine(h, nil)}, "http://wire.test")
	})
	t.Run("socket", func(t *testing.T) {
		s := httptest.NewServer(h)
		defer s.Close()
		test(t, s.Client(), s.URL)
	})
}

func send(t *testing.T, ctx context.Context, c *http.Client, url, body string) (*http.Response, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/a/b?c=d%20e", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Asked", "yes")
	return c.Do(r)
}

func TestAnswer(t *testing.T) {
	both(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("X-Told", "yes")
		w.WriteHeader(http.StatusTeapot)
		w.Header().Set("X-Late", "not sent any more")
		fmt.Fprint(w, r.Method, " ", r.RequestURI, " ", r.URL.Query().Get("c"), " ", r.Header.Get("X-Asked"), " ", r.ContentLength, " ", string(body))
	}, func(t *testing.T, c *http.Client, url string) {
		resp, err := send(t, t.Context(), c, url, "hello")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		got, err := io.ReadAll(resp.Body)
		if want := "POST /a/b?c=d%20e d e yes 5 hello"; err != nil || string(got) != want || resp.ContentLength != int64(len(want)) {
			t.Errorf("%q of %d bytes, %v; want %q", got, resp.ContentLength, err, want)
		}
		if resp.StatusCode != http.StatusTeapot || resp.Header.Get("X-Told") != "yes" || resp.Header.Get("X-Late") != "" {
			t.Errorf("%s, %v", resp.Status, resp.Header)
		}
	})
}

// A handler that says nothing has answered 200.
func TestNothingSaid(t *testing.T) {
	both(t, func(http.ResponseWriter, *http.Request) {}, func(t *testing.T, c *http.Client, url string) {
		resp, err := send(t, t.Context(), c, url, "")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if got, err := io.ReadAll(resp.Body); err != nil || len(got) > 0 || resp.StatusCode != http.StatusOK {
			t.Errorf("%s %q %v", resp.Status, got, err)
		}
	})
}

func TestBrokenBeforeTheAnswer(t *testing.T) {
	both(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, func(t *testing.T, c *http.Client, url string) {
		if resp, err := send(t, t.Context(), c, url, ""); !errors.Is(err, io.EOF) {
			t.Errorf("%v, %v", resp, err)
		}
	})
}

func TestBrokenInTheAnswer(t *testing.T) {
	both(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		fmt.Fprint(w, "half")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}, func(t *testing.T, c *http.Client, url string) {
		resp, err := send(t, t.Context(), c, url, "")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if got, err := io.ReadAll(resp.Body); string(got) != "half" || !errors.Is(err, io.ErrUnexpectedEOF) || resp.ContentLength != 10 {
			t.Errorf("%q of %d bytes, %v", got, resp.ContentLength, err)
		}
	})
}

// What is flushed arrives at once, and a handler learns when its caller leaves.
func TestStream(t *testing.T) {
	said, left := make(chan string), make(chan struct{}, 1)
	both(t, func(w http.ResponseWriter, r *http.Request) {
		for {
			w.(http.Flusher).Flush()
			select {
			case s := <-said:
				fmt.Fprintln(w, s)
			case <-r.Context().Done():
				left <- struct{}{}
				return
			}
		}
	}, func(t *testing.T, c *http.Client, url string) {
		for _, leave := range []string{"cancel", "close"} {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			resp, err := send(t, ctx, c, url, "")
			if err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(resp.Body)
			for _, want := range []string{"one", "two"} {
				said <- want
				if !lines.Scan() || lines.Text() != want {
					t.Errorf("%q, %v; want %q", lines.Text(), lines.Err(), want)
				}
			}
			if leave == "cancel" {
				cancel()
				if lines.Scan() || !errors.Is(lines.Err(), context.Canceled) {
					t.Errorf("after the caller has left: %q, %v", lines.Text(), lines.Err())
				}
			}
			resp.Body.Close()
			<-left
		}
	})
}

// A caller may leave before there is an answer, and before it begins.
func TestCallerLeaves(t *testing.T) {
	arrived, left := make(chan struct{}, 1), make(chan struct{}, 1)
	both(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // net/http looks for the caller's end only after it
		arrived <- struct{}{}
		<-r.Context().Done()
		left <- struct{}{}
	}, func(t *testing.T, c *http.Client, url string) {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-arrived
			cancel()
		}()
		if resp, err := send(t, ctx, c, url, "x"); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, %v", resp, err)
		}
		<-left
		if resp, err := send(t, ctx, c, url, "x"); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, %v", resp, err)
		}
	})
}
