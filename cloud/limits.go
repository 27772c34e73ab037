package cloud

import (
	"math"
	"sync"
	"time"
)

// Limits keeps all callers together within a cloud's rates, which count by
// action and region. It never waits: a caller that is too early is told when to
// come back, so that no worker is held. It is safe for use by many goroutines.
type Limits struct {
	now      func() time.Time
	rates    map[string]int
	fallback int

	mu      sync.Mutex
	buckets map[rateKey]*bucket
}

// NewLimits takes the documented rates in calls a second by action, the rate
// of an action that is not among them, and the clock (nil: time.Now). Rates
// below one count as one.
func NewLimits(rates map[string]int, fallback int, now func() time.Time) *Limits {
	if now == nil {
		now = time.Now
	}
	return &Limits{now: now, rates: rates, fallback: fallback, buckets: map[rateKey]*bucket{}}
}

// Take asks for one call. Zero: go ahead, the call is counted. Otherwise
// nothing is counted and the caller comes back after wait. Callers turned away
// one after the other get times one after the other, so that they do not all
// return at once; no wait is longer than half a minute.
func (l *Limits) Take(action, region string) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	return l.bucket(action, region, now).take(now)
}

// Ready is Take without a call: how long one would be turned away for. It gives
// times one after the other, too, but one that may go is not counted yet; so
// what has to be prepared for a call need not be in vain, and still may be.
func (l *Limits) Ready(action, region string) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	return l.bucket(action, region, now).wait(now)
}

// Throttled says that the cloud refused a call for its rate: the rate is
// halved, and grows back to the documented one within a few minutes. A burst
// of refusals within a second counts once.
func (l *Limits) Throttled(action, region string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	l.bucket(action, region, now).halve(now)
}

// maxBuckets bounds the memory when regions come from what users write.
const maxBuckets = 1024

type rateKey struct{ action, region string }

func (l *Limits) bucket(action, region string, now time.Time) *bucket {
	key := rateKey{action, region}
	b := l.buckets[key]
	if b == nil {
		if len(l.buckets) >= maxBuckets {
			l.dropIdle(now)
		}
		rate, ok := l.rates[action]
		if !ok {
			rate = l.fallback
		}
		b = newBucket(max(1, float64(rate)), now)
		l.buckets[key] = b
	}
	b.advance(now)
	return b
}

// dropIdle drops the buckets that hold no memory of anything: a new one would
// be the same.
func (l *Limits) dropIdle(now time.Time) {
	for key, b := range l.buckets {
		if b.advance(now); b.rate == b.documented && b.tokens == b.capacity() {
			delete(l.buckets, key)
		}
	}
}

const (
	// burstShare is the part of the rate that may go at once; only the rest is
	// refilled a second, so that no window of a second, wherever the cloud
	// lets it start, holds more calls than the rate.
	burstShare = 0.2
	// recovery is how long a rate takes to grow from nothing to the documented one.
	recovery = 4 * time.Minute
	// floorShare is the least part of the documented rate that throttling leaves.
	floorShare = 1.0 / 64
	// settle is how long further refusals count as the same one.
	settle = time.Second
	// farthest is the longest wait that is handed out: rates and queues change,
	// so a caller looks again.
	farthest = 30 * time.Second
	// almost forgives the rounding of times to nanoseconds.
	almost = 1 - 1e-6
)

// bucket is one action's tokens in one region.
type bucket struct {
	documented float64 // calls a second, the most that rate can be
	rate       float64 // calls a second now
	tokens     float64 // calls that may go now; at most capacity
	at         time.Time
	last       time.Time // the latest time that was handed out
	halved     time.Time
}

func newBucket(documented float64, now time.Time) *bucket {
	b := &bucket{documented: documented, rate: documented, at: now}
	b.tokens = b.capacity()
	return b
}

func (b *bucket) capacity() float64 { return max(1, b.rate*burstShare) }
func (b *bucket) refill() float64   { return b.rate * (1 - burstShare) }

// advance brings tokens and rate up to now. A clock that goes back adds nothing.
func (b *bucket) advance(now time.Time) {
	passed := max(0, now.Sub(b.at))
	b.at = now
	tokens := b.tokens + passed.Seconds()*b.refill()
	b.rate = min(b.documented, b.rate+b.documented*passed.Seconds()/recovery.Seconds())
	b.tokens = min(b.capacity(), tokens)
}

func (b *bucket) take(now time.Time) time.Duration {
	wait := b.wait(now)
	if wait == 0 {
		b.tokens--
	}
	return wait
}

// wait is zero, or a time that nobody else was given.
func (b *bucket) wait(now time.Time) time.Duration {
	if b.tokens >= almost {
		return 0
	}
	ready := now.Add(seconds((1 - b.tokens) / b.refill()))
	if next := b.last.Add(seconds(1 / b.refill())); next.After(ready) {
		ready = next
	}
	if limit := now.Add(farthest); ready.After(limit) {
		ready = limit
	}
	b.last = ready
	return ready.Sub(now)
}

func (b *bucket) halve(now time.Time) {
	b.tokens = min(b.tokens, 0)
	if since := now.Sub(b.halved); since >= 0 && since < settle {
		return
	}
	b.halved = now
	b.rate = max(b.rate/2, b.documented*floorShare)
}

func seconds(s float64) time.Duration { return time.Duration(math.Ceil(s * float64(time.Second))) }
