//! Checks the architecture by reading the source files: which module may import which, what the core must not use,
//! where `unsafe` and outgoing connections are allowed, and the length of files.

mod cycles;
mod datasets;
mod documents;
mod shipped_code;
mod texts;

use std::fs;
use std::path::{Path, PathBuf};

use shipped_code::shipped;

/// For each top-level module of `src/`, the others that it may name. Every module may name those of the package
/// `core/`, which cannot name any of them. A module that is missing here fails the test: add new modules.
///
/// A dataset and what is generic over datasets (`compile`, `update`, `export`, `json`) name each other; that no two files
/// do is a test of its own.
const MAY_NAME: &[(&str, &[&str])] = &[
    ("tls", &[]),
    ("language", &[]),
    ("json", &["dataset"]),
    ("export", &["dataset", "json"]),
    ("compile", &["dataset", "json"]),
    ("update", &["clock", "compile", "dataset", "tls"]),
    ("dataset", &["compile", "export", "json", "language", "update"]),
    ("normalize", &["dataset", "export", "json"]),
    ("simulated", &[]),
    ("clock", &["simulated"]),
    ("random", &["simulated"]),
    ("channel", &["simulated"]),
    ("worker", &["channel", "simulated"]),
    ("signals", &[]),
    ("account", &["clock", "random", "simulated", "tls", "worker"]),
    ("backup", &["account"]),
    ("radar", &["account", "clock", "random", "tls", "worker"]),
    ("release", &["clock", "compile", "dataset", "random", "simulated", "tls", "update"]),
    ("server", &["json"]),
    ("api", &["account", "dataset", "json", "language", "radar", "server", "worker"]),
    ("dashboard", &["account", "api", "dataset", "language", "normalize", "radar", "server"]),
    ("docs", &["account", "api", "language", "server"]),
    ("compat", &["account", "api", "dataset", "forms", "json", "server"]),
    ("forms", &["account", "api", "docs", "language", "server"]),
    ("mcp", &["account", "api", "dataset", "language", "server"]),
    (
        "cli",
        &[
            "account",
            "api",
            "backup",
            "channel",
            "clock",
            "compat",
            "compile",
            "dashboard",
            "dataset",
            "docs",
            "export",
            "forms",
            "json",
            "language",
            "mcp",
            "normalize",
            "radar",
            "random",
            "release",
            "server",
            "signals",
            "simulated",
            "update",
            "worker",
        ],
    ),
    ("main", &["cli"]),
    ("lib", &[]),
];

/// The modules of `core/`, from the lowest to the highest: each may name those before it.
const CORE: &[&str] =
    &["system", "work", "text", "calendar", "snapshot", "record", "index", "address", "query"];

/// What the core must not use: a clock, sockets, threads of a runtime. Cargo keeps HTTP and databases out of it.
const NOT_IN_CORE: &[&str] =
    &["TcpStream", "TcpListener", "UdpSocket", "SystemTime", "Instant", "Timestamp::now"];

/// The folders with the sources of each package.
const PACKAGES: &[&str] = &["src", "core/src", "build-tools/src"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file below a folder.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    files(folder, "rs")
}

/// Every file below a folder whose name ends in a dot and this.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Every Rust file below a folder with its text, without lines that are comments.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a source file");
        let code: Vec<&str> =
            text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let code = code.join("\n");
        (path, code)
    };
    rust_files(folder).into_iter().map(read).collect()
}

/// The top-level module of a file below the folder of its package: `snapshot` for `core/src/snapshot/open.rs`.
fn module(path: &Path, package: &str) -> String {
    let inside = path.strip_prefix(root().join(package)).expect("below the package");
    let first = inside.components().next().expect("a file below src");
    let first = first.as_os_str().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// Whether a file contains only unit tests, by its name and folder.
fn is_test_file(path: &Path) -> bool {
    let inside = path.strip_prefix(root()).expect("below the root");
    path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("tests"))
        || inside.iter().any(|part| part == "tests")
}

