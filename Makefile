# handoffd: build, test and install. `make` without arguments lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PREFIX ?= /usr/local
DESTDIR ?=
BINDIR := $(PREFIX)/bin
DOCDIR := $(PREFIX)/share/doc/handoffd
MANDIR := $(PREFIX)/share/man
UNITDIR := $(PREFIX)/lib/systemd/user
SERVICEDIR := $(PREFIX)/share/dbus-1/services
INTERFACEDIR := $(PREFIX)/share/dbus-1/interfaces
BASHDIR := $(PREFIX)/share/bash-completion/completions
ZSHDIR := $(PREFIX)/share/zsh/site-functions
FISHDIR := $(PREFIX)/share/fish/vendor_completions.d
LIBEXECDIR := $(PREFIX)/libexec/handoffd
# Where Debian's browsers load extensions for all users (Docs/Browsers.md, "Packages and stores").
CHROMIUMDIR := /usr/share/chromium/extensions/handoff
FIREFOXDIR := /usr/share/mozilla/extensions/{ec8030f7-c20a-464f-9b0e-13a3a9e97384}
BROWSER_FILES = --system --datadir $(PREFIX)/share --host $(LIBEXECDIR)/handoff-browser-host --destdir "$(DESTDIR)/"
# Where Debian's editors look for plug-ins of all users. They do nothing before a user switches them on.
VIMDIR := $(PREFIX)/share/vim/vimfiles
NVIMDIR := $(PREFIX)/share/nvim/site
EMACSDIR := $(PREFIX)/share/emacs/site-lisp
VSCODEDIR := $(PREFIX)/share/handoffd/vscode
VIM_FILES := plugin/handoff.vim autoload/handoff.vim autoload/handoff/file.vim autoload/handoff/message.vim
TERMINALDIR := $(PREFIX)/share/handoffd/terminal
MEDIADIR := $(PREFIX)/share/handoffd/media
VIEWERDIR := $(PREFIX)/share/handoffd/viewer
OFFICEDIR := $(PREFIX)/share/handoffd/office
EXTENSION_NAMES := Copy Edit Media Office Terminal Viewer
EXTENSION_PROGRAMS := $(foreach name,$(EXTENSION_NAMES),Extensions/Programs/handoff-$(shell echo $(name) | tr A-Z a-z))
EXTENSION_APPS := $(foreach name,$(EXTENSION_NAMES),Extensions/Programs/org.handoffd.$(name).desktop)
SHELL_FILES := $(addprefix Extensions/Shells/handoff.,bash zsh fish)
APPDIR := $(PREFIX)/share/applications
ICONDIR := $(PREFIX)/share/icons/hicolor
SEARCHDIR := $(PREFIX)/share/gnome-shell/search-providers
KRUNNERDIR := $(PREFIX)/share/krunner/dbusplugins
# Where desktops look for what they start, whatever the prefix (Desktop Application Autostart Specification).
AUTOSTARTDIR := /etc/xdg/autostart
# The names on the session bus by which the daemon is started (Docs/dbus/README.md, "Two names").
BUS_NAMES := org.handoffd.Handoff1 org.handoffd.Control1

SOURCES := Package.swift Sources Tests Examples
PROTO := Sources/HandoffWire/Protocol

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

.PHONY: setup
setup: ## Install the packages for building and testing (apt, with sudo unless root)
	@Tests/Scripts/setup test

.PHONY: build
build: ## Build all targets for debugging
	@Tests/Scripts/setup build
	@Tests/Scripts/build

# Only the two programs that it runs: these need half of the time of all targets.
.PHONY: demo
demo: ## Run two devices on a simulated air: trust, publish, list, continue
	@Tests/Scripts/setup demo
	@echo "demo: building handoffd and handoffctl, from nothing in some minutes"
	@Tests/Scripts/build --product handoffd
	@Tests/Scripts/build --product handoffctl
	@Tests/Stories/demo.py

.PHONY: demo-bluez
demo-bluez: ## Run the demo in a virtual machine with a real kernel and bluetoothd
	@Tests/Scripts/setup demo
	@Tests/Scripts/build --product handoffd
	@Tests/Scripts/build --product handoffctl
	@Tests/Rig/setup
	@Tests/Rig/run-one-guest $(BLUETOOTHD) Tests/Stories/demo.py hci0 hci1

