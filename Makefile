# daicho: build, run, test. Needs a Rust toolchain, a C compiler and make.

DEMO := target/demo
LISTEN ?= 127.0.0.1:8080
DAICHO := target/quick/daicho
HOST := $(shell rustc -vV | sed -n 's/^host: //p')
MUSL := $(shell rustc -vV | sed -n 's/^host: \([^-]*\)-.*/\1/p')-unknown-linux-musl

.PHONY: run test check bench static notices pages image release

# Serves the official data included in the program, with a demo account; prints its keys. Compiles with the profile
# `quick`: `make static`, the packages, the image and a release have the full optimisation.
run:
	@DAICHO='$(DAICHO)' DEMO='$(DEMO)' LISTEN='$(LISTEN)' sh build-tools/demo.sh

# Runs every test, in English whatever the locale is; on Debian, installs the programs that the tests need. Tests whose files, programs or permissions are
# missing are ignored, with the reason (tests/needs).
test: postgresql chromium clients strace fleet kubernetes
	DAICHO_LANG=en cargo test --workspace --locked

# Runs the simulation of tests/simulation: SEEDS=2000 runs so many seeds, FIRST=5000 begins there, SECONDS=600 ends after
# ten minutes. SEED=7 runs one seed and prints what happens in it, DROP=3,4 without these parts. A failure prints the
# command that replays it. Compiles with the profile `simulate`; `make test` runs 2,000 seeds with that of the tests.
# No run uses TLS: without root certificates its updates read none.
.PHONY: simulate
simulate:
	DAICHO_SIMULATE_SEEDS='$(SEEDS)' DAICHO_SIMULATE_FIRST='$(FIRST)' DAICHO_SIMULATE_SECONDS='$(SECONDS)' \
	    DAICHO_SIMULATE_SEED='$(SEED)' DAICHO_SIMULATE_DROP='$(DROP)' DAICHO_LANG=en SSL_CERT_FILE=/dev/null SSL_CERT_DIR=/dev/null \
	    cargo test --profile simulate --locked --lib -- simulation::report::promises --nocapture

# The tests start their own PostgreSQL from Debian's packages, or use the one in DAICHO_TEST_POSTGRES.
.PHONY: postgresql
postgresql:
	@if [ -z "$$DAICHO_TEST_POSTGRES" ] && ! ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1; then \
	    echo 'installing PostgreSQL for the tests'; \
	    { apt-get update -qq && apt-get install -y -qq postgresql >/dev/null; } || \
	    echo 'SKIPPED: cannot install PostgreSQL; the store is tested with SQLite only' >&2; \
	fi

# The tests of the dashboard and of forms run in Chromium.
.PHONY: chromium
chromium:
	@if ! command -v chromedriver >/dev/null 2>&1; then \
	    echo 'installing Chromium for the tests'; \
	    { apt-get update -qq && apt-get install -y -qq chromium chromium-driver fonts-noto-cjk >/dev/null; } || \
	    echo 'SKIPPED: cannot install Chromium; the tests in a browser do not run' >&2; \
	fi

# The tests run the client libraries of the hosted service, and tools, installed with npm and pip.
.PHONY: clients
clients:
	@if ! { command -v node && command -v npm && python3 -c 'import ensurepip, venv'; } >/dev/null 2>&1; then \
	    echo 'installing Node.js and Python for the tests'; \
	    { apt-get update -qq && apt-get install -y -qq nodejs npm python3-venv >/dev/null; } || \
	    echo 'SKIPPED: cannot install Node.js and Python; the client libraries are not tested' >&2; \
	fi
	@sh tests/clients/install.sh

# The tests that inject faults at every step of a command use strace.
.PHONY: strace
strace:
	@if ! command -v strace >/dev/null 2>&1; then \
	    echo 'installing strace for the tests'; \
	    { apt-get update -qq && apt-get install -y -qq strace >/dev/null; } || \
	    echo 'SKIPPED: cannot install strace; faults at each step are not tested' >&2; \
	fi