/// The modules of the crate that a source text names by an absolute path.
fn named_modules(code: &str) -> Vec<String> {
    let after = |prefix: &'static str| {
        code.match_indices(prefix).map(move |(at, _)| {
            let rest = code[at + prefix.len()..].chars();
            rest.take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
        })
    };
    after("crate::").chain(after("daicho::")).collect()
}

#[test]
fn modules_name_only_allowed_modules() {
    let mut faults = Vec::new();
    for (path, code) in sources(&root().join("src")) {
        let module = module(&path, "src");
        let allowed = MAY_NAME.iter().find(|(name, _)| *name == module);
        let (_, allowed) = allowed.unwrap_or_else(|| panic!("add the module {module} to MAY_NAME"));
        for name in named_modules(&code) {
            // Unit tests may look up the official files.
            let support = name == "shared_data" && is_test_file(&path);
            let known = [allowed, CORE].iter().any(|names| names.contains(&name.as_str()));
            if name != module && !known && !support {
                faults.push(format!("{} names {name}", path.display()));
            }
        }
    }
    assert!(faults.is_empty(), "dependencies that MAY_NAME does not allow:\n{}", faults.join("\n"));
}

#[test]
fn modules_of_the_core_name_only_those_below_and_no_clock_or_socket() {
    let mut faults = Vec::new();
    for (path, code) in sources(&root().join("core/src")) {
        let module = module(&path, "core/src");
        let rank = |name: &str| CORE.iter().position(|module| *module == name);
        let allowed = |name: &String| match (rank(name), rank(&module)) {
            (Some(named), Some(own)) => named <= own,
            // Macros of the package.
            (None, _) => name == "named_enum",
            (Some(_), None) => true,
        };
        let above = named_modules(&code).into_iter().filter(|name| !allowed(name));
        let foreign = NOT_IN_CORE.iter().filter(|name| code.contains(**name));
        for name in above.chain(foreign.map(|name| name.to_string())) {
            faults.push(format!("{} names {name}", path.display()));
        }
    }
    assert!(faults.is_empty(), "what the core must not name:\n{}", faults.join("\n"));
}

#[test]
fn only_builds_use_the_decoders_of_source_files() {
    for (path, code) in shipped(&root().join("src")) {
        let inside = path.strip_prefix(root()).expect("below the root");
        // The command line opens the source files given to a build.
        let build = inside.starts_with("src/compile")
            || inside.starts_with("src/dataset")
            || inside.starts_with("src/update")
            || inside.starts_with("src/dataset")
            || inside.starts_with("src/cli/build")
            // Address lists are unpacked with the decoders of the builds.
            || inside == Path::new("src/normalize/content.rs");
        assert!(build || !code.names("build_tools"), "{} names build_tools", path.display());
    }
}

#[test]
fn unsafe_code_is_in_one_file() {
    for folder in PACKAGES {
        for (path, code) in sources(&root().join(folder)) {
            let only = path.ends_with("core/src/snapshot/map.rs");
            for form in ["unsafe {", "unsafe fn", "unsafe impl"] {
                assert!(only || !code.contains(form), "{} has {form}", path.display());
            }
        }
    }
}

#[test]
fn outgoing_connections_are_in_few_files() {
    for (path, code) in shipped(&root().join("src")) {
        let only = path.ends_with("src/radar/webhook/attempt.rs");
        for name in ["TcpStream::connect", "hyper::client", "lookup_host"] {
            assert!(only || !code.names(name), "{} names {name}", path.display());
        }
        let inside = path.strip_prefix(root()).expect("below the root");
        let health = ["src/cli/health.rs", "src/cli/health_connection.rs"];
        let is_health = health.iter().any(|file| path.ends_with(file));
        let client = inside.starts_with("src/update/http") || is_health;
        assert!(client || !code.names("ureq"), "{} names ureq", path.display());
    }
}

#[test]
fn files_have_at_most_800_lines() {
    for folder in [PACKAGES, &["build-tools/tests", "tests", "benches"]].concat() {
        for (path, _) in sources(&root().join(folder)) {
            let lines = fs::read_to_string(&path).expect("a source file").lines().count();
            assert!(
                lines <= 800,
                "{} has {lines} lines; expected at most 800: split it",
                path.display()
            );
        }
    }
}
