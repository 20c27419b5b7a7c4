//! A store in PostgreSQL: other programs' tables, missing permissions, a database that stops and
//! starts again, and TLS.

use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use daicho::account::KeyKind;
use daicho::account::KeySelector;
use daicho::account::store::{IfMissing, Store, StoreError, StoreFault, StoreLocation};

use super::cluster::Cluster;
use super::support::{TestStore, add_key, key, keyring, later, new_account, now, serve, wait_for};

fn open(url: &str, if_missing: IfMissing) -> Result<Store, StoreError> {
    Store::open(&StoreLocation::parse(url.as_ref()).expect("a URL"), if_missing)
}

#[track_caller]
fn refused(url: &str, if_missing: IfMissing) -> (StoreError, String) {
    let error = open(url, if_missing).expect_err("refused");
    let message = error.to_string();
    (error, message)
}

#[needs::postgresql]
#[test]
fn an_empty_database_becomes_a_store_only_on_request() {
    let cluster = Cluster::shared();
    let url = cluster.empty_schema();
    let (error, message) = refused(&url, IfMissing::Refuse);
    assert!(matches!(error, StoreError::Unusable { fault: StoreFault::EmptyDatabase, .. }));
    assert!(message.contains("create the store with `daicho account create`"), "{message}");
    drop(open(&url, IfMissing::Create).expect("begun"));
    drop(open(&url, IfMissing::Refuse).expect("there"));
}

#[needs::postgresql]
#[test]
fn databases_of_other_programs_are_refused_unchanged() {
    let cluster = Cluster::shared();
    let check = |make: &dyn Fn(&str) -> String, damage: bool, expected: &str| {
        let url = cluster.empty_schema();
        let schema = url.rsplit("%3D").next().expect("its schema");
        cluster.sql(&make(schema));
        for if_missing in [IfMissing::Create, IfMissing::Refuse] {
            let (error, message) = refused(&url, if_missing);
            assert_eq!(error.is_damage(), damage, "{message}");
            assert!(message.contains(expected), "{message}");
        }
    };
    let other = |schema: &str| format!("CREATE TABLE {schema}.wp_posts (id BIGINT)");
    check(&other, true, "found 1 tables of other programs in its schema");
    let later = |schema: &str| {
        format!(
            "CREATE TABLE {schema}.daicho_schema (applied BIGINT); \
             INSERT INTO {schema}.daicho_schema VALUES (99)"
        )
    };
    check(&later, true, "found 99; use a newer daicho");
    let empty = |schema: &str| format!("CREATE TABLE {schema}.daicho_schema (applied BIGINT)");
    check(&empty, true, "expected a schema number from 1, found \"0\"");
    check(&|schema| format!("DROP SCHEMA {schema}"), false, "CREATE SCHEMA");
}

#[needs::postgresql_server]
#[test]
fn an_unreachable_database_is_an_error_that_names_its_address() {
    let cluster = Cluster::start();
    let schema = cluster.empty_schema();
    let (place, _options) = schema.split_once("&options").expect("options");
    for (url, expected) in [
        (place.replace("user=tester", "user=nobody"), "the database server refused access"),
        (place.replace(":///postgres", ":///absent"), "the database server refused access"),
        (place.replace("host=/", "host=/absent/"), "is unreachable"),
    ] {
        let (error, message) = refused(&url, IfMissing::Create);
        assert!(!error.is_damage() && error.is_unusable(), "{message}");
        assert!(message.starts_with("the state database postgres://"), "{message}");
        assert!(message.contains(expected), "{message}");
    }
}

#[needs::postgresql]
#[test]
fn a_write_to_a_read_only_database_is_an_error_that_names_the_primary() {
    let cluster = Cluster::shared();
    let url = cluster.empty_schema();
    drop(open(&url, IfMissing::Create).expect("made"));
    // A standby accepts the same reads and refuses the same writes.
    let read_only = format!("{url}%20-cdefault_transaction_read_only%3Don");
    let mut store = open(&read_only, IfMissing::Refuse).expect("readable");
    let error = store.probe_write().expect_err("read-only");
    assert!(matches!(error, StoreError::Unusable { fault: StoreFault::ReadOnlyServer, .. }));
    let message = error.to_string();
    assert!(message.contains("name the primary") && !message.contains("folder"), "{message}");
    drop(
        open(&format!("{url}&target_session_attrs=read-write"), IfMissing::Refuse).expect("there"),
    );
}

#[needs::postgresql]
#[test]
fn a_deadlock_is_an_error_that_says_so() {
    let cluster = Cluster::shared();
    let place = TestStore::from_url(&cluster.empty_schema());
    place.with_demo().create_account(&new_account("other"), now()).expect("made");
    let both_locked = Barrier::new(2);
    let lock_in_order = &|names: [&'static str; 2]| {
        place.open().write(|tx| {
            let sql = "UPDATE account SET name = name WHERE name = $1";
            tx.execute(sql, &[names[0].into()])?;
            both_locked.wait();
            tx.execute(sql, &[names[1].into()])
        })
    };
    let results: Vec<Result<u64, StoreError>> = thread::scope(|scope| {
        let orders = [["demo", "other"], ["other", "demo"]];
        let threads = orders.map(|names| scope.spawn(move || lock_in_order(names)));
        threads.into_iter().map(|one| one.join().expect("no panic")).collect()
    });
    let faults: Vec<StoreError> = results.into_iter().filter_map(Result::err).collect();
    let [error] = &faults[..] else { panic!("{faults:?}") };
    assert!(matches!(error, StoreError::Unusable { fault: StoreFault::Conflict, .. }), "{error}");
}

