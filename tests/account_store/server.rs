//! What only a store in PostgreSQL can meet: other programs' tables, wrong rights, a server that
//! goes away and comes back.

use std::thread;
use std::time::Duration;

use daicho::account::KeyKind;
use daicho::account::store::{IfMissing, KeySelector, StatePlace, Store, StoreError, StoreFault};

use super::cluster::Cluster;
use super::support::{Place, add_key, key, keyring, later, serve, wait_for};

fn open(url: &str, if_missing: IfMissing) -> Result<Store, StoreError> {
    Store::open(&StatePlace::parse(url.as_ref()).expect("a URL"), if_missing)
}

#[track_caller]
fn refused(url: &str, if_missing: IfMissing) -> (StoreError, String) {
    let error = open(url, if_missing).expect_err("refused");
    let message = error.to_string();
    (error, message)
}

#[test]
fn an_empty_database_is_a_start_only_where_one_may_begin() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.empty_schema();
    let (error, message) = refused(&url, IfMissing::Refuse);
    assert!(matches!(error, StoreError::Unusable { fault: StoreFault::EmptyDatabase, .. }));
    assert!(message.contains("`daicho account create` begins one"), "{message}");
    drop(open(&url, IfMissing::Create).expect("begun"));
    drop(open(&url, IfMissing::Refuse).expect("there"));
}

#[test]
fn other_databases_are_refused_and_left_alone() {
    let Some(cluster) = Cluster::shared() else { return };
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
    check(&later, true, "found 99; use the newer daicho");
    let empty = |schema: &str| format!("CREATE TABLE {schema}.daicho_schema (applied BIGINT)");
    check(&empty, true, "a schema number from 1 was expected, found \"0\"");
    check(&|schema| format!("DROP SCHEMA {schema}"), false, "CREATE SCHEMA");
}

#[test]
fn a_database_that_cannot_be_reached_is_told_with_its_place() {
    let Some(cluster) = Cluster::start() else { return };
    let schema = cluster.empty_schema();
    let (place, _options) = schema.split_once("&options").expect("options");
    for (url, expected) in [
        (place.replace("user=tester", "user=nobody"), "the database server refuses"),
        (place.replace(":///postgres", ":///absent"), "the database server refuses"),
        (place.replace("host=/", "host=/absent/"), "cannot be reached"),
    ] {
        let (error, message) = refused(&url, IfMissing::Create);
        assert!(!error.is_damage() && error.is_unusable(), "{message}");
        assert!(message.starts_with("the state database postgres://"), "{message}");
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn many_may_begin_a_store_at_once() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.empty_schema();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| open(&url, IfMissing::Create).expect("made or found"));
        }
    });
    assert!(open(&url, IfMissing::Refuse).expect("there").accounts().expect("all").is_empty());
}

#[test]
fn values_that_daicho_never_writes_are_refused() {
    let Some(cluster) = Cluster::shared() else { return };
    let check = |sql: &str, expected: &str| {
        let place = Place::at(&cluster.empty_schema());
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
        "a plan was expected, found \"gold\"",
    );
    check("UPDATE account SET name = ''", "an account's name was expected");
    check("INSERT INTO key_origin VALUES (1, '*')", "an origin was expected, found \"*\"");
}

#[test]
fn a_server_outlives_its_database() {
    let Some(mut cluster) = Cluster::start() else { return };
    let place = Place::at(&cluster.empty_schema());
    let key = key(1, KeyKind::Public);
    let mut command = place.with_demo();
    let id = add_key(&mut command, &key).id;
    let (live, _refresher) = serve(&place);
    let known = || live.current().find(key.reveal()).is_some();
    cluster.kill();
    wait_for("a lost database is noticed", || !live.store_healthy());
    let error = command.revoke_key(&KeySelector::Id(id), later()).expect_err("nobody there");
    assert!(error.is_unusable() && error.to_string().contains("cannot be reached"), "{error}");
    thread::sleep(Duration::from_millis(600));
    assert!(known(), "known keys go on working");

    cluster.restart();
    wait_for("its return is noticed", || live.store_healthy());
    assert!(known());
    // The same connection mends itself.
    command.revoke_key(&KeySelector::Id(id), later()).expect("revoked");
    wait_for("a key revoked in it stops working", || !known());
}
