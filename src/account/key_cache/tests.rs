//! The file that caches keys: written and read back, its mode, and damaged or foreign files. Without a store; the
//! tests of `live.rs` cover when the file is written.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use super::*;
use crate::account::tests::{account, entry, key};
use crate::account::{KeyEntry, KeyKind, Plan, Quota, Rate, quota};
use crate::text::codes::ApiVersion;

const STORE: &str = "the state file daicho.db";

fn cache(path: &Path) -> KeyCache {
    KeyCache::new(path.to_owned(), STORE.to_owned())
}

fn meters() -> Meters {
    Meters::new(Timestamp::UNIX_EPOCH)
}

fn keyring() -> Keyring {
    let demo = account("株式会社 \"例\"", Plan::Premium, true);
    let mut dated = (*account("old", Plan::Standard, false)).clone();
    dated.id = crate::account::AccountId(2);
    dated.api_version = Some(ApiVersion::V2022_09_01);
    let limited = Quota {
        rate: Some(Rate::of(10, Some(20)).expect("a rate")),
        monthly: Some(quota::monthly(5000).expect("a quota")),
    };
    Keyring::new([
        entry(1, KeyKind::Secret, &demo, &[]),
        entry(2, KeyKind::Public, &demo, &["https://shop.example", "http://localhost:3000"]),
        KeyEntry { quota: limited, ..entry(3, KeyKind::Secret, &Arc::new(dated), &[]) },
    ])
}

#[test]
fn a_written_cache_reads_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("keys");
    for _ in 0..2 {
        cache(&path).write(&keyring()).expect("written");
    }
    assert_eq!(path.metadata().expect("a file").permissions().mode() & 0o777, 0o600);
    assert_eq!(
        fs::read_dir(folder.path()).expect("readable").count(),
        1,
        "no other file in the folder"
    );
    let meters = meters();
    let read = cache(&path).read(&meters).expect("read");
    assert!(read.written > Timestamp::UNIX_EPOCH);
    assert_eq!(read.keyring.entries().len(), 3);
    for (found, kept) in read.keyring.entries().iter().zip(keyring().entries()) {
        assert_eq!((found.id, found.hash.0, found.kind), (kept.id, kept.hash.0, kept.kind));
        assert_eq!((&found.account, &found.origins), (&kept.account, &kept.origins));
        assert_eq!(found.quota, kept.quota);
        assert!(
            Arc::ptr_eq(&found.meter, &meters.of(found.account.id)),
            "shares the meter of its account"
        );
    }
    assert!(read.keyring.find(key(1, KeyKind::Secret).reveal()).is_some());
    let text = fs::read_to_string(&path).expect("text");
    assert!(!text.contains(key(1, KeyKind::Secret).reveal()), "the file contains hashes only");
}

#[test]
fn a_partial_file_is_overwritten_with_private_mode() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, begun) = (folder.path().join("keys"), folder.path().join("keys.part"));
    fs::write(&begun, "daicho-keys 1").expect("written");
    fs::set_permissions(&begun, fs::Permissions::from_mode(0o644)).expect("set");
    cache(&path).write(&keyring()).expect("written");
    assert!(!begun.exists());
    assert_eq!(path.metadata().expect("a file").permissions().mode() & 0o777, 0o600);
}

#[test]
fn errors_name_the_foreign_or_damaged_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("keys");
    let sound = String::from_utf8(file_text(&keyring(), STORE)).expect("text");
    let refused = |bytes: &[u8], mode| {
        fs::write(&path, bytes).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("set");
        let error = cache(&path).read(&meters()).expect_err("refused");
        assert!(error.to_string().contains("/keys: "), "{error}");
        error
    };
    let first = sound.lines().next().expect("a line");
    let again = |body: &str| {
        let line = first.rsplit_once(' ').expect("words").0;
        let sum = {
            use sha2::{Digest, Sha256};
            data_encoding::HEXLOWER.encode(&Sha256::digest(body.as_bytes()))
        };
        format!("{line} {sum}\n{body}")
    };
    let body = sound.split_once('\n').expect("lines").1;
    for (text, expected) in [
        (String::new(), "another kind of file"),
        ("SQLite format 3\0".to_owned(), "another kind of file"),
        ("daicho-keys 2".to_owned(), "a first line with its end, found none"),
        (first.to_owned() + "\n", "the bytes of its checksum"),
        (sound.replace("daicho-keys 2", "daicho-keys 1"), "expected version 2, found \"1\""),
        (sound.replace("premium", "enterprise"), "the bytes of its checksum"),
        (sound[..sound.len() - 1].to_owned(), "the bytes of its checksum"),
        (again("[]"), "the name of a store, found null as store"),
        (again("{"), "expected JSON"),
        (again("{\"store\":\"the state file daicho.db\"}"), "a list, found null as accounts"),
        (again(&body.replace("premium", "gold")), "a plan, found \"gold\" as plan"),
        (again(&body.replace("\"account\":2", "\"account\":3")), "found 3 as account"),
        (again(&body.replace("[10,20]", "[10]")), "a rate and a burst, or null"),
        (again(&body.replace("\"expires_at\":null", "\"expires_at\":true")), "a time in seconds"),
        (again(&body.replace("5000", "-1")), "a monthly quota, or null"),
        (again(&body.replace("https://shop", "ftp://shop")), "a list of origins"),
        (again(&body.replace("daicho.db", "other.db")), "found keys of the state file other.db"),
    ] {
        let error = refused(text.as_bytes(), 0o600);
        assert!(error.to_string().contains(expected), "{text:?}: {error}");
        let other = matches!(error.fault, KeyCacheFault::OtherFormat);
        assert_eq!(error.fault.is_wrong_path(), other, "{error}");
    }
    for mode in [0o644, 0o620, 0o604] {
        let error = refused(sound.as_bytes(), mode);
        assert!(error.to_string().contains(&format!("found mode {mode:o}")), "{error}");
    }
}

#[test]
fn every_cut_and_every_changed_byte_is_refused() {
    let sound = file_text(&keyring(), STORE);
    let read = |bytes: &[u8]| {
        checked_body(bytes)
            .and_then(|body| parse(body, STORE, &meters()))
            .map(|ring| ring.entries().len())
    };
    assert_eq!(read(&sound).expect("sound"), 3);
    for at in 0..sound.len() {
        assert!(read(&sound[..at]).is_err(), "cut at {at}");
        let mut changed = sound.clone();
        changed[at] ^= 1;
        assert!(read(&changed).is_err(), "changed at {at}");
    }
}

#[test]
fn a_path_that_cannot_be_a_cache_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = cache(&folder.path().join("keys")).read(&meters()).expect_err("none");
    assert!(matches!(missing.fault, KeyCacheFault::Missing), "{missing}");
    for (path, expected) in [("none/keys", "its folder does not exist"), ("", "")] {
        let cache = cache(&folder.path().join(path));
        for error in [
            cache.read(&meters()).expect_err("refused"),
            cache.write(&keyring()).expect_err("refused"),
        ] {
            assert!(error.fault.is_wrong_path(), "{error}");
            assert!(error.to_string().contains(expected), "{error}");
        }
    }
    assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 0, "the folder stays empty");
}