#[needs::postgresql]
#[test]
fn concurrent_creations_of_a_store_succeed() {
    let cluster = Cluster::shared();
    let url = cluster.empty_schema();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| open(&url, IfMissing::Create).expect("made or found"));
        }
    });
    assert!(open(&url, IfMissing::Refuse).expect("there").accounts().expect("all").is_empty());
}

#[needs::postgresql]
#[test]
fn values_that_daicho_never_writes_are_refused() {
    let cluster = Cluster::shared();
    let check = |sql: &str, expected: &str| {
        let place = TestStore::from_url(&cluster.empty_schema());
        let mut store = place.with_demo();
        add_key(&mut store, &key(1, KeyKind::Public));
        let url = place.url();
        let schema = url.rsplit("%3D").next().expect("its schema");
        cluster.sql(&format!("SET search_path = {schema}; {sql}"));
        let error = keyring(&mut store).expect_err("refused");
        assert!(error.is_damage(), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
    };
    check(
        "ALTER TABLE account DROP CONSTRAINT account_plan_check; UPDATE account SET plan = 'gold'",
        "expected a plan, found \"gold\"",
    );
    check("UPDATE account SET name = ''", "expected an account's name");
    check("INSERT INTO key_origin VALUES (1, '*')", "expected an origin, found \"*\"");
}

#[needs::postgresql_server]
#[test]
fn a_server_keeps_its_keys_while_its_database_is_unreachable() {
    let mut cluster = Cluster::start();
    let place = TestStore::from_url(&cluster.empty_schema());
    let key = key(1, KeyKind::Public);
    let mut command = place.with_demo();
    let id = add_key(&mut command, &key).id;
    let (live, _refresher) = serve(&place);
    let known = || live.current().find(key.reveal()).is_some();
    cluster.kill();
    wait_for("a lost database is noticed", || !live.is_store_healthy());
    let error = command.revoke_key(&KeySelector::Id(id), later()).expect_err("unreachable");
    assert!(error.is_unusable() && error.to_string().contains("is unreachable"), "{error}");
    thread::sleep(Duration::from_millis(600));
    assert!(known(), "known keys keep working");

    cluster.restart();
    wait_for("its return is noticed", || live.is_store_healthy());
    assert!(known());
    // The same store reconnects.
    command.revoke_key(&KeySelector::Id(id), later()).expect("revoked");
    wait_for("a key revoked in it stops working", || !known());
}

/// A new certificate authority and a certificate that it signed for `localhost`, in PEM: the
/// authority's certificate, the server's certificate and the server's key.
fn certificates() -> (String, String, String) {
    let issuer_key = rcgen::KeyPair::generate().expect("a key");
    let mut authority = rcgen::CertificateParams::default();
    authority.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let issuer = authority.self_signed(&issuer_key).expect("signed").pem();
    let signer = rcgen::Issuer::new(authority, issuer_key);
    let key = rcgen::KeyPair::generate().expect("a key");
    let server = rcgen::CertificateParams::new(["localhost".to_owned()]).expect("a name");
    let certificate = server.signed_by(&key, &signer).expect("signed").pem();
    (issuer, certificate, key.serialize_pem())
}

#[needs::postgresql_server]
#[test]
fn the_certificate_of_a_database_is_verified() {
    let (authority, certificate, key) = certificates();
    // The port is free now; another process could still take it before the cluster starts.
    let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
    let port = port.expect("a port").port();
    let settings = ["listen_addresses=127.0.0.1", "ssl=on"].map(str::to_owned);
    let settings = [&settings[..], &[format!("port={port}")]].concat();
    let files = [("server.crt", certificate.as_str()), ("server.key", key.as_str())];
    let cluster = Cluster::start_with(&files, &settings);
    let folder = tempfile::tempdir().expect("a folder");
    let (trusted, other) = (folder.path().join("ca.pem"), folder.path().join("other.pem"));
    std::fs::write(&trusted, authority).expect("written");
    std::fs::write(&other, certificates().0).expect("written");
    // The trusted certificates come from an environment variable, so each case runs its own process.
    let schema = cluster.empty_schema();
    let (_, schema) = schema.split_once("options=").expect("options");
    let run = |host: &str, mode: &str, certificates: &std::path::Path| {
        let url =
            format!("postgres://tester@{host}:{port}/postgres?sslmode={mode}&options={schema}");
        let done = std::process::Command::new(env!("CARGO_BIN_EXE_daicho"))
            .args(["account", "create", "demo", "--plan", "standard", "--state", &url])
            .env("SSL_CERT_FILE", certificates)
            .output()
            .expect("the binary runs");
        (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
    };
    for (host, certificates, expected) in [
        ("localhost", &other, "invalid peer certificate"),
        ("127.0.0.1", &trusted, "not valid for name"),
    ] {
        let (code, errors) = run(host, "require", certificates);
        assert_eq!(code, Some(1), "{errors}");
        assert!(errors.contains(expected), "{expected} is not in {errors}");
    }
    let (code, errors) = run("localhost", "verify-full", &trusted);
    assert_eq!(code, Some(0), "{errors}");
    let (code, errors) = run("127.0.0.1", "disable", &other);
    assert_eq!(code, Some(1), "{errors}");
    assert!(errors.contains("\"demo\" exists already"), "{errors}");
}