# The tests of several servers and of proxies use HAProxy, nginx and s3s-fs.
.PHONY: fleet
fleet:
	@if ! PATH="$$PATH:/usr/sbin" command -v haproxy >/dev/null 2>&1; then \
	    echo 'installing HAProxy for the tests'; \
	    { apt-get update -qq && apt-get install -y -qq haproxy >/dev/null; } || \
	    echo 'SKIPPED: cannot install HAProxy; servers behind a balancer are not tested' >&2; \
	fi
	@if ! PATH="$$PATH:/usr/sbin" command -v nginx >/dev/null 2>&1; then \
	    echo 'installing nginx for the tests'; \
	    { apt-get update -qq && apt-get install -y -qq nginx-light >/dev/null; } || \
	    echo 'SKIPPED: cannot install nginx; a server below a path of nginx is not tested' >&2; \
	fi
	@if ! [ -x target/tools/bin/s3s-fs ] && ! command -v s3s-fs >/dev/null 2>&1; then \
	    echo 'installing s3s-fs for the tests'; \
	    cargo install s3s-fs --version 0.14.1 --locked --features binary --profile dev --quiet --root target/tools && \
	    mkdir -p target/tools/installed && touch target/tools/installed/s3s-fs || \
	    echo 'SKIPPED: cannot install s3s-fs; servers behind a balancer are not tested' >&2; \
	fi

# The drill in packaging/drill uses Garage, which takes some minutes to build. No test needs it.
.PHONY: garage
garage:
	cargo install garage --version 2.5.0 --locked --no-default-features --features bundled-libs,lmdb,sqlite --root target/tools

# The tests check the manifests of packaging/kubernetes with a validator that includes the schemas.
.PHONY: kubernetes
kubernetes:
	@if ! command -v kubernetes-validate >/dev/null 2>&1 && ! [ -x target/kubernetes/bin/kubernetes-validate ]; then \
	    echo 'installing kubernetes-validate for the tests'; \
	    { python3 -m venv target/kubernetes && target/kubernetes/bin/pip install --quiet kubernetes-validate && \
	      mkdir -p target/tools/installed && touch target/tools/installed/kubernetes-validate; } || \
	    echo 'SKIPPED: cannot install kubernetes-validate; the manifests of Kubernetes are not checked' >&2; \
	fi

# Scores the normaliser on public sets of hard addresses (docs/accuracy.md). MISSES=--misses prints what is wrong.
.PHONY: accuracy
accuracy:
	cargo build --profile quick --locked
	@mkdir -p $(DEMO)
	@$(DAICHO) build included --out $(DEMO)/included >/dev/null
	@python3 build-tools/accuracy.py $(DAICHO) $(DEMO)/included $(MISSES)

# Checks that a change must pass in addition to the tests. The fuzz targets need a C++ compiler. The last lines name what
# `deny` has skipped, which hundreds of lines follow.
check: deny
	cargo fmt --all --check
	cargo fmt --manifest-path benches/engines/Cargo.toml --check
	cargo fmt --manifest-path fuzz/Cargo.toml --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	cargo check --locked --no-default-features
	cargo clippy --manifest-path benches/engines/Cargo.toml --target-dir target --all-targets --locked -- -D warnings
	cargo clippy --manifest-path fuzz/Cargo.toml --target-dir target --all-targets --locked -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --locked
	cargo test --locked --test architecture
	@$(MAKE) --no-print-directory minimum
	@cat $(SKIPPED) >&2

# Compiles with the oldest toolchain that Cargo.toml allows. rustup installs it if it can; without it nothing proves
# `rust-version`, and this says so.
MINIMUM := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
.PHONY: minimum
minimum:
	@if rustc --version | grep -q '^rustc $(MINIMUM)\.0 '; then \
	    echo 'the checks above ran with Rust $(MINIMUM), the oldest that Cargo.toml allows'; \
	elif rustup run $(MINIMUM).0 rustc --version >/dev/null 2>&1 || \
	    timeout 300 rustup toolchain install $(MINIMUM).0 --profile minimal >/dev/null 2>&1; then \
	    echo 'checking with Rust $(MINIMUM), the oldest that Cargo.toml allows'; \
	    rustup run $(MINIMUM).0 cargo check --workspace --locked --quiet --target-dir target/minimum; \
	else echo 'SKIPPED: cannot install Rust $(MINIMUM); whether the program compiles with it is not checked' >&2; fi

