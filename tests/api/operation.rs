//! For operators: `/healthz`, `/readyz`, `/metrics`, `daicho health`, and invalid options of `daicho serve`.

use std::process::Command;

use crate::support::{ServerProcess, ask};

#[test]
fn without_data_the_server_is_healthy_but_not_ready() {
    let served = ServerProcess::with_snapshots(None, &[]);
    let get = |path: &str| ask(served.address, &format!("GET {path}"));
    assert_eq!(
        (get("/healthz").status, get("/healthz/").text()),
        (200, "{\"status\":\"ok\"}".into())
    );
    let ready = get("/readyz");
    assert_eq!((ready.status, ready.json()["status"].as_str()), (503, Some("no data")));
    let metrics = ask(served.address, "GET /metrics").text();
    assert!(
        !metrics.contains("daicho_data_version_timestamp_seconds{"),
        "without data there is no timestamp"
    );
    let answer = served.get("/v1/postalcode/1000001");
    answer.expect_error(503, "no_data", None);
    assert!(answer.header("retry-after").is_some());
    served.get("/v1/postalcode/x").expect_error(400, "invalid_postal_code", Some("postal_code"));
    let pinned = served.get("/v1/cities/13?version=2026-06-30");
    pinned.expect_error(404, "no_such_version", Some("version"));
    assert_eq!(served.get("/v1/postalcode/versions").text(), "{\"versions\":[]}");
}

#[test]
fn readiness_can_require_datasets_and_versions() {
    let served = ServerProcess::start();
    let get = |require: &str| ask(served.address, &format!("GET /readyz?require={require}"));
    for (require, missing) in [
        ("", &[][..]),
        ("postal", &[]),
        ("postal,bank,corporate,invoice,school", &[]),
        ("postal@2026-06-30,corporate@2026-08-03", &[]),
        ("postal@2020-01-01", &[]),
        ("postal%40%32026-06-30%2Cbank", &[]),
        ("postal@2026-07-01", &["postal@2026-07-01"]),
        (
            "bank,corporate@2026-08-21,postal,postal@9999-12-31",
            &["corporate@2026-08-21", "postal@9999-12-31"],
        ),
    ] {
        let answer = get(require);
        let body = answer.json();
        let expected = match missing {
            [] => (200, "ready", None),
            missing => (503, "missing data", Some(serde_json::json!(missing))),
        };
        let found = (answer.status, body["status"].as_str().expect("a word"), body.get("missing"));
        assert_eq!(found, (expected.0, expected.1, expected.2.as_ref()), "{require}");
        assert_eq!(body["data"]["postal"]["latest"], "2026-06-30", "{require}");
    }
    for (require, code) in [
        ("post", "invalid_parameter"),
        (",", "invalid_parameter"),
        ("postal,", "invalid_parameter"),
        ("postal,,bank", "invalid_parameter"),
        ("Postal", "invalid_parameter"),
        ("%FF", "invalid_parameter"),
        ("postal&require=bank", "invalid_parameter"),
        ("postal@", "invalid_version"),
        ("postal@latest", "invalid_version"),
        ("bank,postal@2026-02-30", "invalid_version"),
    ] {
        get(require).expect_error(400, code, Some("require"));
    }
    let empty = ServerProcess::with_snapshots(None, &[]);
    let ready = ask(empty.address, "GET /readyz?require=school");
    assert_eq!(
        (ready.status, ready.text().as_str()),
        (503, "{\"status\":\"no data\",\"missing\":[\"school\"],\"data\":{}}")
    );
}

#[test]
fn with_data_the_server_is_ready_and_has_metrics() {
    let served = ServerProcess::start();
    let ready = ask(served.address, "GET /readyz");
    let data = &ready.json()["data"]["postal"];
    assert_eq!((ready.status, &data["latest"]), (200, &"2026-06-30".into()));
    assert_eq!(data["versions"], 3);
    served.get("/v1/postalcode/1000001");
    served.get("/v1/postalcode/1000001/");
    served.get("/v1/postalcode/9999999");
    served.get("/some/scanner/path");
    let answer = ask(served.address, "GET /metrics");
    let kind = answer.header("content-type").expect("a type");
    assert!(kind.starts_with("application/openmetrics-text; version=1.0.0"), "{kind}");
    let text = answer.text();
    for line in [
        "daicho_http_requests_total{route=\"/v1/postalcode/{code}\",status=\"200\"} 2",
        "daicho_http_requests_total{route=\"/v1/postalcode/{code}\",status=\"404\"} 1",
        "daicho_http_requests_total{route=\"none\",status=\"404\"} 1",
        "daicho_http_request_duration_seconds_count{route=\"/v1/postalcode/{code}\"} 3",
        // This request itself.
        "daicho_http_requests_in_flight 1",
        "daicho_snapshot_versions{dataset=\"postal\"} 3",
        "daicho_snapshots_refused{dataset=\"postal\"} 0",
        "daicho_snapshot_latest{dataset=\"postal\"} 20260630",
        "daicho_data_version_timestamp_seconds{dataset=\"postal\"} 1782745200",
        "daicho_key_store_healthy 1",
        "# EOF",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    }
    assert!(!text.contains("scanner"), "an unknown path is a label");
}

