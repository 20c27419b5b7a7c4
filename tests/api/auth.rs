//! API keys: in the header and in the URL, revoked and deleted, their origins and plans. Also `/v1/whoami`,
//! which any key may call.

use std::process::Command;

use crate::support::{SHOP, ServerProcess, ask, post, sample, wait_until};

const PATHS: [&str; 7] = [
    "/v1/postalcode/1000001",
    "/v1/postalcode/versions/",
    "/v1/postalcode/updates/",
    "/v1/postalcode?t=x",
    "/v1/postalcode/?q=xx",
    "/v1/cities/13",
    "/v1/whoami",
];

#[test]
fn every_path_under_v1_needs_a_key() {
    let served = ServerProcess::start();
    for path in PATHS {
        let answer = ask(served.address, &format!("GET {path}"));
        answer.expect_error(401, "missing_key", None);
        assert_eq!(answer.header("www-authenticate"), Some("Token"));
        assert_eq!(served.get(path).status, 200, "{path}");
    }
}

#[test]
fn the_authorization_scheme_is_token() {
    let served = ServerProcess::start();
    let key = &served.secret;
    let mut typo = key.clone();
    typo.replace_range(10..11, if &key[10..11] == "a" { "b" } else { "a" });
    for (value, expected) in [
        (format!("Token {key}"), None),
        (format!("token {key}"), None),
        (format!("TOKEN   {key}  "), None),
        (format!("Bearer {key}"), Some("unsupported_scheme")),
        (format!("Basic {key}"), Some("unsupported_scheme")),
        (key.clone(), Some("unsupported_scheme")),
        (String::new(), Some("unsupported_scheme")),
        ("Token".to_owned(), Some("missing_key")),
        (format!("Token {typo}"), Some("invalid_key")),
        (format!("Token {key}x"), Some("invalid_key")),
        (format!("Token {}", key.to_uppercase()), Some("invalid_key")),
        (format!("Token {key}\nAuthorization: Token {key}"), Some("invalid_key")),
        (format!("Token {}", "x".repeat(5000)), Some("invalid_key")),
        ("Token \u{6771}".to_owned(), Some("invalid_key")),
    ] {
        let answer = ask(served.address, &format!("GET /v1/whoami\nAuthorization: {value}"));
        match expected {
            None => assert_eq!(answer.status, 200, "{value}"),
            Some(code) => answer.expect_error(401, code, None),
        }
    }
}

#[test]
fn a_public_key_works_from_its_origins_only() {
    let served = ServerProcess::start();
    for (key, headers, allowed) in [
        (&served.public, format!("Origin: {SHOP}"), true),
        (&served.public, format!("Referer: {SHOP}/page?x=1"), true),
        (&served.public, "Origin: https://other.example".to_owned(), false),
        (&served.public, "Referer: https://other.example/".to_owned(), false),
        (&served.public, format!("Origin: https://other.example\nReferer: {SHOP}/"), false),
        (&served.public, "Origin: http://localhost:3000".to_owned(), false),
        (&served.public, "Origin: null".to_owned(), false),
        (&served.public, "X: no origin".to_owned(), false),
        (&served.unbound, "Origin: http://localhost:3000".to_owned(), true),
        (&served.unbound, "Origin: http://127.0.0.1".to_owned(), true),
        (&served.unbound, format!("Origin: {SHOP}"), false),
        (&served.unbound, "X: no origin".to_owned(), false),
        (&served.secret, "Origin: https://other.example".to_owned(), true),
        (&served.secret, "X: no origin".to_owned(), true),
    ] {
        let head = format!("GET /v1/postalcode/1000001\nAuthorization: Token {key}\n{headers}");
        let answer = ask(served.address, &head);
        if allowed {
            assert_eq!(answer.status, 200, "{headers}");
        } else {
            answer.expect_error(403, "origin_not_allowed", None);
        }
    }
}

#[test]
fn the_error_of_an_origin_names_it() {
    let served = ServerProcess::start();
    let long = format!("Origin: https://{}.example", "a".repeat(300));
    for (headers, expected) in [
        ("Origin: https://other.example", "found \"https://other.example\""),
        (
            "Referer: https://other.example/path?token=1",
            "found \"https://other.example\" in the Referer",
        ),
        ("Referer: about:blank", "found a Referer that is no web page"),
        ("Origin: null", "found \"null\""),
        ("Origin: https://a\"<script>", "found \"https://a\\\"<script>\""),
        ("X: no origin", "found neither"),
        (&long, "aaa\"…"),
    ] {
        let key = &served.public;
        let head = format!("GET /v1/postalcode/1000001\nAuthorization: Token {key}\n{headers}");
        let answer = ask(served.address, &head);
        answer.expect_error(403, "origin_not_allowed", None);
        let detail = answer.json()["detail"].as_str().expect("a detail").to_owned();
        assert!(detail.ends_with(expected) && detail.len() < 250, "{headers}: {detail}");
        assert!(!detail.contains("token"), "{detail}");
    }
}

