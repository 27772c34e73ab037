package reconcile

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Who waits for the Lease is ready, and so is who holds it; who cannot reach it is not.
func TestTermIsReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memoryLease{}
		with := func(term *Term) func(*Leadership, *candidate) {
			return func(_ *Leadership, c *candidate) { c.told = term.Told }
		}
		expect := func(what string, term *Term, want string) {
			t.Helper()
			synctest.Wait()
			if got := told(term.Ready); want == "" && got != "" || !strings.Contains(got, want) {
				t.Errorf("%s: it tells %q, want %q", what, got, want)
			}
		}
		leader, standby := &Term{Lease: "mote"}, &Term{Lease: "mote"}
		a := run(t, store, "a", with(leader))
		b := run(t, store, "b", with(standby))
		expect("the leader", leader, "")
		expect("the standby", standby, "")

		const reason = "could not reach the lease"
		for _, r := range []*runner{a, b} {
			r.link.set(always(leaseFate{err: errors.New("connection refused"), noEffect: true}))
		}
		time.Sleep(30 * time.Second)
		expect("the leader, cut off", leader, reason)
		expect("the standby, cut off", standby, reason)
		since := strings.SplitAfter(told(standby.Ready), ": ")[0]
		time.Sleep(10 * time.Minute)
		expect("after ten minutes", standby, since)
		for _, r := range []*runner{a, b} {
			r.link.set(nil)
		}
		time.Sleep(2 * time.Minute)
		expect("the one, again", leader, "")
		expect("the other, again", standby, "")
		if a.leads() == b.leads() {
			t.Error("not one of them leads")
		}
		a.stop()
		b.stop()
	})
}