.PHONY: test
test: ## Run what guards an ordinary change, with its set-up: unit tests, a story for each feature
	@Tests/Scripts/run-tests test

# The parts that run, and those that do not; Tests/Scripts/run-tests lists them.
ONLY ?= all
EXCEPT ?=

.PHONY: test-all
test-all: ## Run all tests, with their set-up: also browsers, office, the window, virtual machines; ONLY= EXCEPT=
	@Tests/Scripts/run-tests $(ONLY) $(addprefix --except ,$(EXCEPT))

# SUITE:TARGET or SUITE:TARGET:LOAD; Tests/Fresh/run has the list of all, which take hours.
RUNS ?=

.PHONY: test-fresh
test-fresh: ## Run `make demo` and `make test` in fresh root directories, also slow ones; RUNS=bookworm:demo:busy
	@Tests/Scripts/setup fresh
	@Tests/Fresh/run $(RUNS)

.PHONY: test-unit
test-unit: ## Run the unit tests
	@Tests/Scripts/run-tests units

.PHONY: test-browsers
test-browsers: ## Run real browsers with the extension, on displays of their own and a simulated air
	@Tests/Scripts/run-tests browsers

.PHONY: test-extensions
test-extensions: ## Run real editors, shells and players with what is in Extensions, in some minutes
	@Tests/Scripts/run-tests extensions

.PHONY: test-window
test-window: ## Run the window on displays of its own, driven over AT-SPI, with daemons on a simulated air
	@Tests/Scripts/run-tests window

.PHONY: screenshots
screenshots: ## Make pictures of the window's pages in .build/pictures
	@Tests/Scripts/setup window
	@Tests/Scripts/build
	@HANDOFF_WINDOW=1 Tests/Scripts/build --product handoff
	@Tests/Window/screenshots .build/pictures
	@Tests/Window/drawings .build/pictures

# Stock bluetoothd 5.66 may not answer on D-Bus for 30 s after a connection; the file explains and avoids this.
BLUETOOTHD := --bluetoothd-args "-f $(CURDIR)/Tests/Rig/one-att-channel.conf"

# Another release of bluetoothd, and the directory with its sources; a regular expression for the parts that run; how many
# guests run side by side; the configuration, stock or one-att-channel. Releases after 5.66 do not need the latter. Another
# kernel: the package, or a directory with its packages.
BLUETOOTHD_VERSION ?=
BLUEZ_TREE ?=
PARTS ?=
SET ?=
KERNEL ?=
AT_ONCE ?=
CONFIGURATION ?= $(if $(BLUETOOTHD_VERSION)$(BLUEZ_TREE),stock,one-att-channel)
BUILD_BLUETOOTHD = Tests/Rig/build-bluetoothd --version "$(BLUETOOTHD_VERSION)" "$(BLUEZ_TREE)"

.PHONY: test-bluez
test-bluez: ## Run the tests on a real kernel and bluetoothd, in virtual machines; BLUETOOTHD_VERSION= BLUEZ_TREE= KERNEL= SET= PARTS= AT_ONCE=
	@Tests/Scripts/setup test
	@[[ -z "$(BLUEZ_TREE)" ]] || Tests/Scripts/setup bluetoothd
	@[[ -z "$(BLUETOOTHD_VERSION)$(BLUEZ_TREE)" ]] || $(BUILD_BLUETOOTHD)
	@Tests/Scripts/build --build-tests
	@Tests/Rig/setup
	@program=; [[ -z "$(BLUETOOTHD_VERSION)$(BLUEZ_TREE)" ]] || program=$$($(BUILD_BLUETOOTHD)); \
	    kernel=; [[ -z "$(KERNEL)" ]] || kernel=$$(Tests/Rig/unpack-kernel "$(KERNEL)"); \
	    Tests/Scripts/run-bluez-tests $${program:+--bluetoothd "$$program"} $${kernel:+--kernel "$$kernel"} \
	        --configuration $(CONFIGURATION) --parts '$(PARTS)' $(if $(SET),--set $(SET)) $(if $(AT_ONCE),--at-once $(AT_ONCE))

SECONDS ?= 30

.PHONY: fuzz
fuzz: ## Fuzz every reader of external input, SECONDS=30 each
	@Tests/Scripts/setup build
	@Tests/Fuzz/run $(SECONDS)

.PHONY: faults
faults: ## Run daemons with faults of disk, air, processes and limits, SECONDS=30
	@Tests/Scripts/setup test
	@Tests/Scripts/build
	@Tests/Faults/run --seconds $(SECONDS)

