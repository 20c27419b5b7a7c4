//! A server whose store is locked, removed or unreachable: look-ups still work, and the log has one line at the
//! beginning and one at the end.

use std::sync::Arc;

use daicho::account::store::{StoreError, StoreLocation, StorePool};
use daicho::api::executor::ApiStore;

use crate::cluster::Cluster;
use crate::support::{ServerProcess, ask, wait_until};

/// Whether the metric of the server says that its store works.
fn healthy(served: &ServerProcess) -> bool {
    let metrics = ask(served.address, "GET /metrics").text();
    match metrics.lines().find_map(|line| line.strip_prefix("daicho_key_store_healthy ")) {
        Some("1") => true,
        Some("0") => false,
        found => panic!("no metric daicho_key_store_healthy: {found:?}"),
    }
}

/// The log lines about the store.
fn store_log_lines(served: &ServerProcess) -> Vec<String> {
    let log = served.logged();
    log.lines().filter(|line| line.contains("the store ")).map(str::to_owned).collect()
}

/// Makes the store fail and work again. Checks that look-ups work all the time and that the log has one line for the
/// failure and one for its end.
#[track_caller]
fn check_failure(served: &ServerProcess, fail: impl FnOnce(), mend: impl FnOnce()) {
    assert_eq!(served.get("/v1/postalcode/1000001").status, 200);
    assert!(healthy(served));
    fail();
    wait_until("the failure to be noticed", || {
        assert_eq!(served.get("/v1/postalcode/1000001").status, 200);
        !healthy(served)
    });
    for _ in 0..20 {
        assert_eq!(served.get("/v1/postalcode/1000001").status, 200);
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    wait_until("the first log line", || !store_log_lines(served).is_empty());
    let lines = store_log_lines(served);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("\"WARN\"") && lines[0].contains("keys already loaded keep working"));
    mend();
    wait_until("the store to be healthy again", || healthy(served));
    wait_until("the usage counts to be written", || {
        let metrics = ask(served.address, "GET /metrics").text();
        metrics.lines().any(|line| line == "daicho_usage_unwritten 0")
    });
    assert_eq!(served.get("/v1/postalcode/1000001").status, 200);
    wait_until("the second log line", || store_log_lines(served).len() > 1);
    let lines = store_log_lines(served);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[1].contains("\"INFO\"") && lines[1].contains("works again"), "{lines:?}");
}

#[test]
fn look_ups_work_while_the_store_is_removed() {
    let served = ServerProcess::start();
    let (path, aside) = (served.state(), served.folder.path().join("aside.db"));
    check_failure(
        &served,
        || std::fs::rename(&path, &aside).expect("moved"),
        || std::fs::rename(&aside, &path).expect("moved back"),
    );
}

#[test]
fn look_ups_work_while_the_store_is_locked() {
    let served = ServerProcess::start();
    let holder = std::cell::RefCell::new(None);
    let lock = || {
        let connection = rusqlite::Connection::open(served.state()).expect("a file");
        connection.execute_batch("BEGIN IMMEDIATE").expect("the lock of writers");
        *holder.borrow_mut() = Some(connection);
    };
    check_failure(&served, lock, || drop(holder.take()));
}

#[needs::postgresql_server]
#[test]
fn look_ups_work_while_the_database_is_down() {
    let cluster = Cluster::start();
    let served = ServerProcess::with_state(&cluster.empty_schema());
    let cluster = std::cell::RefCell::new(cluster);
    check_failure(&served, || cluster.borrow_mut().kill(), || cluster.borrow_mut().restart());
    // The server also sees changes by commands again.
    let revoked = served.run(&format!("key revoke {}", served.secret));
    assert!(revoked.status.success(), "{}", String::from_utf8_lossy(&revoked.stderr));
    wait_until("the key to be refused", || served.get("/v1/whoami").status == 401);
}

#[needs::postgresql_server]
#[test]
fn a_server_does_not_start_without_its_database() {
    let mut cluster = Cluster::start();
    let url = cluster.empty_schema();
    cluster.kill();
    let done = std::process::Command::new(env!("CARGO_BIN_EXE_daicho"))
        .args(["serve", "--listen", "127.0.0.1:0", "--state", &url])
        .output()
        .expect("the binary runs");
    assert_eq!(done.status.code(), Some(1));
    let told = String::from_utf8_lossy(&done.stderr);
    assert!(told.contains("is unreachable") && told.contains("postgres://"), "{told}");
}

#[test]
fn a_failing_store_is_an_error_and_works_afterwards() {
    let served = ServerProcess::start();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let state = ApiStore::new(Arc::new(StorePool::of(StoreLocation::File(served.state()))));
    let write = || runtime.block_on(state.run(|store| store.probe_write()));
    write().expect("written");
    let list = || runtime.block_on(state.run(|store| store.accounts()));
    let before = list().expect("read");
    let holder = rusqlite::Connection::open(served.state()).expect("a file");
    holder.execute_batch("BEGIN IMMEDIATE").expect("the lock of writers");
    // A write lock does not block readers.
    assert!(!before.is_empty());
    assert_eq!(list().expect("read"), before);
    let error = write().expect_err("locked");
    assert!(error.is_unusable() && error.to_string().contains("locked"), "{error}");
    drop(holder);
    write().expect("written again");
    let aside = served.folder.path().join("aside.db");
    std::fs::rename(served.state(), &aside).expect("moved");
    let error = write().expect_err("gone");
    assert!(matches!(error, StoreError::Unusable { .. }), "{error}");
    assert!(!served.state().exists(), "a new store was created in place of the removed one");
    std::fs::rename(&aside, served.state()).expect("moved back");
    write().expect("written again");
}
