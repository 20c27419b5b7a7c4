//! Unpacks source files: every packing, the choice of a member of an archive, and archives that are cut short or damaged.

mod support;

use build_tools::{Kind, Source, SourceError};
use proptest::prelude::*;
use support::{gzip, tar, xz, zip, zst};

const TEXT: &[u8] = b"first line\r\nsecond line\r\n";

fn unpack(bytes: Vec<u8>, month: Option<&str>) -> Result<Source, SourceError> {
    Source::unpack("in", bytes, Kind::Area, month)
}

/// Name and content, or a part of the message.
#[track_caller]
fn check(bytes: Vec<u8>, month: Option<&str>, expected: Result<(&str, &[u8]), &str>) {
    match (unpack(bytes, month), expected) {
        (Ok(source), Ok(expected)) => assert_eq!((source.name(), source.bytes()), expected),
        (Err(error), Err(expected)) => {
            let message = error.to_string();
            assert!(message.contains(expected), "expected {expected}, found {message}");
        }
        (found, expected) => panic!("expected {expected:?}, found {found:?}"),
    }
}

#[test]
fn each_packing_is_recognised_by_its_bytes() {
    let one: &[(&str, &[u8])] = &[("KEN_ALL.CSV", TEXT)];
    check(TEXT.to_vec(), None, Ok(("in", TEXT)));
    check(Vec::new(), None, Ok(("in", b"")));
    for packed in [gzip(TEXT), xz(TEXT), zst(TEXT)] {
        check(packed, None, Ok(("in", TEXT)));
    }
    for archive in [tar(one), gzip(&tar(one)), xz(&tar(one)), zst(&tar(one)), zip(one)] {
        check(archive, None, Ok(("in#KEN_ALL.CSV", TEXT)));
    }
    // A compressed member, and members written one after the other.
    check(tar(&[("KEN_ALL.CSV.xz", &xz(TEXT))]), None, Ok(("in#KEN_ALL.CSV.xz", TEXT)));
    check([gzip(&TEXT[..5]), gzip(&TEXT[5..])].concat(), None, Ok(("in", TEXT)));
    check([xz(&TEXT[..5]), xz(&TEXT[5..])].concat(), None, Ok(("in", TEXT)));
}

#[test]
fn the_error_names_an_unsupported_packing() {
    check(b"BZh91AY&SY".to_vec(), None, Err("found bzip2"));
    check(b"7z\xbc\xaf\x27\x1c".to_vec(), None, Err("found 7-Zip"));
    check(b"\xd0\xcf\x11\xe0".to_vec(), None, Err("found an Excel"));
    // A zip whose member says that it is compressed with bzip2 (method 12).
    let mut archive = zip(&[("KEN_ALL.CSV", TEXT)]);
    let directory =
        archive.windows(4).position(|mark| mark == b"PK\x01\x02").expect("a zip has one");
    (archive[8], archive[directory + 10]) = (12, 12);
    check(archive, None, Err("found a zip: "));
    check(gzip(&gzip(&gzip(TEXT))), None, Err("layers of compression"));
}

#[test]
fn the_matching_member_of_an_archive_is_read() {
    let other: &[u8] = b"other";
    for pack in [tar as fn(&[(&str, &[u8])]) -> Vec<u8>, zip] {
        // By name, whatever the case and the folder.
        let two = pack(&[("readme.txt", other), ("data/utf_ken_all.csv", TEXT)]);
        check(two, None, Ok(("in#data/utf_ken_all.csv", TEXT)));
        let two = pack(&[("ken_all.csv", TEXT), ("JIGYOSYO.CSV", other)]);
        check(two, None, Ok(("in#ken_all.csv", TEXT)));
        // The only file, whatever its name.
        check(pack(&[("x.csv", TEXT)]), None, Ok(("in#x.csv", TEXT)));
        // By month, if there are several.
        let series = || pack(&[("2026-04/KEN_ALL.CSV", other), ("2026-05/KEN_ALL.CSV", TEXT)]);
        check(series(), Some("2026-05"), Ok(("in#2026-05/KEN_ALL.CSV", TEXT)));
        check(series(), Some("2026-04"), Ok(("in#2026-04/KEN_ALL.CSV", other)));
        let expected = "member in a folder 2026-06/ that is postal codes by area";
        check(series(), Some("2026-06"), Err(expected));
        check(series(), None, Err("found 2 (2026-04/KEN_ALL.CSV, 2026-05/KEN_ALL.CSV)"));
        check(series(), None, Err("name it: in#MEMBER"));
        let reissue =
            pack(&[("2026-03-reissue/KEN_ALL.CSV", TEXT), ("2026-03/KEN_ALL.CSV", other)]);
        check(reissue, Some("2026-03"), Ok(("in#2026-03/KEN_ALL.CSV", other)));
        // A single match is read even if its folder is of another month.
        let one = pack(&[("2026-04/KEN_ALL.CSV", TEXT)]);
        check(one, Some("2026-05"), Ok(("in#2026-04/KEN_ALL.CSV", TEXT)));
        // No match.
        let found = "found 2 (a.txt, b.txt); name it: in#MEMBER";
        check(pack(&[("a.txt", other), ("b.txt", other)]), None, Err(found));
    }
    check(zip(&[]), None, Err("found no file at all; check that this is the right file"));
    let mac = zip(&[("__MACOSX/._KEN_ALL.CSV", other), ("KEN_ALL.CSV", TEXT)]);
    check(mac, None, Ok(("in#KEN_ALL.CSV", TEXT)));
}

