//! `daicho doctor`: a line for everything that is well or wrong, with what to do; and no change of anything.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

use daicho::account::AccountName;
use daicho::radar::registration;
use daicho::radar::stored_secret::{KeyLocation, SecretCipher};
use daicho::radar::webhook::{Secret, WebhookUrl};
use jiff::Timestamp;
use serde_json::Value;

use crate::server::{RunningProcess, ServerSetup};
use crate::support::sample;

/// A healthy installation in a folder of its own.
struct Installation {
    setup: ServerSetup,
}

impl Installation {
    fn new() -> Installation {
        let installation = Installation { setup: ServerSetup::new() };
        copy(sample(), &installation.path("snapshots"));
        installation
    }

    fn path(&self, name: &str) -> PathBuf {
        self.setup.folder.path().join(name)
    }

    fn command(&self, more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
        command.args(["doctor", "--json", "--age-days", "0", "--state", &self.setup.state]);
        command.args(["--listen", &self.setup.address.to_string(), "--snapshots"]);
        command.arg(self.path("snapshots")).args(more);
        command.env_remove("DAICHO_CONFIG").env_remove("HTTPS_PROXY").env_remove("https_proxy");
        command
    }

    /// The report, and the exit code.
    #[track_caller]
    fn run(&self, more: &[&str]) -> (Value, Option<i32>) {
        let Output { status, stdout, stderr } = self.command(more).output().expect("runs");
        let report = serde_json::from_slice(&stdout);
        let report = report.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&stderr)));
        (report, status.code())
    }

    /// Expects a finding with this status, whose text and remedy have these parts.
    #[track_caller]
    fn expect(&self, more: &[&str], check: &str, status: &str, parts: &[&str]) {
        let (report, code) = self.run(more);
        let checks = report["checks"].as_array().expect("a list");
        let found = checks.iter().any(|finding| {
            let text = format!("{}; {}", finding["found"], finding["remedy"]);
            finding["check"] == check
                && finding["status"] == status
                && parts.iter().all(|part| text.contains(part))
        });
        assert!(found, "{check} {status} {parts:?} is not in {report:#}");
        assert_eq!(code, Some(i32::from(report["errors"] != 0)), "{report:#}");
    }

    /// Every file below the folder with its content and its time.
    fn files(&self) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.setup.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => {
                        let modified = path.metadata().expect("there").modified().expect("a time");
                        found.insert(path.clone(), (fs::read(&path).expect("readable"), modified));
                    }
                }
            }
        }
        found
    }

    fn set_webhook(&self, url: &str) {
        let mut store = self.setup.store();
        let demo = AccountName::parse("demo").expect("a name");
        let account = store.account(&demo).expect("there").id;
        let cipher = SecretCipher::new(KeyLocation::BesideState(self.setup.state.clone().into()));
        let url = WebhookUrl::parse(url).expect("a URL");
        let secret = Secret::from_random([1; 32]);
        registration::set_url(&mut store, &cipher, account, &url, &secret, Timestamp::now())
            .expect("set");
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("named"));
        match path.is_dir() {
            true => copy(&path, &target),
            false => drop(fs::copy(&path, &target).expect("copied")),
        }
    }
}

#[test]
fn a_healthy_installation_has_no_error_and_is_not_changed() {
    let it = Installation::new();
    let before = it.files();
    let (report, code) = it.run(&["--offline"]);
    assert_eq!((report["errors"].as_u64(), code), (Some(0), Some(0)), "{report:#}");
    let checks = report["checks"].as_array().expect("a list");
    for check in [
        "settings",
        "clock",
        "limits",
        "snapshots",
        "age",
        "disk",
        "state",
        "webhook key",
        "server",
        "network",
    ] {
        assert!(checks.iter().any(|finding| finding["check"] == check), "{check}: {report:#}");
    }
    assert_eq!(it.files(), before, "nothing is changed or created");
    let page = it.command(&["--offline"]).output().expect("runs").stdout;
    assert!(!page.is_empty());
    let mut plain = Command::new(env!("CARGO_BIN_EXE_daicho"));
    plain.args(["doctor", "--offline", "--snapshots"]).arg(it.path("snapshots"));
    plain.args(["--state", &it.setup.state]).env_remove("DAICHO_CONFIG");
    let page = String::from_utf8(plain.output().expect("runs").stdout).expect("text");
    assert!(
        page.lines().all(|line| line.starts_with("ok ")
            || line.starts_with("warning ")
            || line.starts_with("0 errors, ")),
        "{page}"
    );
    assert!(
        page.contains("the postal data are made up; replace them with 'daicho update'"),
        "{page}"
    );
}

#[test]
fn wrong_files_and_permissions_are_named_with_what_to_do() {
    let it = Installation::new();
    fs::set_permissions(&it.setup.state, Permissions::from_mode(0o644)).expect("set");
    it.expect(&["--offline"], "permissions", "warning", &["has mode 644", "run chmod 600"]);
    fs::write(it.path("admin-password"), "words").expect("written");
    it.expect(
        &["--offline"],
        "permissions",
        "warning",
        &["admin-password", "then delete the file"],
    );
    let postal = it.path("snapshots/postal/2026-06-30.daicho");
    let mut bytes = fs::read(&postal).expect("a snapshot");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::remove_file(&postal).expect("removed");
    fs::write(&postal, &bytes).expect("written");
    it.expect(&["--offline"], "snapshots", "error", &["2026-06-30.daicho", "remove the file"]);
    fs::remove_dir_all(it.path("snapshots")).expect("removed");
    it.expect(&["--offline"], "snapshots", "error", &["there is no folder", "daicho update"]);
    fs::create_dir(it.path("snapshots")).expect("made");
    it.expect(&["--offline"], "snapshots", "error", &["has no snapshots", "daicho build included"]);
    fs::write(it.path("holidays.csv"), "2026-13-45,x\n").expect("written");
    let holidays = it.path("holidays.csv");
    let holidays = ["--offline", "--holidays", holidays.to_str().expect("text")];
    it.expect(&holidays, "holidays", "error", &["holidays.csv"]);
    fs::write(&it.setup.state, "damaged").expect("written");
    it.expect(&["--offline"], "state", "error", &["expected an SQLite file"]);
    fs::remove_file(&it.setup.state).expect("removed");
    it.expect(&["--offline"], "state", "warning", &["the file does not exist; create it"]);
}

