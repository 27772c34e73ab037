package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"example.com/mote/cloud/standin"
	"example.com/mote/crd"
	"example.com/mote/testbed/artifact"
	"example.com/mote/testbed/bed"
	"example.com/mote/testbed/bench/contender"
	"example.com/mote/testbed/bench/dataset"
	"example.com/mote/testbed/bench/proxy"
	"example.com/mote/testbed/bench/slowshop"
)

// stage is what all contenders run on: a control plane with the objects, the
// cloud's stand-in with their instances, and the counting proxy.
type stage struct {
	bed   *bed.Bed
	api   *dataset.API // past the proxy
	proxy *proxy.Proxy
	shop  *slowshop.Shop
	bytes int64 // of one object, on average
}

// serverGC is the control plane's GOGC: with the default it takes half of the
// machine to collect what a hundred thousand objects leave behind.
const serverGC = "200"

// setStage starts everything and makes n objects, of which the first `changed`
// can be changed. Close ends it.
func setStage(ctx context.Context, paths artifact.Paths, n, changed int, t *teller) (*stage, error) {
	s, err := openStage(ctx, paths, t)
	if err != nil {
		return nil, err
	}
	if err := s.fill(ctx, n, changed, t); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// openStage starts everything, with both CRDs and no objects.
func openStage(ctx context.Context, paths artifact.Paths, t *teller) (s *stage, err error) {
	s = &stage{}
	if s.bed, err = bed.New(paths); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	t.say("starting the control plane (GOGC=%s) and the cloud's stand-in", serverGC)
	if err := s.startControlPlane(ctx); err != nil {
		return nil, err
	}
	if _, err := s.bed.StartCloud(ctx, "--create-time=0s"); err != nil {
		return nil, err
	}
	if s.shop, err = slowshop.Open(); err != nil {
		return nil, err
	}
	config, err := s.bed.Config()
	if err != nil {
		return nil, err
	}
	if s.api, err = dataset.NewAPI(config); err != nil {
		return nil, err
	}
	if s.proxy, err = proxy.Start(s.bed.Dir, config); err != nil {
		return nil, err
	}
	return s, s.installCRDs(ctx)
}

func (s *stage) installCRDs(ctx context.Context) error {
	if _, err := s.bed.Kubectl(ctx, string(crd.All()), "apply", "-f", "-"); err != nil {
		return err
	}
	_, err := s.bed.Kubectl(ctx, "", "wait", "--for=condition=Established", "--timeout=60s", "crd", "--all")
	return err
}

// startControlPlane starts it with its own GOGC and no controllers: nobody but the
// contender shall work.
func (s *stage) startControlPlane(ctx context.Context) error {
	old, was := os.LookupEnv("GOGC")
	os.Setenv("GOGC", serverGC)
	defer func() {
		if was {
			os.Setenv("GOGC", old)
		} else {
			os.Unsetenv("GOGC")
		}
	}()
	_, err := s.bed.StartControlPlane(ctx, "--controllers=none", "--pods=none")
	return err
}

// fill makes the objects. The stand-in's rate limits are off meanwhile.
func (s *stage) fill(ctx context.Context, n, changed int, t *teller) error {
	if _, err := s.bed.Kubectl(ctx, "", "create", "namespace", dataset.NewSpace); err != nil {
		return err
	}
	shop, err := dataset.NewShop(ctx, s.bed.CloudURL, bed.SecretID, bed.SecretKey)
	if err != nil {
		return err
	}
	if err := s.bed.Cloud().SetLimits(ctx, standin.Limits{Off: true}); err != nil {
		return err
	}
	store, err := dataset.OpenStore(s.bed.ControlPlaneDir())
	if err != nil {
		return err
	}
	defer store.Close()
	began := time.Now()
	err = dataset.Fill(ctx, s.api, store, shop, n, changed, func(done int) {
		t.progress(fmt.Sprintf("making %d objects: %d, %s", n, done, time.Since(began).Round(time.Second)))
	})
	if err != nil {
		return fmt.Errorf("make the objects: %w", err)
	}
	if s.bytes, err = dataset.Bytes(ctx, s.api, n); err != nil {
		return err
	}
	t.say("made %d objects of %d bytes each in %s", n, s.bytes, time.Since(began).Round(time.Second))
	return s.bed.Cloud().SetLimits(ctx, standin.Limits{})
}

// place is what the contenders are connected to.
func (s *stage) place() contender.Place {
	return contender.Place{
		Kubeconfig: s.proxy.Kubeconfig, Server: s.proxy.URL, CAFile: s.proxy.CAFile,
		CloudURL: s.bed.CloudURL, SecretID: bed.SecretID, SecretKey: bed.SecretKey, ShopURL: s.shop.URL,
	}
}

// close stops everything.
func (s *stage) close() error {
	var errs []error
	if s.proxy != nil {
		errs = append(errs, s.proxy.Close())
	}
	if s.shop != nil {
		errs = append(errs, s.shop.Close())
	}
	return errors.Join(append(errs, s.bed.Close())...)
}
