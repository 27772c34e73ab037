package dataset

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"

	"example.com/mote/cloud"
)

// writers is how many requests are under way at once.
const writers = 32

// chunk is how many objects are written to the store at once.
const chunk = cloud.MaxPage

// Fill makes the objects 0 to n-1 with their instances and, for the first
// `secrets` of them, which are the ones that will be changed, their connection
// Secrets. progress is called now and then with how many are done.
//
// The first object goes through the API server. The others are like it, byte by
// byte, but for what makes each of them itself, and are written straight to the
// store: the API server takes 20 ms of CPU to check each of them twice.
func Fill(ctx context.Context, a *API, at *Store, s *Shop, n, secrets int, progress func(done int)) error {
	if err := makeSpaces(ctx, a); err != nil {
		return err
	}
	model, err := first(ctx, a, s)
	if err != nil {
		return fmt.Errorf("the first object: %w", err)
	}
	var done atomic.Int64
	err = each(ctx, (n-1+chunk-1)/chunk, func(ctx context.Context, c int) error {
		from, to := 1+c*chunk, min(1+(c+1)*chunk, n)
		if err := some(ctx, at, s, model, from, to); err != nil {
			return fmt.Errorf("objects %d to %d: %w", from, to-1, err)
		}
		progress(int(done.Add(int64(to - from))))
		return nil
	})
	if err != nil {
		return err
	}
	return each(ctx, min(n, secrets), func(ctx context.Context, i int) error {
		return withSecret(ctx, a, s, i)
	})
}

// makeSpaces makes the namespaces, as far as they are not there.
func makeSpaces(ctx context.Context, a *API) error {
	for i := range Spaces {
		err := a.Do(ctx, http.MethodPost, "/api/v1/namespaces", map[string]any{"metadata": map[string]any{"name": Namespace(i)}}, nil)
		if err != nil && !strings.Contains(err.Error(), "AlreadyExists") {
			return err
		}
	}
	return nil
}

// first makes the first object through the API server, and returns it as it is then.
func first(ctx context.Context, a *API, s *Shop) (map[string]any, error) {
	var o Object
	if err := a.Do(ctx, http.MethodPost, collection(Namespace(0))+"?fieldManager=kubectl-client-side-apply", finished(0), &o); err != nil {
		return nil, err
	}
	bought, err := s.buy(ctx, 0, []string{o.Metadata.UID})
	if err != nil {
		return nil, err
	}
	status, err := steady(0, bought[0], time.Now().UTC())
	if err != nil {
		return nil, err
	}
	var model map[string]any
	if err := a.Do(ctx, http.MethodPatch, Path(0)+"/status?fieldManager=mote", map[string]any{"status": status}, &model); err != nil {
		return nil, err
	}
	return model, nil
}

// some makes the objects from one to before another.
func some(ctx context.Context, at *Store, s *Shop, model map[string]any, from, to int) error {
	uids := make([]string, to-from)
	for i := range uids {
		uids[i] = string(uuid.NewUUID())
	}
	bought, err := s.buy(ctx, from, uids)
	if err != nil {
		return err
	}
	rows := make([]row, to-from)
	for i := range rows {
		rows[i].key = storeKey(from + i)
		if rows[i].value, err = like(model, from+i, uids[i], bought[i]); err != nil {
			return err
		}
	}
	return at.put(ctx, rows)
}

// withSecret makes the connection Secret of the i-th object.
func withSecret(ctx context.Context, a *API, s *Shop, i int) error {
	var o Object
	if err := a.Do(ctx, http.MethodGet, Path(i), nil, &o); err != nil {
		return err
	}
	instance, err := s.client.Get(ctx, region, o.Status.InstanceID)
	if err != nil {
		return err
	}
	path := "/api/v1/namespaces/" + Namespace(i) + "/secrets?fieldManager=mote"
	return a.Do(ctx, http.MethodPost, path, secret(i, o.Metadata.UID, instance), nil)
}

// each calls do for 0 to n-1, several at once, until one fails.
func each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next atomic.Int64
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := do(ctx, i); err != nil {
					stop(err)
				}
			}
		})
	}
	all.Wait()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return ctx.Err()
}
