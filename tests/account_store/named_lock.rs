//! Named locks in PostgreSQL: one session holds each, and the error of any other names the holder.

use std::time::Duration;

use daicho::account::store::{NamedLock, StoreError, StoreFault, StoreLocation};

use super::cluster::Cluster;

const LOCK_WAIT_MAX: Duration = Duration::from_millis(200);

fn take(url: &str, name: &str, holder: &str) -> Result<NamedLock, StoreError> {
    let location = StoreLocation::parse(url.as_ref()).expect("a URL");
    NamedLock::acquire(&location, name, holder, LOCK_WAIT_MAX)
}

#[needs::postgresql]
#[test]
fn one_session_holds_a_lock_and_the_error_of_others_names_it() {
    let cluster = Cluster::shared();
    let url = cluster.empty_schema();
    let mut first = take(&url, "one", "the first").expect("free");
    let mut other = take(&url, "two", "of another name").expect("free");
    let message = take(&url, "one", "the second").expect_err("held").to_string();
    assert!(message.contains("but \"the first\" (pid "), "{message}");
    first.check().expect("held");
    other.check().expect("held");
    drop(first);
    let long = "a holder with a name of more than 63 bytes, of which PostgreSQL keeps that many";
    let mut second = take(&url, "one", long).expect("free again");
    let message = take(&url, "one", "the third").expect_err("held").to_string();
    assert!(message.contains(&long[..63]) && !message.contains(long), "{message}");
    cluster.sql(&format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '{}'",
        &long[..63]
    ));
    second.check().expect_err("lost");
    take(&url, "one", "the third").expect("free again");
}

#[test]
fn a_file_and_a_standby_refuse_named_locks() {
    let error = take("./daicho.db", "one", "me").expect_err("a file");
    assert!(matches!(error, StoreError::Unusable { fault: StoreFault::NoNamedLocks, .. }));
    let standby = Cluster::start_with(&[("standby.signal", "")], &[]);
    let error = take(standby.url(), "one", "me").expect_err("a standby");
    assert!(matches!(error, StoreError::Unusable { fault: StoreFault::Standby, .. }), "{error}");
}