.PHONY: check
check: ## Run the checks of CI besides tests: format, warnings, imports, scripts, docs, units, package, version
	@Tests/Scripts/setup check
	@Tests/Scripts/check

.PHONY: format
format: ## Format the Swift sources
	swift format --in-place --parallel --recursive $(SOURCES)

.PHONY: interfaces
interfaces: ## Write the D-Bus interface files, and the headings of their pages, from the declarations in Sources
	@Tests/Scripts/build --build-tests
	@HANDOFF_WRITE_INTERFACES=1 Tests/Scripts/run-swift-tests --filter DocumentationTests.InterfaceFileTests

.PHONY: proto
proto: ## Regenerate the messages, and their page in Docs, from .proto files (needs protobuf-compiler, protoc-gen-swift)
	protoc --swift_out=$(PROTO) --swift_opt=Visibility=Internal --swift_opt=UseAccessLevelOnImports=true \
		--proto_path=$(PROTO) $(PROTO)/Circle.proto $(PROTO)/Handoff.proto $(PROTO)/Pairing.proto
	Tests/Scripts/protocol-messages

# A program that contains Swift's libraries exports every symbol, unless it is told not to: what it does not use stays in
# it (2.7 of 33 MB of handoffd), and is listed for libraries that it never loads.
EXPORTS := $(CURDIR)/.build/exports.map
# Swift's runtime uses 80 kB of the C++ library, which as a shared library takes 1 MiB of memory and 0.7 ms of each start.
# Where the compiler has no such file, the shared library is linked.
CXX_LIBRARY := $(CURDIR)/.build/static/libstdc++.a
LINKER_FILES := $(EXPORTS) $(CXX_LIBRARY)
# Code for size, each function in a section that the linker can leave out, is 2.3 MB less of handoffd, and 1.2 MB less in
# memory; encoding an activity takes 5 % longer, and matching advertisements as long as before (Docs/Measurements.md).
RELEASE_FLAGS := --configuration release --static-swift-stdlib \
    -Xswiftc -Osize -Xswiftc -Xfrontend -Xswiftc -function-sections \
    -Xlinker -z -Xlinker now -Xlinker --version-script=$(EXPORTS) -Xlinker -L$(dir $(CXX_LIBRARY))

# The programs of most tests and measurements, as they are installed, and their directory.
.PHONY: release-programs release-directory
release-programs: $(LINKER_FILES)
	swift build $(RELEASE_FLAGS) --product handoffd
	swift build $(RELEASE_FLAGS) --product handoffctl

release-directory:
	@swift build $(RELEASE_FLAGS) --show-bin-path

$(EXPORTS):
	@mkdir -p $(@D) && echo '{ local: *; };' > $@

