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
test:
	cargo test --workspace --locked

# What a change must pass before it lands, beside the tests.
check:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --locked
	cargo test --locked --test architecture

# The second bench compares the searches with other engines, over the snapshot that the first ones leave.
bench:
	cargo bench --locked
	cargo bench --manifest-path benches/engines/Cargo.toml --target-dir target/engines

# One statically linked binary: with musl where that target is installed, else with glibc.
static:
	if rustup target list --installed 2>/dev/null | grep -qx '$(MUSL)' && command -v musl-gcc >/dev/null; \
	then target='$(MUSL)'; else target='$(HOST)'; fi; \
	RUSTFLAGS='-C target-feature=+crt-static' cargo build --release --locked --target "$$target" && \
	mkdir -p target/static && cp "target/$$target/release/daicho" target/static/daicho
	ls -l target/static/daicho