#[test]
fn a_key_is_checked_before_any_parameter() {
    let served = ServerProcess::start();
    for target in ["/v1/postalcode/x?version=x&api_version=x", "/v1/cities/x"] {
        ask(served.address, &format!("GET {target}")).expect_error(401, "missing_key", None);
    }
    let head = format!("GET /v1/cities/x\nAuthorization: Token {}", served.public);
    ask(served.address, &head).expect_error(403, "origin_not_allowed", None);
}

#[test]
fn a_running_server_learns_of_revoked_and_new_keys() {
    let served = ServerProcess::start();
    let daicho = |arguments: &[&str]| {
        let run = Command::new(env!("CARGO_BIN_EXE_daicho"))
            .args(arguments)
            .arg("--state")
            .arg(served.state())
            .output()
            .expect("the binary runs");
        assert!(run.status.success(), "{run:?}");
        run.stdout
    };
    assert_eq!(served.get("/v1/whoami").status, 200);
    daicho(&["key", "revoke", &served.secret]);
    wait_until("the revoked key to be refused", || served.get("/v1/whoami").status == 401);
    served.get("/v1/whoami").expect_error(401, "invalid_key", None);
    let made = daicho(&["key", "create", "--account", "demo", "--kind", "secret", "--json"]);
    let made: serde_json::Value = serde_json::from_slice(&made).expect("JSON");
    let key = made["key"].as_str().expect("a key");
    let head = format!("GET /v1/whoami\nAuthorization: Token {key}");
    wait_until("the new key to be accepted", || ask(served.address, &head).status == 200);
}

#[test]
fn the_keys_of_a_deleted_account_are_refused_by_a_running_server() {
    let served = ServerProcess::start();
    assert_eq!(served.get("/v1/whoami").status, 200);
    // Without a terminal and without --yes, the command refuses.
    let asked = served.run("account delete demo");
    assert_eq!(asked.status.code(), Some(2), "{asked:?}");
    let message = String::from_utf8_lossy(&asked.stderr).into_owned();
    assert!(message.contains("demo with 3 keys") && message.contains("--yes"), "{message}");
    assert_eq!(served.get("/v1/whoami").status, 200);
    let deleted = served.run("account delete demo --yes");
    assert!(deleted.status.success(), "{deleted:?}");
    wait_until("the keys to be refused", || served.get("/v1/whoami").status == 401);
    served.get("/v1/whoami").expect_error(401, "invalid_key", None);
    let other =
        ask(served.address, &format!("GET /v1/whoami\nAuthorization: Token {}", served.old));
    assert_eq!(other.status, 200);
}

#[test]
fn the_last_use_of_a_key_is_listed_after_the_server_stops() {
    let mut served = ServerProcess::start();
    assert_eq!(served.get("/v1/whoami").status, 200);
    served.signal(rustix::process::Signal::TERM);
    assert_eq!(served.wait(), Some(0));
    let listed = served.run("key list --account demo --json");
    let keys: serde_json::Value = serde_json::from_slice(&listed.stdout).expect("JSON");
    let used: Vec<bool> =
        keys.as_array().expect("keys").iter().map(|key| key["used_at"].is_string()).collect();
    assert_eq!(used, [true, false, false], "{keys}");
    let hour = keys[0]["used_at"].as_str().expect("a time");
    assert!(hour.ends_with(":00:00Z"), "{hour}");
}

#[test]
fn a_refusal_names_the_command_that_gives_access() {
    let served = ServerProcess::start();
    let plan = served.get("/v1/houjinbangou/6010001999901");
    plan.expect_error(403, "plan_too_low", None);
    let detail = plan.json()["detail"].as_str().expect("a detail").to_owned();
    let command = "account set demo --plan premium";
    assert!(detail.contains(&format!("`daicho {command}`")), "{detail}");
    assert!(served.run(command).status.success());
    wait_until("the new plan to take effect", || {
        served.get("/v1/houjinbangou/6010001999901").status == 200
    });
    let batch = post(served.address, "/v1/batch/postalcode/search", &served.secret, b"{}");
    batch.expect_error(403, "batch_option_missing", None);
    let detail = batch.json()["detail"].as_str().expect("a detail").to_owned();
    let command = "account set demo --batch true";
    assert!(detail.contains(&format!("`daicho {command}`")), "{detail}");
    assert!(served.run(command).status.success());
}

