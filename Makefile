# trawl. "make" alone lists the targets.

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X main.version=$(VERSION)
GO_TOOL := go tool -modfile=tools/go.mod
FUZZTIME ?= 5s
RACE_TIMEOUT ?= 15m
PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64
PORT ?= 8089
SOAK ?= 200000

.DEFAULT_GOAL := help
.PHONY: help build demo test quick race peers soak lint scenarios polite fmt fuzz cover bench e2e cross check-bench bench-packages behaviours clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' Makefile

build: ## build the static binary bin/trawl
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/trawl ./cmd/trawl

demo: ## crawl real pages without internet (installs nginx and documentation as root on Debian)
	@scripts/demo.sh --port $(PORT)

test: ## everything CI runs: lint, race, peers, e2e, cross, check-bench (installs what it needs)
	@scripts/test.sh

quick: ## the tests without the race detector
	go test ./...

race: ## the tests with the race detector
	go test -race -timeout $(RACE_TIMEOUT) ./...

peers: ## the fetchers against nginx, Apache and vsftpd, and ten thousand hostile fetches
	go test -count=1 -timeout 5m -run '^Test(Peers|B11Case21NothingLeft|B2Vsftpd|B2Goftp)' ./internal/fetch/peers ./internal/fetch/ftpfetch

soak: ## SOAK fetches (default 200000) from 500 hosts of which a third misbehave: about five minutes
	TRAWL_SOAK=$(SOAK) go test -count=1 -timeout 2h -run '^TestSoak$$' -v ./internal/fetch/peers

scenarios: ## two thousand random scenarios in virtual time (make race plays fewer)
	go test -count=1 -timeout 15m ./internal/sim

lint: ## gofumpt, go vet, staticcheck
	@out=$$($(GO_TOOL) gofumpt -l $$(git ls-files -co --exclude-standard '*.go')); \
	if [ -n "$$out" ]; then echo "gofumpt would change these files (make fmt does it):"; echo "$$out"; exit 1; fi
	go vet ./...
	$(GO_TOOL) staticcheck ./...

polite: ## the capacity model against servers that limit what they give, in real time (needs nginx)
	go test -count=1 -run TestE3Live -v ./internal/live

fmt: ## format all Go files with gofumpt
	$(GO_TOOL) gofumpt -w $$(git ls-files -co --exclude-standard '*.go')

fuzz: ## run each fuzz target for FUZZTIME (default 5s)
	@go list ./... | while read -r pkg; do \
		go test -list '^Fuzz' "$$pkg" | grep '^Fuzz' | while read -r target; do \
			echo "fuzz $$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) "$$pkg" || exit 1; \
		done || exit 1; \
	done

cover: ## coverage of all packages by all tests, as bin/cover.html
	@mkdir -p bin
	go test -coverpkg=./internal/...,./cmd/... -coverprofile=bin/cover.out ./...
	go tool cover -html=bin/cover.out -o bin/cover.html
	@go tool cover -func=bin/cover.out | tail -n 1

bench: ## trawl against colly and a bare loop, on a synthetic web (bench/README.md)
	cd bench && go run ./run

bench-packages: ## the benchmarks of all packages
	go test -run '^$$' -bench . -benchmem ./...

e2e: ## the end-to-end comparison with an independent crawler, kill -9 included
	@scripts/e2e-docs.sh

cross: ## build for each platform, without cgo
	@for p in $(PLATFORMS); do \
		echo "build $$p"; \
		CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} go build -trimpath -ldflags '$(LDFLAGS)' \
			-o bin/trawl-$${p%/*}-$${p#*/}$$(case $$p in windows/*) echo .exe;; esac) ./cmd/trawl || exit 1; \
	done

check-bench: ## vet and test the bench module
	cd bench && go vet ./... && go test ./...

behaviours: ## bring docs/behaviours.md up to date with the tests' names
	go test ./internal/archtest -run 'TestBehavioursPage$$' -update-behaviours

clean: ## remove what was built and crawled here
	rm -rf bin trawl-data demo-data
