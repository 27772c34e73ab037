package cloud

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// shop is a Postgres of which only the catalogue works.
type shop struct {
	Postgres
	calls  atomic.Int32
	takes  time.Duration
	answer func(ctx context.Context, call int) error
}

func (s *shop) Subnet(ctx context.Context, region, id string) (Subnet, error) {
	call := int(s.calls.Add(1))
	if s.takes > 0 {
		select {
		case <-time.After(s.takes):
		case <-ctx.Done():
			return Subnet{}, ctx.Err()
		}
	}
	if s.answer != nil {
		if err := s.answer(ctx, call); err != nil {
			return Subnet{}, err
		}
	}
	return Subnet{ID: id, Zone: fmt.Sprint(region, "-", call)}, nil
}

func (s *shop) Classes(context.Context, string, string, string) ([]InstanceClass, error) {
	return []InstanceClass{{SpecCode: fmt.Sprint(s.calls.Add(1))}}, nil
}

func (s *shop) Versions(context.Context, string) ([]Version, error) {
	return []Version{{Minor: fmt.Sprint(s.calls.Add(1))}}, nil
}

func TestCatalogRemembersForItsTime(t *testing.T) {
	ctx, c, api := t.Context(), newClock(), &shop{}
	cat := NewCatalog(api, CatalogOptions{TTL: time.Hour, Now: c.now})
	ask := func(want int32) {
		t.Helper()
		for range 3 {
			cat.Subnet(ctx, "r", "s")
			cat.Classes(ctx, "r", "z", "14")
			cat.Versions(ctx, "r")
		}
		if got := api.calls.Load(); got != want {
			t.Errorf("%d calls so far, want %d", got, want)
		}
	}
	ask(3)
	c.advance(59 * time.Minute)
	ask(3)
	c.advance(time.Minute)
	ask(6)
	cat.Forget("other")
	ask(6)
	cat.Forget("r")
	ask(9)
	cat.Subnet(ctx, "other", "s")
	cat.Classes(ctx, "r", "z", "15")
	ask(11)
}

func TestCatalogAnswersAreTheCallersOwn(t *testing.T) {
	cat := NewCatalog(&shop{}, CatalogOptions{})
	a, _ := cat.Classes(t.Context(), "r", "z", "14")
	a[0].SpecCode = "spoilt"
	if b, _ := cat.Classes(t.Context(), "r", "z", "14"); b[0].SpecCode == "spoilt" {
		t.Error("one caller's change reached another")
	}
}

func TestCatalogForgetsFailures(t *testing.T) {
	bad := errors.New("no")
	api := &shop{answer: func(_ context.Context, call int) error {
		if call < 3 {
			return bad
		}
		return nil
	}}
	cat := NewCatalog(api, CatalogOptions{})
	for call := 1; call <= 4; call++ {
		_, err := cat.Subnet(t.Context(), "r", "s")
		if want := call < 3; errors.Is(err, bad) != want {
			t.Errorf("call %d: %v", call, err)
		}
	}
	if n := api.calls.Load(); n != 3 {
		t.Errorf("%d calls", n)
	}
}

func TestCatalogSharesOneCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := &shop{takes: time.Second}
		cat := NewCatalog(api, CatalogOptions{})
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if s, err := cat.Subnet(t.Context(), "r", "s"); err != nil || s.Zone != "r-1" {
					t.Errorf("%v, %v", s, err)
				}
			})
		}
		all.Wait()
	})
}

func TestCatalogOutlivesTheCallerThatMadeTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := &shop{takes: time.Minute}
		cat := NewCatalog(api, CatalogOptions{})
		first, giveUp := context.WithTimeout(t.Context(), time.Second)
		defer giveUp()
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := cat.Subnet(first, "r", "s"); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the first: %v", err)
			}
		})
		synctest.Wait()
		for range 3 {
			all.Go(func() {
				if _, err := cat.Subnet(t.Context(), "r", "s"); err != nil {
					t.Errorf("one that waited: %v", err)
				}
			})
		}
		impatient, stop := context.WithTimeout(t.Context(), time.Second/2)
		defer stop()
		all.Go(func() {
			_, err := cat.Subnet(impatient, "r", "s")
			if ClassOf(err) != NotSent || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the impatient one: %v (%s)", err, ClassOf(err))
			}
		})
		all.Wait()
		if n := api.calls.Load(); n != 2 {
			t.Errorf("%d calls", n)
		}
	})
}

func TestCatalogDoesNotKeepWhatWasForgottenUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := &shop{takes: time.Second}
		cat := NewCatalog(api, CatalogOptions{})
		var all sync.WaitGroup
		all.Go(func() { cat.Subnet(t.Context(), "r", "s") })
		synctest.Wait()
		cat.Forget("r")
		all.Wait()
		if s, _ := cat.Subnet(t.Context(), "r", "s"); s.Zone != "r-2" {
			t.Errorf("%v comes from before it was forgotten", s)
		}
	})
}

func TestCatalogSurvivesAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := &shop{takes: time.Second, answer: func(_ context.Context, call int) error {
			if call == 1 {
				panic("broken")
			}
			return nil
		}}
		cat := NewCatalog(api, CatalogOptions{})
		var all sync.WaitGroup
		all.Go(func() {
			defer func() { recover() }()
			cat.Subnet(t.Context(), "r", "s")
		})
		synctest.Wait()
		all.Go(func() {
			if _, err := cat.Subnet(t.Context(), "r", "s"); err != nil {
				t.Error(err)
			}
		})
		all.Wait()
	})
}

func TestCatalogIsBounded(t *testing.T) {
	c := newClock()
	cat := NewCatalog(&shop{}, CatalogOptions{Max: 10, Now: c.now})
	for i := range 100 {
		cat.Subnet(t.Context(), "r", fmt.Sprint(i))
		c.advance(time.Second)
	}
	if n := len(cat.subnets.kept); n != 10 {
		t.Errorf("%d kept", n)
	}
	if _, kept := cat.subnets.kept[memoKey{"r", "99"}]; !kept {
		t.Error("the latest is not among them")
	}
}

// paced is a shop with a rate.
type paced struct{ shop }

func (p *paced) CreateWait(region string) time.Duration { return time.Duration(len(region)) }

func TestCatalogKnowsThePaceOfWhatItWraps(t *testing.T) {
	if wait := NewCatalog(&paced{}, CatalogOptions{}).CreateWait("four"); wait != 4 {
		t.Errorf("%d", wait)
	}
	if wait := NewCatalog(&shop{}, CatalogOptions{}).CreateWait("four"); wait != 0 {
		t.Errorf("%d without a pace", wait)
	}
}
