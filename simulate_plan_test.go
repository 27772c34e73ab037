package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"example.com/mote/cloud/standin"
)

// plan is what a seed decides beforehand.
type plan struct {
	databases, apps int
	span            time.Duration // how long people act and things fail
	processes       int
	args            []string // of mote run
	cloud           standin.Config

	clusterTrouble, cloudTrouble float64 // how likely it is that a request goes wrong
	streamTrouble                float64
	kills                        []time.Duration // when a process is killed
	stops                        []time.Duration // ... or asked to stop
	killSteps                    []int           // the writes, on either wire, at which whoever sends it is killed
	clusterDown, cloudDown       []window
	forgets                      []time.Duration // when the API server forgets its history
}

// window is a span of time in which nothing gets through.
type window struct{ from, to time.Duration }

func (w window) has(at time.Duration) bool { return at >= w.from && at < w.to }

var cloudKey = standin.Key{ID: "AKIDsimulated", Secret: "simulatedsecretkey"}

func newPlan(seed uint64, r *rand.Rand) plan {
	span := func(from, to time.Duration) time.Duration { return from + time.Duration(r.Int64N(int64(to-from))) }
	p := plan{databases: 1 + r.IntN(10), apps: r.IntN(4), span: span(10*time.Minute, 40*time.Minute), processes: 1 + r.IntN(2)}
	if seed%200 == 0 { // now and then, hundreds
		p.databases, p.apps = 100+r.IntN(150), 20+r.IntN(30)
	}
	p.args = []string{"--region=ap-guangzhou", "--cloud-endpoint=http://cloud.test", "--resync-interval=240h", "--credentials-secret=kube-system/cloud",
		fmt.Sprint("--workers=", []int{1, 2, 8, 128}[r.IntN(4)]), fmt.Sprint("--lease-duration=", []string{"30s", "1m"}[r.IntN(2)])}
	p.cloud = standin.Config{Seed: seed, Keys: []standin.Key{cloudKey}, Latency: span(0, 300*time.Millisecond), ListLag: span(0, time.Minute), HideIsolated: r.IntN(2) == 0,
		Timing: standin.Timing{Create: span(0, 4*time.Minute), Order: span(0, time.Minute), Resize: span(0, 2*time.Minute), Upgrade: span(0, 2*time.Minute),
			Isolate: span(0, time.Minute), Destroy: span(0, time.Minute), RecyclePostpaid: 72 * time.Hour, RecyclePrepaid: 168 * time.Hour, Linger: span(0, time.Minute)}}
	if r.IntN(4) == 0 { // an account with narrow limits
		p.cloud.RateLimits = map[string]int{"CreateInstances": 1, "DescribeDBInstances": 5, "DescribeDBInstanceAttribute": 2}
	}
	trouble := func() float64 { return []float64{0, 0.02, 0.1, 0.25}[r.IntN(4)] }
	p.clusterTrouble, p.cloudTrouble, p.streamTrouble = trouble(), trouble(), trouble()
	for range r.IntN(4) {
		p.kills = append(p.kills, span(0, p.span))
	}
	for range r.IntN(2) {
		p.stops = append(p.stops, span(0, p.span))
	}
	for range r.IntN(6) {
		p.killSteps = append(p.killSteps, 1+r.IntN(15*(p.databases+p.apps)))
	}
	windows := func(n int, longest time.Duration) (all []window) {
		for range r.IntN(n) {
			from := span(0, p.span)
			all = append(all, window{from, min(from+span(0, longest), p.span)})
		}
		return all
	}
	p.clusterDown, p.cloudDown = windows(3, 3*time.Minute), windows(3, 10*time.Minute)
	for range r.IntN(4) {
		p.forgets = append(p.forgets, span(0, p.span))
	}
	return p
}
