package main

import (
	"runtime"

	"example.com/mote/metric"
	"example.com/mote/probe"
)

// newBoard is what /metrics tells whatever the process does.
func newBoard() *probe.Board {
	b := &probe.Board{}
	b.Count(metric.NewProcess(), buildInfo{})
	return b
}

// buildInfo tells which binary this is.
type buildInfo struct{}

// Metrics puts mote_build_info on the page.
func (buildInfo) Metrics(p *metric.Page) {
	p.Gauge("mote_build_info", "1, for its labels: the version of Mote and of Go, and the platform.", 1,
		"version", version, "go_version", runtime.Version(), "platform", runtime.GOOS+"/"+runtime.GOARCH)
}
