package main

import (
	"context"
	"crypto/rand"
	"log/slog"
	"runtime"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/dynamic"

	"example.com/mote/cloud"
	"example.com/mote/cloud/tencent"
	"example.com/mote/reconcile"
	"example.com/mote/reconcile/lean"
	"example.com/mote/reconcile/postgresdb"
	"example.com/mote/testbed/bed"
)

// budgetHeap is how many bytes of live heap each steady object may take: the
// engine's record, what the kind remembers, and the cloud's watch, names included.
const budgetHeap = 128

// heapBudget runs the engine with the kind and the cloud's watch, wired as the
// command wires them, in this process, where the live heap can be read exactly.
func heapBudget(ctx context.Context, t *testing.T, s *stage) {
	clients := s.clients(t)
	api, err := tencent.New(tencent.Options{Endpoint: s.bed.CloudURL, Credentials: func(context.Context) (tencent.Credential, error) {
		return tencent.Credential{SecretID: bed.SecretID, SecretKey: bed.SecretKey}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	settings := postgresdb.DefaultSettings
	settings.Region = "ap-guangzhou"
	databases := postgresdb.New(api, cloud.WatchOptions{Log: log}, settings, rand.Reader)
	controller := reconcile.NewController(clients, databases.Kind(reconcile.Selection{}, 16),
		reconcile.NewRecorder(clients.Whole, "budget", log), log)

	before := settledHeap()
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { controller.Run(ctx, time.Second) })
	running.Go(func() { databases.Watch(ctx, controller.Wake) })
	select {
	case <-controller.Synced():
	case <-time.After(5 * time.Minute):
		t.Error("not synced after five minutes")
	}
	cancel()
	running.Wait()
	each := float64(liveHeap()-before) / budgetObjects
	runtime.KeepAlive(controller)
	runtime.KeepAlive(databases)
	t.Logf("%.0f bytes of heap for each object", each)
	if each > budgetHeap {
		t.Errorf("%.0f bytes of heap for each object; the budget is %d", each, budgetHeap)
	}
}

// clients are the engine's ways to the API server, as the command has them.
func (s *stage) clients(t *testing.T) reconcile.Clients {
	config, err := s.bed.Config()
	if err != nil {
		t.Fatal(err)
	}
	whole, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	glance, err := lean.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	return reconcile.Clients{Whole: whole, Glance: glance}
}

// settledHeap is how many bytes are alive when what came before has let go of its
// own, whose end would be taken for thrift.
func settledHeap() int64 {
	live := liveHeap()
	for range 50 {
		time.Sleep(100 * time.Millisecond)
		if now := liveHeap(); now > live-4096 {
			return now
		} else {
			live = now
		}
	}
	return live
}

// liveHeap is how many bytes are alive.
func liveHeap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