/// Every metric that the alerts and the dashboard in `packaging/monitoring` use must exist. `daicho_update_…` is
/// not checked: it exists only after an update.
#[test]
fn packaged_alerts_and_dashboard_use_metrics_that_exist() {
    let served = ServerProcess::start();
    served.get("/v1/postalcode/1000001");
    let metrics = ask(served.address, "GET /metrics").text();
    let families: Vec<&str> = metrics
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next())
        .collect();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/monitoring");
    let word = regex::Regex::new(r"\b(?:daicho|process)_[a-z_]+").expect("an expression");
    let mut found = 0;
    for file in ["alerts.yml", "grafana.json"] {
        let text = std::fs::read_to_string(folder.join(file)).expect("a file");
        for name in word.find_iter(&text).map(|found| found.as_str()) {
            let family =
                name.strip_suffix("_total").or(name.strip_suffix("_bucket")).unwrap_or(name);
            let known = families.contains(&family) || family.starts_with("daicho_update_");
            assert!(known, "{file} names {name}, which is not in /metrics");
            found += 1;
        }
    }
    assert!(found > 20, "{found} names found");
}

#[test]
fn daicho_health_reports_whether_the_server_is_ready() {
    let health = |url: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_daicho")).args(["health", url]).output();
        let output = output.expect("runs");
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).expect("text"))
    };
    let served = ServerProcess::start();
    let (code, text) = health(&format!("http://{}", served.address));
    assert_eq!(code, Some(0), "{text}");
    assert!(text.starts_with("{\"status\":\"ready\""), "{text}");
    let empty = ServerProcess::with_snapshots(None, &[]);
    let closed = std::net::TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr());
    for (url, code, part) in [
        (format!("http://{}/", empty.address), 1, "found 503: {\"status\":\"no data\""),
        (format!("http://{}", closed.expect("a port")), 1, "expected status 200 within 3 seconds"),
        (format!("https://{}", served.address), 1, "expected status 200"),
        ("ftp://127.0.0.1:8080".to_owned(), 2, "a URL of http or https"),
        ("127.0.0.1:8080".to_owned(), 2, "such as http://127.0.0.1:8080"),
        ("http://".to_owned(), 1, "expected status 200"),
    ] {
        let (found, text) = health(&url);
        assert!(found == Some(code) && text.contains(part), "{url}: {found:?} {text}");
    }
}

#[test]
fn invalid_options_are_refused_with_a_remedy() {
    let folder = tempfile::tempdir().expect("a folder");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = taken.local_addr().map(|address| (taken, address.to_string())).expect("bound");
    for (arguments, code, part) in [
        (["--snapshots", "s3://bucket/x"], 2, "needs a folder for the files with --cache"),
        (["--state", "postgres://me:hunter2@host/db?sslmode=maybe"], 2, "sslmode"),
        (["--state", "postgres://me:hunter2@127.0.0.1:1/db"], 1, "is unreachable"),
        (["--state", "mysql://me:hunter2@host/db"], 2, "URL with the scheme mysql"),
        (["--listen", "8080"], 2, "such as 127.0.0.1:8080"),
        (["--listen", "127.0.0.1:99999"], 2, "such as 127.0.0.1:8080"),
        (["--listen", &taken.1], 1, "choose another address"),
        (["--log-level", "loud"], 2, "possible values"),
        (["--drain", "5"], 2, "such as 5s or 2m"),
        (["--drain", "61m"], 2, "0s to 1h"),
        (["--huge-pages", "yes"], 2, "unexpected argument"),
        (["--warm", "100K"], 2, "at least 1M bytes per second"),
        (["--warm", "on"], 2, "such as 100M or 2G, or off"),
        (["--state", "/nowhere/at/all/daicho.db"], 1, "/nowhere"),
    ] {
        let run = Command::new(env!("CARGO_BIN_EXE_daicho"))
            .arg("serve")
            .args(["--listen", "127.0.0.1:0"].iter().filter(|_| arguments[0] != "--listen"))
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .expect("the binary runs");
        let message = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.code(), Some(code), "{arguments:?}: {message}");
        assert!(message.contains(part), "{arguments:?}: {message}");
        assert!(!message.contains("hunter2"), "{message}");
    }
}
