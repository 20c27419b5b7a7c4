# daicho: build, run, test. Needs a Rust toolchain and a C compiler; nothing else.

DEMO := target/demo
LISTEN ?= 127.0.0.1:8080
DAICHO := target/release/daicho
HOST := $(shell rustc -vV | sed -n 's/^host: //p')
MUSL := $(shell rustc -vV | sed -n 's/^host: \([^-]*\)-.*/\1/p')-unknown-linux-musl

.PHONY: run test check bench static

# The server on the sample data, with a demo account whose keys are printed.
run:
	cargo build --release --locked
	DAICHO='$(DAICHO)' DEMO='$(DEMO)' LISTEN='$(LISTEN)' sh build-tools/demo.sh

# Everything, from a bare machine. Tests over the official files skip, and say so, without them.
test: postgresql
	cargo test --workspace --locked

# The tests start a PostgreSQL of their own from Debian's packages, or use the one that
# DAICHO_TEST_POSTGRES names; where there is neither they say what was not tested.
.PHONY: postgresql
postgresql:
	@if [ -z "$$DAICHO_TEST_POSTGRES" ] && ! ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1; then \
	    echo 'installing PostgreSQL for the tests'; \
	    { apt-get update -qq && apt-get install -y -qq postgresql >/dev/null; } || \
	    echo 'SKIPPING: PostgreSQL cannot be installed; the store is tested in SQLite only' >&2; \
	fi

# What a change must pass before it lands, beside the tests.
check:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --locked
	cargo test --locked --test architecture

bench:
	cargo bench --locked

# One statically linked binary: with musl where that target is installed, else with glibc.
static:
	if rustup target list --installed 2>/dev/null | grep -qx '$(MUSL)' && command -v musl-gcc >/dev/null; \
	then target='$(MUSL)'; else target='$(HOST)'; fi; \
	RUSTFLAGS='-C target-feature=+crt-static' cargo build --release --locked --target "$$target" && \
	mkdir -p target/static && cp "target/$$target/release/daicho" target/static/daicho
	ls -l target/static/daicho
