//! The fuzz targets: each takes any bytes, and panics if an answer breaks the rule of the target.
//!
//! `make fuzz` runs them under libFuzzer, guided by coverage; `tests/fuzz` runs the same functions over mutated seeds on
//! the stable toolchain. The targets that send HTTP requests use a server in this process over the sample data.

pub mod address;
pub mod body;
pub mod compat;
pub mod head;
pub mod matching;
pub mod mcp;
pub mod query;
mod sample_server;
pub mod snapshot;
pub mod source;

/// A fuzz target: a function that takes any bytes, and its seeds.
pub struct Target {
    pub name: &'static str,
    pub run: fn(&[u8]),
    /// Inputs to start from: typical requests, and inputs that once failed.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

pub const TARGETS: [Target; 9] = [
    Target { name: "address", run: address::run, seeds: address::seeds },
    Target { name: "body", run: body::run, seeds: body::seeds },
    Target { name: "compat", run: compat::run, seeds: compat::seeds },
    Target { name: "head", run: head::run, seeds: head::seeds },
    Target { name: "match", run: matching::run, seeds: matching::seeds },
    Target { name: "mcp", run: mcp::run, seeds: mcp::seeds },
    Target { name: "query", run: query::run, seeds: query::seeds },
    Target { name: "snapshot", run: snapshot::run, seeds: snapshot::seeds },
    Target { name: "source", run: source::run, seeds: source::seeds },
];

/// The lines of a file of seeds, once for each choice: the first byte is the choice, the rest is the line.
fn with_choices(lines: &str, choices: u8) -> Vec<Vec<u8>> {
    let after = |choice: u8| move |line: &str| [&[choice], line.as_bytes()].concat();
    (0..choices).flat_map(|choice| lines.lines().map(after(choice))).collect()
}
