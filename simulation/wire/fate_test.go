package wire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// Each fate does what it says, to the caller and to the handler, on virtual time.
func TestFates(t *testing.T) {
	for name, c := range map[string]struct {
		fate    Fate
		limit   time.Duration // of the caller
		arrives bool
		took    time.Duration
		err     error // nil: an answer
		status  int
	}{
		"nothing":                  {arrives: true, status: 200},
		"late on the way":          {fate: Fate{Delay: time.Second}, arrives: true, took: time.Second, status: 200},
		"too late on the way":      {fate: Fate{Delay: time.Minute}, limit: time.Second, arrives: true, took: time.Second, err: context.DeadlineExceeded},
		"lost":                     {fate: Fate{Delay: time.Second, Lost: true}, took: time.Second, err: syscall.ECONNRESET},
		"late on the way back":     {fate: Fate{Late: time.Second}, arrives: true, took: time.Second, status: 200},
		"too late on the way back": {fate: Fate{Late: time.Minute}, limit: time.Second, arrives: true, took: time.Second, err: context.DeadlineExceeded},
		"unheard":                  {fate: Fate{Late: time.Second, Unheard: true}, arrives: true, took: time.Second, err: io.EOF},
		"hung":                     {fate: Fate{Hung: true}, limit: time.Hour, arrives: true, took: time.Hour, err: context.DeadlineExceeded},
		"answered by another":      {fate: Fate{Instead: http.NotFoundHandler()}, status: 404},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var arrived atomic.Bool
				l := NewLine(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { arrived.Store(true); fmt.Fprint(w, "hello") }),
					func(r *http.Request, body []byte) Fate {
						if r.URL.Path != "/a/b" || string(body) != "x" {
							t.Errorf("the fate of %s %q", r.URL, body)
						}
						return c.fate
					})
				ctx := t.Context()
				if c.limit > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.limit)
					defer cancel()
				}
				start := time.Now()
				resp, err := send(t, ctx, &http.Client{Transport: l}, "http://wire.test", "x")
				if took := time.Since(start); took != c.took {
					t.Errorf("it took %s, want %s", took, c.took)
				}
				if !errors.Is(err, c.err) || err == nil && resp.StatusCode != c.status {
					t.Errorf("%v, %v", resp, err)
				}
				if err == nil {
					resp.Body.Close()
				}
				time.Sleep(time.Hour)
				if arrived.Load() != c.arrives {
					t.Errorf("arrived: %v", arrived.Load())
				}
			})
		})
	}
}

// A stream breaks off, or falls silent without a word; a process that dies hears
// no more of anything.
func TestStreamFates(t *testing.T) {
	for name, c := range map[string]struct {
		fate Fate
		cut  time.Duration
		took time.Duration
		err  error
	}{
		"whole":  {took: 10 * time.Second},
		"breaks": {fate: Fate{Breaks: 4500 * time.Millisecond}, took: 4500 * time.Millisecond, err: syscall.ECONNRESET},
		"silent": {fate: Fate{Silent: 4500 * time.Millisecond}, took: time.Minute, err: context.DeadlineExceeded},
		"cut":    {cut: 4500 * time.Millisecond, took: 4500 * time.Millisecond, err: syscall.ECONNRESET},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := NewLine(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					for n := range 10 {
						w.(http.Flusher).Flush()
						time.Sleep(time.Second)
						fmt.Fprintln(w, n)
					}
				}), func(*http.Request, []byte) Fate { return c.fate })
				if c.cut > 0 {
					time.AfterFunc(c.cut, l.Cut)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				start := time.Now()
				resp, err := send(t, ctx, &http.Client{Transport: l}, "http://wire.test", "x")
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				n, lines := 0, bufio.NewScanner(resp.Body)
				for lines.Scan() {
					n++
				}
				want := 4
				if c.err == nil {
					want = 10
				}
				if took := time.Since(start); n != want || took != c.took || !errors.Is(lines.Err(), c.err) {
					t.Errorf("%d lines in %s, %v", n, took, lines.Err())
				}
				if c.cut > 0 {
					if resp, err := send(t, ctx, &http.Client{Transport: l}, "http://wire.test", "x"); !errors.Is(err, syscall.ECONNRESET) {
						t.Errorf("after the cut: %v, %v", resp, err)
					}
				}
				time.Sleep(time.Minute)
			})
		})
	}
}
