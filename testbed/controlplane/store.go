package main

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

// maxSocketPath is what sun_path holds on the meanest of systems (104 bytes on macOS, 108 on Linux), less the zero byte.
const maxSocketPath = 103

// store is a running one-member etcd that listens on unix sockets only.
type store struct {
	url   string
	close func()
}

func startStore(dir *stateDir, fsync bool) (*store, error) {
	sockets, removeSockets, err := socketDir(dir)
	if err != nil {
		return nil, err
	}
	socket := func(name string) []url.URL {
		path := filepath.Join(sockets, name)
		os.Remove(path) // of a process that was killed; the state directory's lock says that it is gone
		return []url.URL{{Scheme: "unix", Path: path}}
	}
	cfg := embed.NewConfig()
	cfg.Dir = dir.file("etcd")
	cfg.ListenClientUrls, cfg.ListenPeerUrls = socket("etcd.sock"), socket("etcd-peer.sock")
	cfg.AdvertiseClientUrls, cfg.AdvertisePeerUrls = cfg.ListenClientUrls, cfg.ListenPeerUrls
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	cfg.UnsafeNoFsync = !fsync
	cfg.QuotaBackendBytes = 8 << 30
	cfg.TickMs, cfg.ElectionMs = 20, 200 // there is nobody to lose an election to
	cfg.LogLevel = "error"

	etcd, err := embed.StartEtcd(cfg)
	if err != nil {
		removeSockets()
		return nil, err
	}
	s := &store{url: cfg.ListenClientUrls[0].String(), close: func() { etcd.Close(); removeSockets() }}
	select {
	case <-etcd.Server.ReadyNotify():
		return s, nil
	case err = <-etcd.Err():
	case <-time.After(time.Minute):
		err = errors.New("not ready after a minute")
	}
	s.close()
	return nil, err
}

// socketDir is the state directory if sockets in it have a path short enough, else a new directory for temporary files.
func socketDir(dir *stateDir) (path string, remove func(), err error) {
	if len(dir.file("etcd-peer.sock")) <= maxSocketPath {
		return dir.path, func() {}, nil
	}
	path, err = os.MkdirTemp("/tmp", "mote-etcd-")
	return path, func() { os.RemoveAll(path) }, err
}
