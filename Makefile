# Mote's targets. Each sets up what it needs; Go, git and make are enough.

# What the binary says of itself: `make build VERSION=v1.2.3`.
VERSION ?= $(shell git describe --always --dirty 2>/dev/null || echo unknown)
# Where the binary and the generated CRDs go.
MOTE    ?= bin/mote
CRDS    ?= crd
# How much `make simulate` runs, and where it begins.
SEEDS   ?= 20000
SEED    ?= 1
# What is left out of the binary; `make size` wants it in.
STRIP   ?= -s -w
# Build tags; `mutants` is for tests of the tests.
BUILDTAGS ?=

# The race detector needs cgo, a C compiler and its headers; without them the tests run plainly.
RACE = $(shell go list -race runtime/race >/dev/null 2>&1 && \
	$$(go env CC) -include stdlib.h -x c -c -o /dev/null /dev/null 2>/dev/null && echo -race)

# Inlining pays where Mote spends its time (JSON, its own code, the runtime); in what is
# called a few times a minute it is only size. Measured on linux/amd64: 12.16 MB with
# inlining everywhere, 11.62 MB so; what came later saved 0.25 MB more, and what stands
# from log/ on 65 kB. Of Mote itself what only commands and scrapes need is 33 kB, and the kinds'
# decisions, of which a turn makes a few, 65 kB.
COLD = net/... crypto/... vendor/... golang.org/x/... k8s.io/client-go/... github.com/... go.uber.org/... go.yaml.in/... \
	k8s.io/klog/... k8s.io/utils/... k8s.io/kube-openapi/... gopkg.in/... sigs.k8s.io/yaml/... \
	sigs.k8s.io/structured-merge-diff/... sigs.k8s.io/randfill/... k8s.io/apimachinery/... \
	regexp/... encoding/asn1 mime/... compress/... flag fmt text/... html/... \
	log/... os/... internal/poll internal/syscall/... math/big go/... bufio container/... sort time \
	encoding/csv encoding/hex encoding/base32 encoding/base64 encoding/pem internal/fmtsort unique \
	example.com/mote example.com/mote/check example.com/mote/command example.com/mote/forecast example.com/mote/k3s example.com/mote/look \
	example.com/mote/manifest example.com/mote/metric example.com/mote/overview example.com/mote/probe \
	example.com/mote/schema/... example.com/mote/crd/... example.com/mote/reconcile/myapp example.com/mote/reconcile/postgresdb \
	example.com/mote/cloud encoding/binary path/... errors context
SMALL = $(foreach p,$(COLD),-gcflags=$(p)=-l) -tags '$(ONEHTTP2) $(BUILDTAGS)'

# Until Go 1.27 there are two HTTP/2 implementations in the binary: net/http's, and that of
# golang.org/x/net, which client-go puts in its place. Without the unused one it is 274,432
# bytes smaller. From 1.27 on, the latter is the former, and must not be left out.
ONEHTTP2 = $(if $(findstring go1.27,$(shell go list -f '{{context.ReleaseTags}}' .)),,nethttpomithttp2)

# Where functions begin: on amd64 the linker puts each at a multiple of 32 bytes. At a multiple of 8
# the binary is 204,800 bytes smaller, and the simulation takes the same CPU time. The other
# platforms' defaults are small already. (Numbers and what else was tried: docs/size.md.)
ALIGN = $(if $(filter amd64,$(or $(GOARCH),$(shell go env GOARCH))),-funcalign=8)

.PHONY: help build generate verify test unit simulate e2e demo bench image airgap release size clean
.DEFAULT_GOAL := help

help: ## explain the targets
	@awk 'BEGIN { FS = ":[^#]*## " } /^[a-z0-9-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build bin/mote: static, stripped, stamped with VERSION
	@CGO_ENABLED=0 go build -buildvcs=false -trimpath $(SMALL) -ldflags "$(STRIP) $(ALIGN) -X main.version=$(VERSION)" -o $(MOTE) .

generate: ## make the CRDs in crd/ from the Go types beside them
	@"$$(go -C tools tool -n controller-gen)" crd paths=./crd/... output:crd:dir=$(CRDS)
	@go -C tools run ./pack $(abspath $(CRDS))

verify: ## prove that the tree is in order; changes nothing
	@go -C tools run ./verify

test: unit e2e ## run all tests

unit: ## test the packages alone: no server, no network
	@go test $(RACE) ./...
	@# The exploration of purchases goes as deep as it states only without the race detector.
	@$(if $(RACE),go test ./reconcile/postgresdb)
	@# Bugs put in on purpose are found.
	@go test -tags mutants -run TestMutants . ./reconcile/postgresdb
	@# So many lives of the whole program, without the race detector.
	@SEED=1 SEEDS=2000 GOGC=400 go test -timeout 60m -run TestSimulation .
	@# What is planned is what then happens, in so many worlds.
	@FORECASTS=150 GOGC=400 go test -run TestForecasts .
	@go -C tools test ./...
	@# Alerts and dashboard, by Prometheus' own parsers.
	@go -C testbed/rules test ./...
	@CGO_ENABLED=0 go -C testbed/controlplane test -vet=off -trimpath ./settings ./podstandin

simulate: ## run the whole program in a world that fails, on virtual time: SEEDS=20000 seeds, from SEED=1 on
	@SEED=$(SEED) SEEDS=$(SEEDS) GOGC=400 go test -count=1 -timeout 0 -run TestSimulation .

# One package at a time: each has a control plane of its own, and go test shows
# what a package says while it runs (-v) only then. Compiled before, on all cores.
e2e: build ## test bin/mote on a real control plane, whose first build takes some 12 minutes
	@go -C testbed build ./...
	@go -C testbed test -count=1 -timeout 60m -p 1 -v ./...

demo: ## watch Mote at work; ONCE=1: end by itself, CLUSTER=kubeconfig: on a cluster that is there
	@go -C testbed build -o ../bin/demo ./demo
	@exec bin/demo $(if $(ONCE),--once) $(if $(CLUSTER),--cluster $(abspath $(CLUSTER)))

bench: ## measure Mote beside its peers; N=100000: so many objects, CREATES=10000: so many purchases; APPS=5000: only apps
	@go -C testbed run ./bench $(if $(N),-n $(N)) $(if $(CREATES),-creates $(CREATES)) $(if $(APPS),-apps $(APPS) -idle 15s)

RELEASE = go -C tools run ./release -version '$(VERSION)' $(if $(IMAGE),-image '$(IMAGE)') $(if $(ARCH),-arch '$(ARCH)')

image: ## make the container image without an engine, as an OCI layout in dist/image; ARCH=arm64,arm: only those
	@$(RELEASE) image

airgap: ## make dist/mote-airgap-ARCH.tar.zst: image, manifests and install.sh for a k3s node without internet
	@$(RELEASE) airgap

release: ## make all that is delivered: image and airgap of all architectures, and dist/SHA256SUMS
	@$(RELEASE) all

size: ## measure what the binary's size consists of, and write it into docs/size.md
	@go -C tools run ./size

clean: ## remove what was built in the tree: bin/ and dist/
	@rm -rf bin dist
