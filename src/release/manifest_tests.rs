//! Manifests of releases: written and read back, signed, and malformed. Without an object store.

use proptest::prelude::*;

use super::*;
use crate::dataset::postal::PostalData;

fn version(text: &str) -> DataVersion {
    DataVersion::parse(text).expect("a date")
}

fn release() -> Release {
    let sum = |text: &str| Sha256::of(text.as_bytes());
    let entry =
        |kind, day: &str, bytes| Entry { kind, version: version(day), bytes, sha256: sum(day) };
    let postal = EntryKind::Snapshot(PostalData::KIND, 9);
    Release {
        number: Number::parse("12").expect("a number"),
        created: Creation {
            time: "2026-07-01T00:00:05Z".parse().expect("a time"),
            creator: "builder \"1\"".to_owned(),
        },
        program: ProgramVersion::FIRST_READER,
        files: vec![
            entry(EntryKind::Changes(Register::Corporate), "2026-06-29", 28),
            entry(EntryKind::Holidays, "2026-02-02", 9_000),
            entry(EntryKind::Changes(Register::Invoice), "2026-06-30", 15),
            entry(postal, "2026-05-29", 28_000_000),
            entry(postal, "2026-06-30", 28_000_001),
            entry(EntryKind::Download, "2026-06-30", 5_000_000),
        ],
    }
}

fn parse(bytes: &[u8]) -> Result<Manifest, ReleaseError> {
    Manifest::parse("s3://b/releases/000012.json", release().number, bytes)
}

#[test]
fn a_written_manifest_reads_back() {
    let mut release = release();
    release.files.sort_by_key(Entry::path);
    let paths: Vec<String> = release.files.iter().map(Entry::path).collect();
    assert_eq!(
        paths,
        [
            "corporate/changes/2026-06-29.txt",
            "holidays/2026-02-02.csv",
            "invoice/changes/2026-06-30.txt",
            "postal/2026-05-29.daicho",
            "postal/2026-06-30.daicho",
            "postal/2026-06-30.kenall.json.xz",
        ]
    );
    let manifest = Manifest::new(release.clone(), None);
    let read = parse(&manifest.to_bytes()).expect("a release");
    assert_eq!(read.release, release);
    assert!(!read.is_signed());
    assert_eq!(
        release.newest(),
        [
            (Subject::dataset(PostalData::KIND), version("2026-06-30")),
            (HOLIDAYS, version("2026-02-02")),
        ],
        "a change list is not a dataset"
    );
}

#[test]
fn malformed_manifests_are_refused() {
    let text = String::from_utf8(Manifest::new(release(), None).to_bytes()).expect("text");
    for (from, to) in [
        ("{", ""),
        ("\"release\"", "\"other\""),
        ("\"format\":1", "\"format\":2"),
        ("\"number\":12", "\"number\":13"),
        ("\"number\":12", "\"number\":0"),
        ("2026-06-30", "2026-02-30"),
        ("postal/2026-06-30.daicho", "../2026-06-30.daicho"),
        ("\"kind\":\"changes\"", "\"kind\":\"other\""),
        ("\"dataset\":\"corporate\"", "\"dataset\":\"bank\""),
        ("28000000", "-1"),
        ("\"program\":\"0.3.0\"", "\"program\":\"0.3\""),
        ("\"signature\":null", "\"signature\":7"),
        ("\"signature\":null", "\"signature\":\"%\""),
    ] {
        assert!(text.contains(from), "{from}");
        let message = parse(text.replace(from, to).as_bytes()).expect_err(to).to_string();
        assert!(
            message.starts_with("s3://b/releases/000012.json: expected release 12, found"),
            "{message}"
        );
    }
}

#[test]
fn what_a_newer_program_writes_names_that_program() {
    let text = String::from_utf8(Manifest::new(release(), None).to_bytes()).expect("text");
    let newer = text.replace("\"program\":\"0.3.0\"", "\"program\":\"99.1.0\"");
    for (from, to) in [
        ("\"format\":1", "\"format\":2"),
        ("\"kind\":\"changes\"", "\"kind\":\"weather\""),
        ("\"dataset\":\"corporate\"", "\"dataset\":\"weather\""),
    ] {
        assert!(newer.contains(from), "{from}");
        let other = newer.replace(from, to);
        let error = parse(other.as_bytes()).expect_err(to);
        let message = error.to_string();
        assert!(message.contains("expected a program of version 99.1.0 or later"), "{message}");
        assert!(error.is_bad_object(), "a list leaves it out");
    }
    let extended = text.replacen("\"files\"", "\"more\":true,\"files\"", 1);
    assert_eq!(parse(extended.as_bytes()).expect("readable").release.number, release().number);
}

#[test]
fn snapshots_of_another_format_are_named() {
    let with_format = |format| {
        let mut release = release();
        let snapshots = release.files.iter_mut();
        for file in snapshots.filter(|it| matches!(it.kind, EntryKind::Snapshot(..))) {
            file.kind = EntryKind::Snapshot(PostalData::KIND, format);
        }
        Manifest::new(release, None).check_formats()
    };
    with_format(SNAPSHOT_FORMAT).expect("the present format");
    let (message, path) = (with_format(SNAPSHOT_FORMAT - 1), "postal/2026-05-29.daicho");
    let message = message.expect_err("another format").to_string();
    let (expected, found) = (SNAPSHOT_FORMAT, SNAPSHOT_FORMAT - 1);
    let parts = [format!("of format {expected}"), format!("found {path} of format {found}")];
    assert!(parts.iter().all(|part| message.contains(part)), "{message}");
}

#[test]
fn a_signature_covers_the_exact_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path
    };
    // In the format of 'openssl genpkey -algorithm ed25519' and 'openssl pkey -pubout'. The key is from RFC 8410,
    // section 10.
    let private = file(
        "private.pem",
        "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n",
    );
    let public = file(
        "public.pem",
        "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n",
    );
    let key = SigningKey::read(&private).expect("a key");
    let public_key = PublicKey::read(&public).expect("a key");
    let manifest = Manifest::new(release(), Some(&key));
    let bytes = manifest.to_bytes();
    let read = parse(&bytes).expect("a release");
    assert!(read.is_signed());
    read.verify(&public_key).expect("signed by it");
    let text = String::from_utf8(bytes).expect("text");
    let changed = parse(text.replace("28000000", "28000002").as_bytes()).expect("a release");
    let message = changed.verify(&public_key).expect_err("changed").to_string();
    assert!(message.contains("found one made with another key"), "{message}");
    let unsigned =
        Manifest::new(release(), None).verify(&public_key).expect_err("none").to_string();
    assert!(
        unsigned.contains("release 12: expected a signature") && unsigned.contains("found none")
    );
    for wrong in [&public, &file("empty.pem", ""), &folder.path().join("none.pem")] {
        assert!(SigningKey::read(wrong).is_err(), "{}", wrong.display());
    }
    for wrong in [
        &private,
        &file("short.pem", "-----BEGIN PUBLIC KEY-----\nMCow\n-----END PUBLIC KEY-----\n"),
    ] {
        let message = PublicKey::read(wrong).expect_err("another key").to_string();
        assert!(message.contains("expected a public Ed25519 key"), "{message}");
    }
}

proptest! {
    #[test]
    fn noise_never_panics(noise in any::<Vec<u8>>(), index in 0usize..400, byte in any::<u8>()) {
        let _ = parse(&noise);
        let mut bytes = Manifest::new(release(), None).to_bytes();
        bytes[index] = byte;
        let _ = parse(&bytes);
    }
}