#[test]
fn old_data_and_failed_updates_are_warnings() {
    let it = Installation::new();
    fs::remove_dir_all(it.path("snapshots")).expect("removed");
    let built = Command::new(env!("CARGO_BIN_EXE_daicho"))
        .args(["build", "included", "--out"])
        .arg(it.path("snapshots"))
        .output();
    assert!(built.expect("runs").status.success());
    // The option replaces the one that the command of these tests has.
    let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
    command.args([
        "doctor",
        "--offline",
        "--age-days",
        "1",
        "--state",
        &it.setup.state,
        "--snapshots",
    ]);
    command.arg(it.path("snapshots")).env_remove("DAICHO_CONFIG");
    let page = String::from_utf8(command.output().expect("runs").stdout).expect("text");
    assert!(page.contains("days old; run 'daicho update postal'"), "{page}");
    let status = r#"{"format":1,"sources":{"postal":{"last_checked":"2026-06-01T00:00:00Z","last_failure":"2026-06-01T00:00:00Z","failure":"status 503","failures_total":3}}}"#;
    fs::write(it.path("snapshots/update.json"), status).expect("written");
    it.expect(
        &["--offline"],
        "updates",
        "warning",
        &["the last update of postal failed: status 503"],
    );
}

#[test]
fn a_clock_behind_the_files_is_an_error() {
    let it = Installation::new();
    let postal = it.path("snapshots/postal/2026-06-30.daicho");
    let file = fs::File::options().append(true).open(postal).expect("a file");
    let later = SystemTime::now() + Duration::from_secs(3 * 24 * 60 * 60);
    file.set_modified(later).expect("set");
    it.expect(&["--offline"], "clock", "error", &["2026-06-30.daicho was written", "NTP"]);
}

#[test]
fn a_wrong_setting_and_a_misspelt_variable_are_named() {
    let it = Installation::new();
    it.expect(
        &["--offline", "--tls-cert", "a.pem"],
        "settings",
        "error",
        &["--tls-cert needs --tls-key"],
    );
    let mut command = it.command(&["--offline"]);
    let output = command.env("DAICHO_LISEN", "127.0.0.1:1").output().expect("runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("no option reads the variable DAICHO_LISEN")
            && text.contains("did you mean DAICHO_LISTEN?"),
        "{text}"
    );
}

#[test]
fn a_low_limit_of_open_files_is_named() {
    let it = Installation::new();
    let mut limited = Command::new("sh");
    limited.args([
        "-c",
        "ulimit -n 100 && exec \"$@\"",
        "sh",
        env!("CARGO_BIN_EXE_daicho"),
        "doctor",
        "--offline",
    ]);
    limited.args(["--state", &it.setup.state, "--snapshots"]).arg(it.path("snapshots"));
    let output = limited.env_remove("DAICHO_CONFIG").output().expect("runs");
    let page = String::from_utf8_lossy(&output.stdout);
    assert!(page.contains("fewer than 128: no server starts; raise it with ulimit -Hn"), "{page}");
    assert_eq!(output.status.code(), Some(1));
}

/// Sites at addresses where nobody listens, so that the test needs no network.
#[test]
fn receivers_and_sites_are_asked_unless_it_is_offline() {
    let it = Installation::new();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let receiver = format!("http://{}/hook", listener.local_addr().expect("bound"));
    it.set_webhook(&receiver);
    let free = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port");
    let sites = ["japanpost", "nta", "invoice", "zengin", "abr", "cao", "mext"];
    let sites = sites.map(|site| format!("--site={site}=http://{free}"));
    let sites: Vec<&str> = sites.iter().map(String::as_str).collect();
    it.expect(&sites, "sources", "warning", &["japanpost: ", "updates from it will fail"]);
    it.expect(&sites, "webhooks", "warning", &["expected a public address"]);
    let private = [&sites[..], &["--webhook-allow-private"]].concat();
    it.expect(&private, "webhooks", "ok", &["is reachable"]);
    it.set_webhook(&format!("http://{free}/hook"));
    it.expect(&private, "webhooks", "warning", &["cannot connect to"]);
    it.expect(&["--offline"], "network", "ok", &["not asked"]);
    // Its key is needed now.
    fs::remove_file(format!("{}.webhook-key", it.setup.state)).expect("there");
    it.expect(&["--offline"], "webhook key", "error", &["restore it from a backup"]);
}

#[test]
fn a_running_server_is_found_and_its_store_is_not_disturbed() {
    let it = Installation::new();
    let _server = RunningProcess::start_server(&mut it.setup.command("", &[]), &it.setup);
    let version = format!("version {} answers at", env!("CARGO_PKG_VERSION"));
    it.expect(&["--offline"], "server", "ok", &[&version]);
    it.expect(&["--offline"], "state", "ok", &["is reachable and intact, with 1 account"]);
    assert_eq!(it.setup.get("/v1/whoami").status, 200);
}
