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
)

// writers is how many requests are under way at once.
const writers = 32

// Fill makes the objects 0 to n-1 with their instances and, for the first
// `secrets` of them, which are the ones that will be changed, their connection
// Secrets. progress is called now and then with how many are done.
func Fill(ctx context.Context, a *API, s *Shop, n, secrets int, progress func(done int)) error {
	for i := range Spaces {
		err := a.Do(ctx, http.MethodPost, "/api/v1/namespaces", map[string]any{"metadata": map[string]any{"name": Namespace(i)}}, nil)
		if err != nil && !strings.Contains(err.Error(), "AlreadyExists") {
			return err
		}
	}
	var done atomic.Int64
	return each(ctx, n, func(ctx context.Context, i int) error {
		if err := one(ctx, a, s, i, i < secrets); err != nil {
			return fmt.Errorf("object %d: %w", i, err)
		}
		if d := int(done.Add(1)); d%250 == 0 {
			progress(d)
		}
		return nil
	})
}

// one makes one object.
func one(ctx context.Context, a *API, s *Shop, i int, withSecret bool) error {
	var o Object
	if err := a.Do(ctx, http.MethodPost, collection(Namespace(i))+"?fieldManager=kubectl-client-side-apply", finished(i), &o); err != nil {
		return err
	}
	instance, err := s.buy(ctx, i, o.Metadata.UID)
	if err != nil {
		return err
	}
	if withSecret {
		path := "/api/v1/namespaces/" + Namespace(i) + "/secrets?fieldManager=mote"
		if err := a.Do(ctx, http.MethodPost, path, secret(i, o.Metadata.UID, instance), nil); err != nil {
			return err
		}
	}
	status := map[string]any{"status": steady(o.Metadata.Generation, instance, time.Now().UTC())}
	return a.Do(ctx, http.MethodPatch, Path(i)+"/status?fieldManager=mote", status, nil)
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