# Checks licences, sources and bans of every dependency (deny.toml), and known vulnerabilities if the advisory database
# can be fetched. Installs a debug build of cargo-deny: it is fast enough and compiles three times as fast.
SKIPPED := target/skipped-checks
.PHONY: deny
deny:
	@mkdir -p target && : >$(SKIPPED)
	@if ! cargo deny --version >/dev/null 2>&1; then \
	    echo 'installing cargo-deny'; \
	    cargo install cargo-deny --locked --profile dev --quiet || \
	    echo 'SKIPPED: cannot install cargo-deny; licences and known vulnerabilities of dependencies are not checked' | tee $(SKIPPED) >&2; \
	fi
	@if cargo deny --version >/dev/null 2>&1; then cargo deny --log-level error check licenses bans sources; fi
	@if cargo deny --version >/dev/null 2>&1; then \
	    if timeout 60 cargo deny fetch db >/dev/null 2>&1; then cargo deny check advisories; \
	    else echo 'SKIPPED: cannot fetch the database of advisories; known vulnerabilities are not checked' | tee $(SKIPPED) >&2; fi; \
	fi

# Runs each target of fuzz/ under libFuzzer for FUZZ_SECONDS; docs/fuzzing.md explains what to do with findings.
# RUSTC_BOOTSTRAP lets the stable compiler accept the nightly options for instrumentation.
FUZZ_SECONDS ?= 600
FUZZ_TARGETS ?= address body compat head match mcp query snapshot source
.PHONY: fuzz
fuzz:
	cargo fuzz --version >/dev/null 2>&1 || cargo install cargo-fuzz --locked --profile dev
	cargo run --quiet --manifest-path fuzz/Cargo.toml --target-dir target/fuzz --example seeds -- target/fuzz/seeds
	@set -e; for target in $(FUZZ_TARGETS); do \
	    mkdir -p target/fuzz/corpus/$$target; \
	    RUSTC_BOOTSTRAP=1 cargo fuzz run --sanitizer none --target-dir target/fuzz $$target \
	        target/fuzz/corpus/$$target target/fuzz/seeds/$$target -- -max_total_time=$(FUZZ_SECONDS) -timeout=30 -rss_limit_mb=4096; \
	done

# The second line compares the searches with other engines, using the snapshot that the first line writes.
bench:
	cargo bench --locked
	cargo bench --manifest-path benches/engines/Cargo.toml --target-dir target/engines

# One hour of mixed load on the real server while its data, its store and its webhook receiver are taken down and
# restored. The report and the chart are in target/soak; benches/README.md explains what a good chart looks like.
SOAK_SECONDS ?= 3600
.PHONY: soak
soak: postgresql
	cargo build --release --locked
	cargo run --release --locked --example soak -- --seconds $(SOAK_SECONDS)

# Checks that the program compiles for macOS and Windows, with its features and without. A script stands for their C
# compilers, because nothing is linked or run; packaging/README.md says what that proves.
PLATFORMS ?= aarch64-apple-darwin x86_64-apple-darwin x86_64-pc-windows-gnu
.PHONY: platforms
platforms: export TARGET_CC = $(CURDIR)/packaging/stub-compiler.sh
platforms: export TARGET_CXX = $(TARGET_CC)
platforms: export TARGET_AR = $(TARGET_CC)
platforms:
	@set -e; for target in $(PLATFORMS); do \
	    if rustup target list --installed 2>/dev/null | grep -qx "$$target" || \
	        timeout 300 rustup target add "$$target" >/dev/null 2>&1; then \
	        for features in '' --no-default-features; do \
	            echo "checking for $$target $$features"; \
	            cargo check --locked --quiet --target "$$target" --target-dir target/platforms $$features; \
	        done; \
	    else echo "SKIPPED: cannot install the library of Rust for $$target; that system is not checked" >&2; fi; \
	done

