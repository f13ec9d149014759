# handoffd: build, test and install. `make` without arguments lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PREFIX ?= /usr/local
DESTDIR ?=
BINDIR := $(PREFIX)/bin
DOCDIR := $(PREFIX)/share/doc/handoffd

# A module may import only the dependencies that Package.swift declares; this enforces the layers.
SWIFT_FLAGS := --explicit-target-dependency-import-check error
SOURCES := Package.swift Sources Tests Examples
PROTO := Sources/HandoffWire/Protocol

export HANDOFF_TEST_PYTHON := $(CURDIR)/.cache/python/bin/python

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

.PHONY: setup
setup: ## Install the packages for building and testing (apt, with sudo unless root)
	@Tests/Scripts/setup test

.PHONY: build
build: ## Build all targets for debugging
	@Tests/Scripts/setup build
	swift build $(SWIFT_FLAGS)

.PHONY: demo
demo: ## Run two devices on a simulated air: trust, publish, list, continue
	@Tests/Scripts/setup test
	swift build $(SWIFT_FLAGS)
	@Tests/Stories/demo.py

.PHONY: demo-bluez
demo-bluez: ## Run the demo in a virtual machine with a real kernel and bluetoothd
	@Tests/Scripts/setup test
	swift build $(SWIFT_FLAGS)
	@Tests/Rig/setup
	@Tests/Rig/run-one-guest $(BLUETOOTHD) Tests/Stories/demo.py hci0 hci1

.PHONY: test
test: test-unit test-bluez ## Run all tests, including set-up

.PHONY: test-unit
test-unit: ## Run the tests without Bluetooth: modules, programs on private buses, simulated air, faults
	@Tests/Scripts/setup test
	swift build --build-tests $(SWIFT_FLAGS)
	@Tests/Scripts/run-unit-tests
	@Tests/Faults/run --seed 1 --seconds 25
	@Tests/Faults/run --seconds 20

# Stock bluetoothd 5.66 may not answer on D-Bus for 30 s after a connection; the file explains and avoids this.
BLUETOOTHD := --bluetoothd-args "-f $(CURDIR)/Tests/Rig/one-att-channel.conf"

.PHONY: test-bluez
test-bluez: ## Run the tests on a real kernel and bluetoothd, in virtual machines
	@Tests/Scripts/setup test
	swift build --build-tests $(SWIFT_FLAGS)
	@Tests/Rig/setup
	@Tests/Scripts/run-bluez-tests

SECONDS ?= 30

.PHONY: fuzz
fuzz: ## Fuzz every reader of external input, SECONDS=30 each
	@Tests/Scripts/setup build
	@Tests/Fuzz/run $(SECONDS)

.PHONY: faults
faults: ## Run daemons with faults of disk, air, processes and limits, SECONDS=30
	@Tests/Scripts/setup test
	swift build $(SWIFT_FLAGS)
	@Tests/Faults/run --seconds $(SECONDS)

.PHONY: check
check: ## Run the checks of CI besides tests: format, warnings, imports, scripts, docs, units
	@Tests/Scripts/setup test
	@Tests/Scripts/check

.PHONY: format
format: ## Format the Swift sources
	swift format --in-place --parallel --recursive $(SOURCES)

.PHONY: proto
proto: ## Regenerate the messages from .proto files (needs protobuf-compiler, protoc-gen-swift)
	protoc --swift_out=$(PROTO) --swift_opt=Visibility=Internal --swift_opt=UseAccessLevelOnImports=true \
		--proto_path=$(PROTO) $(PROTO)/Circle.proto $(PROTO)/Handoff.proto $(PROTO)/Pairing.proto

.PHONY: bench
bench: ## Run the benchmarks of a release build, with baselines from the same run
	@Tests/Scripts/setup test
	swift build --configuration release --product handoff-bench
	@$$(swift build --configuration release --show-bin-path)/handoff-bench

.PHONY: bench-resting
bench-resting: ## Measure memory and wake-ups of an idle daemon, in a release build
	@Tests/Scripts/setup test
	swift build --configuration release --static-swift-stdlib --product handoffd
	swift build --configuration release --static-swift-stdlib --product handoffctl
	@HANDOFF_PROGRAMS=$$(swift build --configuration release --static-swift-stdlib --show-bin-path) \
	    python3 Tests/Benchmarks/resting.py

.PHONY: docs
docs: ## Build the reference documentation into .build/documentation
	@Tests/Scripts/build-docs

.PHONY: install
install: ## Install a release build: DESTDIR= PREFIX=/usr/local
	@Tests/Scripts/setup build
	swift build --configuration release --static-swift-stdlib --product handoffd
	swift build --configuration release --static-swift-stdlib --product handoffctl
	bin=$$(swift build --configuration release --static-swift-stdlib --show-bin-path); \
	install -D -m 755 -t $(DESTDIR)$(BINDIR) $$bin/handoffd $$bin/handoffctl
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/user $(DESTDIR)$(PREFIX)/share/dbus-1/services
	sed 's|@bindir@|$(BINDIR)|; s|@docdir@|$(DOCDIR)|' systemd/handoffd.service.in \
		> $(DESTDIR)$(PREFIX)/lib/systemd/user/handoffd.service
	sed 's|@bindir@|$(BINDIR)|' systemd/org.handoffd.Handoff1.service.in \
		> $(DESTDIR)$(PREFIX)/share/dbus-1/services/org.handoffd.Handoff1.service
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/dbus-1/interfaces Docs/dbus/*.xml
	install -D -m 644 -t $(DESTDIR)$(DOCDIR) README.md CHANGELOG.md LICENSE

.PHONY: clean
clean: ## Remove the build directory
	rm -rf .build
