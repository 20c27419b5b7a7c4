//! Looks for what tests need: official files, programs, permissions. For each need of `src/lib.rs`, sets the variable
//! `MISSING_<need>` to the reason why its tests are ignored, or to an empty text.
//!
//! `make test` installs first, then builds the tests. Every run of this program compiles all tests again, so cargo runs
//! it again only if programs are installed while one is missing, or if one of the variables changes. After another
//! change, such as new files in `../shared/data`, touch this file. If something goes away, its tests fail.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Folders that change when packages are installed, and that are cheap to check.
const PROGRAM_FOLDERS: [&str; 2] = ["/usr/bin", "/usr/local/bin"];

fn main() {
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let root = package.ancestors().nth(2).expect("the package is tests/needs of the repository");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=DAICHO_SHARED");
    println!("cargo:rerun-if-env-changed=DAICHO_TEST_POSTGRES");
    let search = Search { tools: root.join("target/tools"), root: root.to_owned() };
    // The makefile writes here what it has installed; a folder that does not exist cannot be watched.
    let installed = search.tools.join("installed");
    fs::create_dir_all(&installed).expect("the target folder is writable");

    let needs = needs(&search);
    for (name, found, missing) in &needs {
        println!("cargo:rustc-env=MISSING_{name}={}", if *found { "" } else { missing });
    }
    if needs.iter().any(|(_, found, _)| !found) {
        println!("cargo:rerun-if-env-changed=PATH");
        let folders = PROGRAM_FOLDERS.map(PathBuf::from).into_iter().chain([installed]);
        for folder in folders.filter(|folder| folder.is_dir()) {
            println!("cargo:rerun-if-changed={}", folder.display());
        }
    }
}

/// Name, whether it was found, and the reason if it was not.
type Need = (&'static str, bool, &'static str);

fn needs(search: &Search) -> Vec<Need> {
    vec![
        (
            "official_data",
            search.official_data(),
            "no official files in ../shared/data; set DAICHO_SHARED to the folder that has data/",
        ),
        (
            "postgresql",
            is_set("DAICHO_TEST_POSTGRES") || postgresql(),
            "no PostgreSQL; apt-get install postgresql, or set DAICHO_TEST_POSTGRES",
        ),
        ("postgresql_server", postgresql(), "no PostgreSQL; apt-get install postgresql"),
        (
            "chromium",
            search.program("chromedriver") || is_file("/usr/lib/chromium/chromedriver"),
            "no chromedriver; apt-get install chromium chromium-driver",
        ),
        ("curl", search.program("curl"), "no curl; apt-get install curl"),
        ("node", search.program("node"), "no node; apt-get install nodejs"),
        ("perl", search.program("perl"), "no perl; apt-get install perl"),
        ("python", search.program("python3"), "no python3; apt-get install python3"),
        (
            "pyarrow",
            output("python3", &["-c", "import pyarrow.parquet"]).is_some(),
            "no pyarrow for python3; pip install pyarrow",
        ),
        ("compat_python", search.installed("compat-python"), CLIENTS),
        ("compat_clients", search.installed("compat-clients"), CLIENTS),
        ("kendama", search.installed("kendama"), CLIENTS),
        ("javascript_clients", search.installed("javascript-clients"), CLIENTS),
        ("python_clients", search.installed("python-clients"), CLIENTS),
        ("openapi_tools", search.installed("openapi-tools"), CLIENTS),
        ("mcp_sdk", search.installed("mcp-sdk"), CLIENTS),
        ("esbuild", search.installed("esbuild"), CLIENTS),
        (
            "haproxy",
            search.program("haproxy") || is_file("/usr/sbin/haproxy"),
            "no haproxy; make fleet",
        ),
        ("nginx", search.program("nginx") || is_file("/usr/sbin/nginx"), "no nginx; make fleet"),
        (
            "s3s_fs",
            search.tools.join("bin/s3s-fs").is_file() || search.program("s3s-fs"),
            "no s3s-fs; make fleet",
        ),
        (
            "kubernetes_validate",
            search.root.join("target/kubernetes/bin/kubernetes-validate").is_file()
                || search.program("kubernetes-validate"),
            "no kubernetes-validate; make kubernetes",
        ),
        ("kubectl", search.program("kubectl"), "no kubectl"),
        (
            "systemd_analyze",
            search.program("systemd-analyze"),
            "no systemd-analyze; apt-get install systemd",
        ),
        ("libfaketime", libfaketime(), "no libfaketime; apt-get install faketime"),
        (
            "ssh_keygen",
            search.program("ssh-keygen"),
            "no ssh-keygen; apt-get install openssh-client",
        ),
        ("strace", may_trace(), "no strace, or no permission to trace; apt-get install strace"),
        ("mount", may_mount(), "no permission to mount a file system in a namespace"),
        ("ordinary_user", !is_root(), "root may write to every file; run as another user"),
        (
            "root_certificates",
            is_file("/etc/ssl/certs/ca-certificates.crt"),
            "no root certificates; apt-get install ca-certificates",
        ),
    ]
}

const CLIENTS: &str = "not installed; make clients";

struct Search {
    root: PathBuf,
    /// Where the makefile installs tools.
    tools: PathBuf,
}

impl Search {
    /// Not watched: cargo would look at each of its files at every start.
    fn official_data(&self) -> bool {
        let beside = self.root.join("../shared");
        env::var_os("DAICHO_SHARED").map_or(beside, PathBuf::from).join("data").is_dir()
    }

    /// Whether the makefile has installed it completely.
    fn installed(&self, name: &str) -> bool {
        self.tools.join("installed").join(name).is_file()
    }

    /// Whether a folder of PATH has this program.
    fn program(&self, name: &str) -> bool {
        let path = env::var_os("PATH").unwrap_or_default();
        env::split_paths(&path).any(|folder| folder.join(name).is_file())
    }
}

fn is_file(path: &str) -> bool {
    Path::new(path).is_file()
}

fn is_set(variable: &str) -> bool {
    env::var_os(variable).is_some_and(|value| !value.is_empty())
}

/// The output of a command; `None` if it fails.
fn output(program: &str, arguments: &[&str]) -> Option<Output> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().ok()?;
    output.status.success().then_some(output)
}

fn postgresql() -> bool {
    is_below("/usr/lib/postgresql", "bin/postgres")
}

fn libfaketime() -> bool {
    // In the folder of the machine's architecture.
    is_below("/usr/lib", "faketime/libfaketime.so.1")
}

/// Whether one of the folders of a folder has the file `inside`.
fn is_below(folder: &str, inside: &str) -> bool {
    let mut folders = fs::read_dir(folder).into_iter().flatten().flatten();
    folders.any(|entry| entry.path().join(inside).is_file())
}

/// Whether strace may start a process, and attach to one that runs.
fn may_trace() -> bool {
    let attach = "sleep 9 & target=$!; timeout 1 strace -o /dev/null -p $target; kill $target";
    output("strace", &["-qq", "-o", "/dev/null", "true"]).is_some()
        && output("sh", &["-c", attach])
            .is_some_and(|output| String::from_utf8_lossy(&output.stderr).contains("attached"))
}

fn may_mount() -> bool {
    let folder = env::var("OUT_DIR").unwrap_or_default();
    let mount = "mount -t tmpfs -o size=4096 tmpfs \"$1\"";
    let arguments = ["--map-root-user", "--mount", "sh", "-c", mount, "sh", &folder];
    output("unshare", &arguments).is_some()
}

fn is_root() -> bool {
    output("id", &["-u"]).is_some_and(|output| output.stdout == b"0\n")
}
