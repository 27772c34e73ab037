package reconcile

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// crowd is a transport that takes a second, and knows how many were in it at once.
type crowd struct {
	mu           sync.Mutex
	in, most, of int
}

func (c *crowd) RoundTrip(*http.Request) (*http.Response, error) {
	c.mu.Lock()
	c.in++
	c.of++
	c.most = max(c.most, c.in)
	c.mu.Unlock()
	time.Sleep(time.Second)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.in--
	return nil, errors.New("no answer")
}

func TestNarrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &crowd{}
		rt := Narrow(3)(c)
		ask := func(ctx context.Context, url string) error {
			q, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			_, err = rt.RoundTrip(q)
			return err
		}
		began := time.Now()
		var all sync.WaitGroup
		for range 30 {
			all.Go(func() { ask(t.Context(), "http://server/apis/x") })
		}
		synctest.Wait()
		soon, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := ask(soon, "http://server/apis/x"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("one that cannot wait: %v", err)
		}
		for range 5 { // watches go past those that wait
			all.Go(func() { ask(t.Context(), "http://server/apis/x?resourceVersion=1&watch=true") })
		}
		synctest.Wait()
		c.mu.Lock()
		if c.in != 8 {
			t.Errorf("%d are under way, want three and five watches", c.in)
		}
		c.mu.Unlock()
		all.Wait()
		if c.most != 8 || c.of != 35 || time.Since(began) != 10*time.Second {
			t.Errorf("%d at once, %d in all, in %s", c.most, c.of, time.Since(began))
		}
	})
}