#[test]
fn whoami_ignores_forwarding_headers() {
    let served = ServerProcess::start();
    let forged = "X-Forwarded-For: 192.0.2.1\nForwarded: for=192.0.2.1";
    let expected = r#"{"remote_addr":{"type":"v4","address":"127.0.0.1"}}"#;
    assert_eq!(served.get("/v1/whoami").text(), expected);
    assert_eq!(served.get_with("/v1/whoami/", forged).text(), expected);
}

#[test]
fn a_public_key_works_in_the_url_as_in_the_header() {
    let served = ServerProcess::start();
    let (public, secret) = (&served.public, &served.secret);
    let from_shop = |target: &str| ask(served.address, &format!("GET {target}\nOrigin: {SHOP}"));
    for path in PATHS {
        let mark = if path.contains('?') { '&' } else { '?' };
        let plain = served.get(path);
        let answer = from_shop(&format!("{path}{mark}key={public}"));
        assert_eq!((answer.status, &answer.body), (200, &plain.body), "{path}");
        assert_eq!(answer.header("daicho-notice"), None, "{path}");
        assert_eq!(answer.header("etag"), plain.header("etag"), "{path}");
        assert_eq!(answer.header("access-control-allow-origin"), Some(SHOP));
        let cached = answer.header("cache-control").expect("a policy");
        assert!(cached.contains("private") || cached.contains("no-store"), "{path}: {cached}");
        assert!(answer.header("vary").expect("vary").contains("Origin"));
    }
    let target = format!("/v1/postalcode/1000001?key={public}");
    let tag = from_shop(&target).header("etag").expect("a tag").to_owned();
    let head = format!("GET {target}\nReferer: {SHOP}/page\nIf-None-Match: {tag}");
    assert_eq!(ask(served.address, &head).status, 304);
    // The same checks apply as to a key in the header.
    let far = format!("GET {target}\nOrigin: https://other.example");
    ask(served.address, &far).expect_error(403, "origin_not_allowed", None);
    ask(served.address, &format!("GET {target}")).expect_error(403, "origin_not_allowed", None);
    let batch = format!("/v1/houjinbangou/6010001999901?key={public}");
    from_shop(&batch).expect_error(403, "plan_too_low", None);
    let download = format!("/v1/download/postalcode/latest/kenall.json.xz?key={public}");
    from_shop(&download).expect_error(401, "secret_key_required", None);
    from_shop("/v1/whoami?key=x").expect_error(401, "invalid_key", None);
    from_shop("/v1/whoami?key=%zz").expect_error(401, "invalid_key", Some("key"));
    let twice = format!("/v1/whoami?key={public}&key={public}");
    from_shop(&twice).expect_error(401, "invalid_key", Some("key"));
    // If both are present, the header is used.
    let beside =
        ask(served.address, &format!("GET /v1/whoami?key={public}\nAuthorization: Token {secret}"));
    let notice = "parameter key has no effect beside the header Authorization";
    assert_eq!((beside.status, beside.header("daicho-notice")), (200, Some(notice)));
}

#[test]
fn a_secret_key_in_the_url_is_refused_and_logged_as_leaked() {
    let served = ServerProcess::with_snapshots(Some(sample()), &["--log-level", "debug"]);
    let (label, letters) = served.secret.split_at(11);
    for header in [String::new(), format!("\nAuthorization: Token {}", served.premium)] {
        let head = format!("GET /v1/whoami?key={}{header}", served.secret);
        let answer = ask(served.address, &head);
        answer.expect_error(401, "secret_key_in_url", Some("key"));
        assert!(!answer.text().contains(letters), "{}", answer.text());
    }
    // An unknown key is no leak and is not logged as one.
    let unknown = format!("GET /v1/whoami?key=dk_sec_{}", "a".repeat(39));
    ask(served.address, &unknown).expect_error(401, "secret_key_in_url", Some("key"));
    ask(served.address, "GET /v1/the_last_one");
    let log = served.wait_for_log("the_last_one");
    let leaks: Vec<&str> =
        log.lines().filter(|line| line.contains("a secret key leaked")).collect();
    assert_eq!(leaks.len(), 2, "{log}");
    assert!(leaks.iter().all(|line| line.contains("demo") && line.contains(label)), "{leaks:?}");
    assert!(!log.contains(letters), "{log}");
}
