//! Checks the architecture by reading the source files: which module may import which, what the core must not use,
//! where `unsafe` and outgoing connections are allowed, and the length of files.

mod cycles;
mod documents;
mod shipped_code;

use std::fs;
use std::path::{Path, PathBuf};

use shipped_code::shipped;

/// For each top-level module of the crate, the other modules that it may name. A module that is missing here
/// fails the test: add new modules.
const MAY_NAME: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("calendar", &["text"]),
    ("snapshot", &["text"]),
    ("record", &["snapshot", "text"]),
    ("index", &["record", "snapshot", "text"]),
    ("address", &["index", "record", "snapshot", "text"]),
    ("query", &["address", "index", "record", "snapshot", "text"]),
    ("json", &["address", "query", "record", "snapshot", "text"]),
    ("export", &["json", "query", "record", "snapshot", "text"]),
    ("normalize", &["address", "export", "json", "query", "record", "snapshot", "text"]),
    ("tls", &[]),
    ("account", &["calendar", "text", "tls"]),
    ("radar", &["account", "snapshot", "text", "tls"]),
    ("compile", &["address", "calendar", "index", "json", "query", "record", "snapshot", "text"]),
    ("update", &["calendar", "compile", "query", "snapshot", "text", "tls"]),
    (
        "dataset",
        &[
            "address", "calendar", "compile", "export", "index", "json", "query", "record",
            "snapshot", "text", "update",
        ],
    ),
    ("release", &["compile", "dataset", "snapshot", "text", "tls", "update"]),
    ("server", &["json", "text"]),
    (
        "api",
        &[
            "account", "address", "calendar", "dataset", "json", "query", "radar", "record",
            "server", "snapshot", "text",
        ],
    ),
    (
        "dashboard",
        &[
            "account", "address", "api", "calendar", "dataset", "query", "radar", "server",
            "snapshot", "text",
        ],
    ),
    ("docs", &["account", "api", "server", "text"]),
    ("forms", &["account", "api", "docs", "server", "text"]),
    ("mcp", &["account", "api", "dataset", "query", "server", "snapshot", "text"]),
    (
        "cli",
        &[
            "account",
            "address",
            "api",
            "calendar",
            "compile",
            "dashboard",
            "dataset",
            "docs",
            "export",
            "forms",
            "index",
            "json",
            "mcp",
            "normalize",
            "query",
            "radar",
            "record",
            "release",
            "server",
            "snapshot",
            "text",
            "update",
        ],
    ),
    ("main", &["cli"]),
    ("lib", &[]),
];

/// The modules of the core. They use no HTTP, no async runtime, no sockets, no clock and no database.
const CORE: &[&str] = &["text", "calendar", "snapshot", "record", "index", "address", "query"];
const NOT_IN_CORE: &[&str] = &[
    "hyper",
    "tokio",
    "TcpStream",
    "TcpListener",
    "UdpSocket",
    "SystemTime",
    "Instant",
    "Timestamp::now",
    "rusqlite",
];

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

/// The top-level module of a file: `snapshot` for `src/snapshot/open.rs`.
fn module(path: &Path) -> String {
    let inside = path.strip_prefix(root().join("src")).expect("below src");
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

#[test]
fn modules_name_only_allowed_modules() {
    let mut faults = Vec::new();
    let mut seen = 0;
    for (path, code) in sources(&root().join("src")) {
        let module = module(&path);
        let allowed = MAY_NAME.iter().find(|(name, _)| *name == module);
        let (_, allowed) = allowed.unwrap_or_else(|| panic!("add the module {module} to MAY_NAME"));
        for prefix in ["crate::", "daicho::"] {
            for (at, _) in code.match_indices(prefix) {
                let rest = &code[at + prefix.len()..];
                let name: String =
                    rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                seen += 1;
                // Unit tests may look up the official files.
                let support = name == "shared_data" && is_test_file(&path);
                if name != module && !allowed.contains(&name.as_str()) && !support {
                    faults.push(format!("{} names {name}", path.display()));
                }
            }
        }
    }
    assert!(seen > 50, "too few module paths found");
    assert!(faults.is_empty(), "dependencies that MAY_NAME does not allow:\n{}", faults.join("\n"));
}

#[test]
fn the_core_uses_no_http_runtime_sockets_clock_or_database() {
    for (path, code) in sources(&root().join("src")) {
        if !CORE.contains(&module(&path).as_str()) {
            continue;
        }
        for name in NOT_IN_CORE {
            assert!(!code.contains(name), "{} names {name}", path.display());
        }
    }
}

#[test]
fn only_builds_use_the_decoders_of_source_files() {
    for (path, code) in shipped(&root().join("src")) {
        let inside = path.strip_prefix(root()).expect("below the root");
        // The command line opens the source files given to a build.
        let build = inside.starts_with("src/compile")
            || inside.starts_with("src/update")
            || inside.starts_with("src/cli/build")
            // Address lists are unpacked with the decoders of the builds.
            || inside == Path::new("src/normalize/content.rs");
        assert!(build || !code.names("build_tools"), "{} names build_tools", path.display());
    }
}

#[test]
fn unsafe_code_is_in_one_file() {
    for folder in ["src", "build-tools/src"] {
        for (path, code) in sources(&root().join(folder)) {
            let only = path.ends_with("src/snapshot/map.rs");
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
        let client = inside.starts_with("src/update/http") || path.ends_with("src/cli/health.rs");
        assert!(client || !code.names("ureq"), "{} names ureq", path.display());
    }
}

#[test]
fn files_have_at_most_800_lines() {
    for folder in ["src", "build-tools/src", "build-tools/tests", "tests", "benches"] {
        let folder = root().join(folder);
        if !folder.is_dir() {
            continue;
        }
        for (path, _) in sources(&folder) {
            let lines = fs::read_to_string(&path).expect("a source file").lines().count();
            assert!(
                lines <= 800,
                "{} has {lines} lines; expected at most 800: split it",
                path.display()
            );
        }
    }
}
