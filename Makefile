# Each target is a command that one could type; `make -n TARGET` shows it.
# Needs Go alone, except conformance: Java 17, Maven and Python 3.

MODULES  = $(shell go list -m -f '{{.Dir}}')
FUZZTIME ?= 30s
SHELL    = /bin/bash

.PHONY: test test-long race build lint vet rules golangci fuzz conformance bench compare sim demo clean

# Everything that a change must pass, in every module.
test:
	go test work

# The same with the full number of random groups, histories and broken inputs.
test-long:
	HOLDFAST_LONG=1 go test -timeout 60m work

race:
	go test -race -timeout 20m work

# The command, as bin/holdfast.
build:
	cd cmd/holdfast && go build -o ../../bin/holdfast .

lint: vet rules golangci

vet:
	go vet work

# The rules of this repository alone.
rules:
	go test ./internal/lint

golangci: .build/golangci-lint
	for m in $(MODULES); do (cd $$m && $(CURDIR)/.build/golangci-lint run ./...) || bad=1; done; exit $$bad

.build/golangci-lint: internal/tools/go.mod
	cd internal/tools && GOWORK=off go build -o ../../.build/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint

# FUZZTIME for each target that reads bytes, wherever one is.
fuzz:
	.ci/fuzz $(FUZZTIME)

# Kafka's own broker and its Java and C clients.
conformance:
	cd conformance && HOLDFAST_CONFORMANCE=1 go test -count=1 -v -timeout 10m ./...

bench:
	go test -run '^$$' -bench . -benchmem ./...

# Side by side with the assignors of other clients; writes docs/benchmarks.md.
compare:
	cd internal/compare && go run . -o ../../docs/benchmarks.md

# 100,000 seeded histories of a group.
sim:
	HOLDFAST_LONG=1 go test -count=1 -v -timeout 60m ./sim

demo:
	cd cmd/holdfast && go run . demo

clean:
	rm -rf bin .build