#[test]
fn a_path_can_name_the_member() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let series = folder.path().join("series.tar.xz");
    let bytes = xz(&tar(&[("2026-04/KEN_ALL.CSV", TEXT), ("2026-05/KEN_ALL.CSV", b"b")]));
    std::fs::write(&series, bytes).expect("writes");
    let plain = folder.path().join("KEN#ALL.CSV");
    std::fs::write(&plain, TEXT).expect("writes");
    let open = |path: &str| {
        let path = folder.path().join(path);
        Source::open(&path, Kind::Area, None).map(|source| source.bytes().to_vec())
    };
    assert_eq!(open("series.tar.xz#2026-04/KEN_ALL.CSV").expect("named"), TEXT);
    assert_eq!(open("series.tar.xz#./2026-05/KEN_ALL.CSV").expect("named"), b"b");
    // If a file with this name exists, # is part of its name.
    assert_eq!(open("KEN#ALL.CSV").expect("plain"), TEXT);
    for (path, expected) in [
        ("series.tar.xz#2026-06/KEN_ALL.CSV", "called 2026-06/KEN_ALL.CSV, found 2"),
        ("KEN#ALL.CSV#x", "check the path"),
        ("missing.csv", "check the path and the permissions"),
        ("", "check the path and the permissions"),
    ] {
        let message = open(path).expect_err(path).to_string();
        assert!(message.contains(expected), "{path}: {message}");
    }
    std::fs::write(folder.path().join("plain.csv"), TEXT).expect("writes");
    std::fs::write(folder.path().join("packed.csv.gz"), gzip(TEXT)).expect("writes");
    for file in ["plain.csv", "packed.csv.gz"] {
        let message = open(&format!("{file}#M.CSV")).expect_err("not an archive").to_string();
        let expected = format!(
            "{file}: expected an archive, because #M.CSV names a member, found a single file; \
             leave out #M.CSV"
        );
        assert!(message.ends_with(&expected), "{message}");
    }
}

#[test]
fn an_archive_cut_at_any_length_is_refused_and_never_read_shortened() {
    let long: Vec<u8> = (0..2000u32).flat_map(|n| format!("{}\r\n", n * n).into_bytes()).collect();
    let one: &[(&str, &[u8])] = &[("KEN_ALL.CSV", &long)];
    for whole in [gzip(&long), xz(&long), zst(&long), zip(one), tar(one), xz(&tar(one))] {
        let step = whole.len() / 97 + 1;
        // A packing is recognised by its first bytes; for a tar these are the whole first block.
        let known = if whole.starts_with(b"KEN_ALL") { 512 } else { 12 };
        for length in (known..whole.len()).step_by(step) {
            match unpack(whole[..length].to_vec(), None) {
                // A tar is complete without its padding and end mark.
                Ok(source) => assert!(source.bytes() == long, "cut at {length}"),
                Err(SourceError::Truncated { .. } | SourceError::Damaged { .. }) => {}
                Err(SourceError::NoMember { .. }) => {}
                Err(other) => panic!("cut at {length}: {other}"),
            }
        }
    }
}

#[test]
fn a_damaged_archive_is_refused_and_never_read_as_another_text() {
    let long: Vec<u8> = (0..2000u32).flat_map(|n| format!("{}\r\n", n * n).into_bytes()).collect();
    for whole in [gzip(&long), xz(&long), zip(&[("KEN_ALL.CSV", &long)])] {
        let step = whole.len() / 193 + 1;
        for at in (0..whole.len()).step_by(step) {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            if let Ok(source) = unpack(damaged.clone(), None) {
                // Without its magic number the file is read as not packed.
                let whole = [long.as_slice(), damaged.as_slice()];
                assert!(whole.contains(&source.bytes()), "flipped a bit of byte {at}");
            }
        }
    }
}

proptest! {
    #[test]
    fn no_bytes_panic(
        start in prop::sample::select(vec![
            b"\x1f\x8b\x08\0".to_vec(), b"\xfd7zXZ\0\0\x04".to_vec(), b"\x28\xb5\x2f\xfd".to_vec(),
            b"PK\x03\x04".to_vec(), b"PK\x05\x06".to_vec(), tar(&[("a.csv", TEXT)]), zip(&[("a.csv", TEXT)]),
        ]),
        rest in prop::collection::vec(any::<u8>(), 0..600),
        at in any::<prop::sample::Index>(),
    ) {
        let _ = unpack([start.as_slice(), &rest].concat(), None);
        let mut spliced = start;
        let at = at.index(spliced.len());
        spliced.truncate(at);
        spliced.extend(rest);
        let _ = unpack(spliced, Some("2026-05"));
    }
}