$(CXX_LIBRARY):
	@mkdir -p $(@D)
	@library=$$(clang -print-file-name=$(@F) 2> /dev/null || true); \
	    if [[ $$library == /* ]]; then ln -sf "$$library" $@; fi

.PHONY: bench
bench: $(LINKER_FILES) ## Run the benchmarks of a release build, with baselines from the same run
	@Tests/Scripts/setup test
	swift build $(RELEASE_FLAGS) --product handoff-bench
	@$$(swift build $(RELEASE_FLAGS) --show-bin-path)/handoff-bench

.PHONY: bench-resting
bench-resting: ## Measure memory and wake-ups of idle programs, in a build as it is installed
	@Tests/Scripts/setup test
	@$(MAKE) --no-print-directory release-programs
	swift build $(RELEASE_FLAGS) --product handoff-desktop
	swift build $(RELEASE_FLAGS) --product fake-bluetoothd
	@HANDOFF_PROGRAMS=$$(swift build $(RELEASE_FLAGS) --show-bin-path) \
	    python3 Tests/Benchmarks/resting.py

# The window is part of the package only where it is asked for (Docs/Decisions/0037).
WINDOW_BUILD := HANDOFF_WINDOW=1 swift build

.PHONY: bench-window
bench-window: ## Measure how fast a release build of the window appears, and its memory, beside an empty window
	@Tests/Scripts/setup window
	@$(MAKE) --no-print-directory release-programs
	$(WINDOW_BUILD) $(RELEASE_FLAGS) --product handoff
	@HANDOFF_PROGRAMS=$$(swift build $(RELEASE_FLAGS) --show-bin-path) Tests/Window/bench

.PHONY: bench-kdeconnect
bench-kdeconnect: ## Measure a release build beside KDE Connect: a page, a file, memory and wake-ups
	@Tests/Scripts/setup kdeconnect
	@$(MAKE) --no-print-directory release-programs
	@HANDOFF_PROGRAMS=$$(swift build $(RELEASE_FLAGS) --show-bin-path) \
	    python3 Tests/Benchmarks/kdeconnect.py

.PHONY: docs
docs: ## Build the reference documentation into .build/documentation
	@Tests/Scripts/build-docs

# What `make release` makes and `make install` copies.
DIST := .build/dist

.PHONY: pin-dependencies
pin-dependencies: ## List the packages of others as they are resolved now, after a look at what has changed in them
	@Packaging/dependencies write

.PHONY: release
release: ## Build what is installed: programs, manual pages, completions
	@Tests/Scripts/setup release
	@Packaging/dependencies check
	@$(MAKE) --no-print-directory release-programs
	swift build $(RELEASE_FLAGS) --product handoff-browser-host
	swift build $(RELEASE_FLAGS) --product handoff-desktop
	@$(MAKE) --no-print-directory dist BIN=$$(swift build $(RELEASE_FLAGS) --show-bin-path)
	@ls -lh $(DIST)/bin

# What is installed, with the programs of the directory BIN.
.PHONY: dist
dist:
	@rm -rf $(DIST) && mkdir -p $(DIST)/bin $(DIST)/completions
	@cp $(addprefix $(BIN)/,handoffd handoffctl handoff-browser-host handoff-desktop) $(DIST)/bin
	@strip $(DIST)/bin/*
	@# The linker is told where Swift's libraries are; the programs contain theirs.
	@chrpath --delete $(DIST)/bin/* > /dev/null
	@Tests/Scripts/build-man-pages $(DIST)/man
	@# A file that is sourced has no first line that names an interpreter.
	@for shell in bash zsh fish; do \
	    $(DIST)/bin/handoffctl --generate-completion-script $$shell | sed '1{/^#!/d}' \
	        > $(DIST)/completions/handoffctl.$$shell && [[ -s $(DIST)/completions/handoffctl.$$shell ]] || exit 1; \
	done
	@cd Extensions/Browser && python3 -m zipfile -c $(abspath $(DIST))/handoff.xpi *
	@Tests/Scripts/build-notices > $(DIST)/NOTICES

.PHONY: install
install: install-daemon install-desktop ## Install what `make release` has built: DESTDIR= PREFIX=/usr/local

# The two Debian packages: what any computer needs, and what only a desktop shows.
.PHONY: install-daemon
install-daemon:
	@[[ -s $(DIST)/NOTICES ]] || { echo "make install: nothing is built yet; run \`make release\` first, as yourself" >&2; exit 1; }
	install -D -m 755 -t $(DESTDIR)$(BINDIR) $(DIST)/bin/handoffd $(DIST)/bin/handoffctl
	install -D -m 755 -t $(DESTDIR)$(LIBEXECDIR) $(DIST)/bin/handoff-browser-host
	$(DIST)/bin/handoffctl browser install $(BROWSER_FILES) > /dev/null
	rm -rf $(DESTDIR)$(CHROMIUMDIR)
	install -d $(DESTDIR)$(CHROMIUMDIR)
	cd Extensions/Browser && find . -type f -exec install -D -m 644 {} $(abspath $(DESTDIR)/)$(CHROMIUMDIR)/{} ';'
	install -D -m 644 $(DIST)/handoff.xpi "$(DESTDIR)$(FIREFOXDIR)/handoff@handoffd.org.xpi"
	@$(MAKE) --no-print-directory install-extensions install-service
	install -D -m 644 -t $(DESTDIR)$(INTERFACEDIR) Docs/dbus/*.xml
	install -D -m 644 -t $(DESTDIR)$(ICONDIR)/scalable/apps Packaging/desktop/icons/org.handoffd.Handoff.svg
	install -D -m 644 -t $(DESTDIR)$(MANDIR)/man1 $(DIST)/man/man1/handoffctl*
	install -D -m 644 -t $(DESTDIR)$(MANDIR)/man8 $(DIST)/man/man8/*
	install -D -m 644 $(DIST)/completions/handoffctl.bash $(DESTDIR)$(BASHDIR)/handoffctl
	install -D -m 644 $(DIST)/completions/handoffctl.zsh $(DESTDIR)$(ZSHDIR)/_handoffctl
	install -D -m 644 -t $(DESTDIR)$(FISHDIR) $(DIST)/completions/handoffctl.fish
	install -D -m 644 -t $(DESTDIR)$(DOCDIR) README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE $(DIST)/NOTICES
	install -D -m 644 -t $(DESTDIR)$(DOCDIR)/Docs Docs/*.md
	install -D -m 644 -t $(DESTDIR)$(DOCDIR)/Docs/dbus Docs/dbus/*.md
	install -D -m 644 -t $(DESTDIR)$(DOCDIR)/Docs/pictures Docs/pictures/*.svg
	install -D -m 644 -t $(DESTDIR)$(DOCDIR)/Docs/Decisions Docs/Decisions/*.md

# Without the browsers'. Programs that only handoffd starts are in libexec; their desktop files say where.
.PHONY: install-extensions
install-extensions:
	install -D -m 755 -t $(DESTDIR)$(LIBEXECDIR) $(EXTENSION_PROGRAMS)
	cd Extensions/Programs && find handoff -name '*.py' \
	    -exec install -D -m 644 {} $(abspath $(DESTDIR)/)$(LIBEXECDIR)/{} ';'
	install -d $(DESTDIR)$(APPDIR) $(DESTDIR)$(TERMINALDIR) $(DESTDIR)$(MEDIADIR) $(DESTDIR)$(VIEWERDIR) \
	    $(DESTDIR)$(OFFICEDIR)
	for file in $(EXTENSION_APPS); do \
	    sed 's|@libexecdir@|$(LIBEXECDIR)|' $$file.in > $(DESTDIR)$(APPDIR)/$${file##*/} || exit 1; \
	done
	sed 's|@libexecdir@|$(LIBEXECDIR)|' Extensions/Programs/handoff-media.service.in \
	    > $(DESTDIR)$(MEDIADIR)/handoff-media.service
	sed 's|@libexecdir@|$(LIBEXECDIR)|' Extensions/Programs/handoff-viewer.service.in \
	    > $(DESTDIR)$(VIEWERDIR)/handoff-viewer.service
	sed 's|@libexecdir@|$(LIBEXECDIR)|' Extensions/Programs/handoff-office.service.in \
	    > $(DESTDIR)$(OFFICEDIR)/handoff-office.service
	for file in $(SHELL_FILES); do \
	    sed 's|@libexecdir@|$(LIBEXECDIR)|' $$file.in > $(DESTDIR)$(TERMINALDIR)/$${file##*/} || exit 1; \
	done
	for file in $(VIM_FILES); do \
	    for directory in $(DESTDIR)$(VIMDIR) $(DESTDIR)$(NVIMDIR); do \
	        install -D -m 644 Extensions/Vim/$$file $$directory/$$file || exit 1; \
	    done; \
	done
	install -D -m 644 -t $(DESTDIR)$(EMACSDIR) Extensions/Emacs/*.el
	install -D -m 644 -t $(DESTDIR)$(VSCODEDIR) Extensions/VSCode/package.json Extensions/VSCode/*.js

# Without a program: the rig installs these for the programs of a debug build.
.PHONY: install-service
install-service:
	install -d $(DESTDIR)$(UNITDIR) $(DESTDIR)$(SERVICEDIR)
	sed 's|@bindir@|$(BINDIR)|' systemd/handoffd.service.in > $(DESTDIR)$(UNITDIR)/handoffd.service
	for name in $(BUS_NAMES); do \
	    sed -e "s|@name@|$$name|" -e 's|@bindir@|$(BINDIR)|' systemd/activation.service.in \
	        > $(DESTDIR)$(SERVICEDIR)/$$name.service; \
	done

.PHONY: install-desktop
install-desktop:
	@[[ -s $(DIST)/NOTICES ]] || { echo "make install: nothing is built yet; run \`make release\` first, as yourself" >&2; exit 1; }
	install -D -m 755 -t $(DESTDIR)$(BINDIR) $(DIST)/bin/handoff-desktop
	install -d $(DESTDIR)$(UNITDIR) $(DESTDIR)$(SERVICEDIR) $(DESTDIR)$(APPDIR) $(DESTDIR)$(AUTOSTARTDIR)
	sed 's|@bindir@|$(BINDIR)|' systemd/handoff-desktop.service.in > $(DESTDIR)$(UNITDIR)/handoff-desktop.service
	sed 's|@bindir@|$(BINDIR)|' systemd/desktop-activation.service.in \
	    > $(DESTDIR)$(SERVICEDIR)/org.handoffd.Desktop1.service
	sed 's|@bindir@|$(BINDIR)|' Packaging/desktop/org.handoffd.Handoff.desktop.in > $(DESTDIR)$(APPDIR)/org.handoffd.Handoff.desktop
	sed 's|@bindir@|$(BINDIR)|' Packaging/desktop/autostart.desktop.in > $(DESTDIR)$(AUTOSTARTDIR)/org.handoffd.Handoff.desktop
	install -D -m 644 -t $(DESTDIR)$(ICONDIR)/symbolic/apps Packaging/desktop/icons/*-symbolic.svg
	install -D -m 644 Packaging/desktop/search-provider.ini $(DESTDIR)$(SEARCHDIR)/org.handoffd.Handoff.search-provider.ini
	install -D -m 644 Packaging/desktop/krunner.desktop $(DESTDIR)$(KRUNNERDIR)/org.handoffd.Handoff.desktop
	install -D -m 644 -t $(DESTDIR)$(MANDIR)/man1 $(DIST)/man/man1/handoff-desktop.1
METAINFODIR := $(PREFIX)/share/metainfo
LOCALEDIR := $(PREFIX)/share/locale
WINDOW_ID := org.handoffd.Window
LANGUAGES := $(basename $(notdir $(wildcard Packaging/translations/*.po)))

.PHONY: release-window
release-window: $(LINKER_FILES) ## Build the window `handoff` for installation, after `make release`
	@Tests/Scripts/setup release-window
	$(WINDOW_BUILD) $(RELEASE_FLAGS) --product handoff
	@mkdir -p $(DIST)/window
	@cp $$($(WINDOW_BUILD) $(RELEASE_FLAGS) --show-bin-path)/handoff $(DIST)/window
	@strip $(DIST)/window/handoff
	@chrpath --delete $(DIST)/window/handoff > /dev/null
	@Packaging/translations/build $(DIST)/locale

.PHONY: install-window
install-window: ## Install what `make release-window` has built: DESTDIR= PREFIX=/usr/local
	@[[ -x $(DIST)/window/handoff ]] || { echo "make install-window: run \`make release-window\` first" >&2; exit 1; }
	install -D -m 755 -t $(DESTDIR)$(BINDIR) $(DIST)/window/handoff
	install -d $(DESTDIR)$(APPDIR)
	sed 's|@bindir@|$(BINDIR)|' Packaging/desktop/window/$(WINDOW_ID).desktop.in > $(DESTDIR)$(APPDIR)/$(WINDOW_ID).desktop
	install -D -m 644 -t $(DESTDIR)$(MANDIR)/man1 $(DIST)/man/man1/handoff.1
	install -D -m 644 -t $(DESTDIR)$(METAINFODIR) Packaging/desktop/window/$(WINDOW_ID).metainfo.xml
	install -D -m 644 -t $(DESTDIR)$(ICONDIR)/scalable/apps Packaging/desktop/window/$(WINDOW_ID).svg
	install -D -m 644 -t $(DESTDIR)$(ICONDIR)/symbolic/apps Packaging/desktop/window/$(WINDOW_ID)-symbolic.svg
	for language in $(LANGUAGES); do \
	    install -D -m 644 -t $(DESTDIR)$(LOCALEDIR)/$$language/LC_MESSAGES \
	        $(DIST)/locale/$$language/LC_MESSAGES/handoff.mo; \
	done

.PHONY: uninstall-window
uninstall-window: ## Remove what `make install-window` has installed: DESTDIR= PREFIX=/usr/local
	rm -f $(DESTDIR)$(BINDIR)/handoff $(DESTDIR)$(APPDIR)/$(WINDOW_ID).desktop $(DESTDIR)$(MANDIR)/man1/handoff.1
	rm -f $(DESTDIR)$(METAINFODIR)/$(WINDOW_ID).metainfo.xml $(DESTDIR)$(ICONDIR)/*/apps/$(WINDOW_ID)*.svg
	rm -f $(foreach language,$(LANGUAGES),$(DESTDIR)$(LOCALEDIR)/$(language)/LC_MESSAGES/handoff.mo)

.PHONY: uninstall
uninstall: ## Remove what `make install` has installed: DESTDIR= PREFIX=/usr/local
	[[ ! -x $(DESTDIR)$(BINDIR)/handoffctl ]] || \
	    $(DESTDIR)$(BINDIR)/handoffctl browser uninstall $(BROWSER_FILES) > /dev/null
	rm -rf $(DESTDIR)$(LIBEXECDIR) $(DESTDIR)$(CHROMIUMDIR) "$(DESTDIR)$(FIREFOXDIR)/handoff@handoffd.org.xpi"
	rm -f $(addprefix $(DESTDIR)$(APPDIR)/,$(notdir $(EXTENSION_APPS)))
	rm -f $(addprefix $(DESTDIR)$(VIMDIR)/,$(VIM_FILES)) $(addprefix $(DESTDIR)$(NVIMDIR)/,$(VIM_FILES))
	rmdir --ignore-fail-on-non-empty $(DESTDIR)$(VIMDIR)/autoload/handoff $(DESTDIR)$(NVIMDIR)/autoload/handoff 2> /dev/null || true
	rm -f $(DESTDIR)$(EMACSDIR)/handoff.el $(DESTDIR)$(EMACSDIR)/handoff-file.el
	rm -rf $(DESTDIR)$(VSCODEDIR) $(DESTDIR)$(TERMINALDIR) $(DESTDIR)$(MEDIADIR) $(DESTDIR)$(VIEWERDIR) $(DESTDIR)$(OFFICEDIR)
	rmdir --ignore-fail-on-non-empty $(DESTDIR)$(dir $(VSCODEDIR)) 2> /dev/null || true
	rm -f $(addprefix $(DESTDIR)$(BINDIR)/,handoffd handoffctl) $(DESTDIR)$(UNITDIR)/handoffd.service
	rm -f $(addprefix $(DESTDIR)$(SERVICEDIR)/,$(addsuffix .service,$(BUS_NAMES))) $(DESTDIR)$(INTERFACEDIR)/org.handoffd.*.xml
	rm -f $(DESTDIR)$(MANDIR)/man1/handoffctl.1 $(DESTDIR)$(MANDIR)/man1/handoffctl-*.1 $(DESTDIR)$(MANDIR)/man8/handoffd.8
	rm -f $(DESTDIR)$(BASHDIR)/handoffctl $(DESTDIR)$(ZSHDIR)/_handoffctl $(DESTDIR)$(FISHDIR)/handoffctl.fish
	rm -rf $(DESTDIR)$(DOCDIR)
	rm -f $(DESTDIR)$(BINDIR)/handoff-desktop $(DESTDIR)$(UNITDIR)/handoff-desktop.service
	rm -f $(DESTDIR)$(SERVICEDIR)/org.handoffd.Desktop1.service $(DESTDIR)$(MANDIR)/man1/handoff-desktop.1
	rm -f $(addsuffix /org.handoffd.Handoff.desktop,$(addprefix $(DESTDIR),$(APPDIR) $(AUTOSTARTDIR) $(KRUNNERDIR)))
	rm -f $(DESTDIR)$(SEARCHDIR)/org.handoffd.Handoff.search-provider.ini
	rm -f $(DESTDIR)$(ICONDIR)/scalable/apps/org.handoffd.Handoff.svg $(DESTDIR)$(ICONDIR)/symbolic/apps/org.handoffd.Handoff-*.svg

.PHONY: deb
deb: ## Build the Debian packages in .build/package, without the window
	@Tests/Scripts/setup release
	@Tests/Scripts/setup package
	DEB_RULES_REQUIRES_ROOT=no debian/rules binary
	@debian/rules clean > /dev/null
	@ls -lh .build/package/*.deb

.PHONY: deb-window
deb-window: export DEB_BUILD_PROFILES = pkg.handoffd.window
deb-window: ## Build the Debian packages, also that with the window, which needs GTK
	@Tests/Scripts/setup release-window
	@$(MAKE) --no-print-directory deb

.PHONY: test-package
test-package: deb-window ## Build the Debian packages, and try them in fresh Debian 12 and 13 root directories
	@Tests/Scripts/setup package-test
	@Tests/Scripts/test-package

.PHONY: clean
clean: ## Remove the build directory
	rm -rf .build