# One statically linked binary: for TARGET if it is set, else with musl if that target is installed, otherwise with
# glibc. It gets random numbers by system call: a static glibc does not find its own function, and an empty root folder
# has no /dev/urandom.
STATIC_FLAGS := -C target-feature=+crt-static --cfg getrandom_backend="linux_getrandom"
STATIC_TARGET = $(or $(TARGET),$(shell if rustup target list --installed 2>/dev/null | grep -qx '$(MUSL)' && \
    command -v musl-gcc >/dev/null; then echo '$(MUSL)'; else echo '$(HOST)'; fi))
# Messages of panics name source files. Their paths are made short, so that the program does not tell the folders of the
# machine that built it.
CARGO_FOLDER = $(if $(CARGO_HOME),$(CARGO_HOME),$(HOME)/.cargo)
SHORT_PATHS = '--remap-path-prefix=$(CARGO_FOLDER)=cargo' '--remap-path-prefix=$(CURDIR)=daicho' \
    "--remap-path-prefix=$$(rustc --print sysroot)=rust"
static: export DAICHO_COMMIT ?= $(shell git rev-parse --short=12 HEAD 2>/dev/null)
static:
	target='$(STATIC_TARGET)'; static='$(STATIC_FLAGS)'; \
	flags=$$(printf '\037%s' $$static $(SHORT_PATHS)); \
	CARGO_ENCODED_RUSTFLAGS="$${flags#?}" cargo build --release --locked --target "$$target" && \
	mkdir -p target/static && cp "target/$$target/release/daicho" target/static/daicho
	sh packaging/paths.sh target/static/daicho
	ls -l target/static/daicho

# The licences and copyright notices of the packages in the static binary. Needs Python.
notices:
	python3 packaging/notices.py target/THIRD-PARTY-NOTICES.txt '$(STATIC_TARGET)'

# On another machine: the static binary for arm64, started under emulation, and the tests of the core there. Debian's
# packages bring the linker, the C library and the emulator; the binary is in target/static, as that of `make static`.
ARM64 := aarch64-unknown-linux-gnu
.PHONY: arm64
arm64: export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER = aarch64-linux-gnu-gcc
arm64: export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER = qemu-aarch64-static
arm64:
	@if ! { command -v aarch64-linux-gnu-gcc && command -v qemu-aarch64-static; } >/dev/null 2>&1; then \
	    apt-get update -qq && apt-get install -y -qq gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static >/dev/null; \
	fi
	rustup target add $(ARM64)
	$(MAKE) static TARGET=$(ARM64)
	qemu-aarch64-static target/static/daicho --version
	qemu-aarch64-static target/static/daicho build included --out target/arm64
	qemu-aarch64-static target/static/daicho lookup postal 1000001 --snapshots target/arm64
	RUSTFLAGS='$(STATIC_FLAGS)' cargo test --locked --package daicho-core --target $(ARM64)

# Bundles the modules of the script for forms; the built files are committed, and a test compares them.
.PHONY: js
js:
	mkdir -p target/js && cp src/forms/assets/package.json target/js/
	npm install --prefix target/js --no-package-lock --no-audit --no-fund --ignore-scripts
	node src/forms/assets/build.mjs target/js

# Installs the optimised program below PREFIX, such as /usr/local/bin/daicho. DESTDIR is for packages.
PREFIX ?= /usr/local
.PHONY: install
install:
	cargo build --release --locked
	install -d '$(DESTDIR)$(PREFIX)/bin'
	install -m 755 target/release/daicho '$(DESTDIR)$(PREFIX)/bin/daicho'

# Manual pages and shell completions, in target/pages.
pages:
	cargo run --locked --quiet --example pages -- target/pages

# The image daicho:latest, or only its root folder if no tool here can build images.
image:
	sh packaging/image.sh

# The files of a release with their checksums, in target/release-files.
release:
	sh packaging/release.sh
