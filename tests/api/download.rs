//! `GET /v1/download/postalcode/latest/kenall.json.xz`: content, keys, ranges, tags, and a missing or new file.

use std::io::Read;
use std::path::Path;

use crate::support::{Answer, SHOP, ServerProcess, ask, sample};

const PATH: &str = "/v1/download/postalcode/latest/kenall.json.xz";

fn unpacked(bytes: &[u8]) -> serde_json::Value {
    let mut text = Vec::new();
    liblzma::read::XzDecoder::new(bytes).read_to_end(&mut text).expect("an xz file");
    serde_json::from_slice(&text).expect("JSON")
}

fn range(served: &ServerProcess, range: &str) -> Answer {
    served.get_with(PATH, &format!("Range: {range}"))
}

/// A server with a copy of the sample's newest version, with or without its download file.
fn over_copy(download: bool) -> (tempfile::TempDir, ServerProcess) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("postal")).expect("made");
    let mut names = vec!["postal/2026-06-30.daicho"];
    if download {
        names.push("postal/2026-06-30.kenall.json.xz");
    }
    for name in names {
        std::fs::copy(sample().join(name), folder.path().join(name)).expect("of the sample");
    }
    let served = ServerProcess::with_snapshots(Some(folder.path()), &[]);
    (folder, served)
}

#[test]
fn the_file_has_every_record_of_the_look_ups() {
    let served = ServerProcess::start();
    let answer = served.get(PATH);
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/x-xz")));
    assert_eq!(answer.header("accept-ranges"), Some("bytes"));
    assert_eq!(answer.header("cache-control"), Some("private, no-cache"));
    let tag = answer.header("etag").expect("a tag");
    assert!(tag.starts_with("\"2026-06-30-"), "not a strong tag of the version: {tag}");
    let all = unpacked(&answer.body);
    assert_eq!(all["version"], "2026-06-30");
    let records = all["data"].as_array().expect("an array");
    assert!(records.len() > 120, "{}", records.len());
    for code in ["1000001", "6028064", "1008798", "0295503"] {
        let found = served.get(&format!("/v1/postalcode/{code}")).json();
        let listed: Vec<_> =
            records.iter().filter(|record| record["postal_code"] == code).cloned().collect();
        assert_eq!(found["data"].as_array(), Some(&listed), "{code}");
    }
    let slashed = served.get(&format!("{PATH}/"));
    assert_eq!(slashed.body, answer.body);
    // The file is compressed already, and always has the newest data and API version.
    let headers = "Accept-Encoding: gzip, zstd\nAPI-Version: 2022-09-01";
    let other = served.get_with(&format!("{PATH}?version=2022-06-30"), headers);
    assert_eq!((other.header("content-encoding"), &other.body), (None, &answer.body));
}

#[test]
fn a_download_needs_a_secret_key() {
    let served = ServerProcess::start();
    ask(served.address, &format!("GET {PATH}")).expect_error(401, "missing_key", None);
    let head = format!("GET {PATH}\nAuthorization: Token {}\nOrigin: {SHOP}", served.public);
    ask(served.address, &head).expect_error(401, "secret_key_required", None);
    let head = format!("POST {PATH}\nAuthorization: Token {}", served.secret);
    ask(served.address, &head).expect_error(405, "method_not_allowed", None);
    for path in ["/v1/download", "/v1/download/postalcode/2026-06-30/kenall.json.xz"] {
        served.get(path).expect_error(404, "no_such_endpoint", None);
    }
}

#[test]
fn a_range_is_answered_with_206() {
    let served = ServerProcess::start();
    let whole = served.get(PATH).body;
    let length = whole.len();
    for (asked, part, found) in [
        ("bytes=0-0".to_owned(), 0..1, format!("bytes 0-0/{length}")),
        ("bytes=0-".to_owned(), 0..length, format!("bytes 0-{}/{length}", length - 1)),
        ("bytes=100-199".to_owned(), 100..200, format!("bytes 100-199/{length}")),
        (
            "bytes=-50".to_owned(),
            length - 50..length,
            format!("bytes {}-{}/{length}", length - 50, length - 1),
        ),
        ("bytes=-99999999".to_owned(), 0..length, format!("bytes 0-{}/{length}", length - 1)),
        (format!("bytes=10-{length}"), 10..length, format!("bytes 10-{}/{length}", length - 1)),
    ] {
        let answer = range(&served, &asked);
        assert_eq!((answer.status, answer.header("content-range")), (206, Some(found.as_str())));
        assert_eq!(answer.body, whole[part], "{asked}");
        assert!(answer.header("etag").is_some() && answer.header("accept-ranges").is_some());
    }
    for beyond in [format!("bytes={length}-"), "bytes=-0".to_owned(), "bytes=99999999-".to_owned()]
    {
        let answer = range(&served, &beyond);
        answer.expect_error(416, "range_not_satisfiable", None);
        assert_eq!(answer.header("content-range"), Some(format!("bytes */{length}").as_str()));
    }
    for ignored in
        ["bytes=0-1,3-4", "items=0-1", "bytes=5-3", "bytes=x-", "x", "bytes=0-1\nRange: bytes=0-1"]
    {
        let answer = range(&served, ignored);
        assert_eq!((answer.status, answer.header("content-range")), (200, None), "{ignored}");
        assert_eq!(answer.body.len(), length);
    }
}

#[test]
fn a_download_is_resumed_unless_the_file_has_changed() {
    let served = ServerProcess::start();
    let whole = served.get(PATH);
    let tag = whole.header("etag").expect("a tag").to_owned();
    let length = whole.body.len();
    let half = length / 2;
    let ask_rest =
        |tag: &str| served.get_with(PATH, &format!("Range: bytes={half}-\nIf-Range: {tag}"));
    let rest = ask_rest(&tag);
    assert_eq!(rest.status, 206);
    let first = range(&served, &format!("bytes=0-{}", half - 1));
    assert_eq!(
        [first.body, rest.body].concat(),
        whole.body,
        "the two halves are not the whole file"
    );
    for other in [
        "\"2026-05-29-00000000-1\"".to_owned(),
        format!("W/{tag}"),
        "Sat, 21 Nov 2026 00:00:00 GMT".to_owned(),
        "*".to_owned(),
    ] {
        let answer = ask_rest(&other);
        assert_eq!((answer.status, answer.body.len()), (200, length), "{other}");
    }
    let same = served.get_with(PATH, &format!("If-None-Match: {tag}"));
    assert_eq!((same.status, same.body.len()), (304, 0));
    let same = served.get_with(PATH, &format!("If-None-Match: {tag}\nRange: bytes=0-9"));
    assert_eq!(same.status, 304);
    let head = format!("HEAD {PATH}\nAuthorization: Token {}\nRange: bytes=0-9", served.secret);
    let answer = ask(served.address, &head);
    assert_eq!((answer.status, answer.header("accept-ranges")), (200, Some("bytes")));
    assert_eq!(answer.header("content-length"), Some(length.to_string().as_str()));
    assert_eq!(answer.header("etag"), Some(tag.as_str()));
}

#[test]
fn a_missing_file_is_404_and_a_new_one_is_served() {
    let (folder, served) = over_copy(false);
    served.get(PATH).expect_error(404, "no_such_download", None);
    let name = Path::new("postal/2026-06-30.kenall.json.xz");
    let put = |bytes: &[u8]| {
        let unfinished = folder.path().join(".unfinished");
        std::fs::write(&unfinished, bytes).expect("written");
        std::fs::rename(&unfinished, folder.path().join(name)).expect("renamed");
    };
    let bytes = std::fs::read(sample().join(name)).expect("of the sample");
    put(&bytes);
    let first = served.get(PATH);
    assert_eq!((first.status, &first.body), (200, &bytes));
    let another = b"\xfd7zXZ\0another fileYZ";
    put(another);
    let second = served.get(PATH);
    assert_eq!(second.body, another);
    assert_ne!(first.header("etag"), second.header("etag"));
    for other in [&b""[..], b"password = secret\n"] {
        put(other);
        served.get(PATH).expect_error(500, "damaged_data", None);
    }
    put(&bytes);
    assert_eq!(served.get(PATH).body, bytes);
}

#[test]
#[cfg(unix)]
fn a_link_is_no_download() {
    let (folder, served) = over_copy(false);
    let secret = folder.path().join("secret");
    let bytes = std::fs::read(sample().join("postal/2026-06-30.kenall.json.xz")).expect("there");
    std::fs::write(&secret, bytes).expect("written");
    let download = folder.path().join("postal/2026-06-30.kenall.json.xz");
    std::os::unix::fs::symlink(&secret, &download).expect("created");
    served.get(PATH).expect_error(500, "damaged_data", None);
    std::fs::remove_file(&download).expect("removed");
    std::fs::rename(&secret, &download).expect("renamed");
    assert_eq!(served.get(PATH).status, 200);
}

#[test]
fn a_server_without_data_answers_503() {
    let served = ServerProcess::with_snapshots(None, &[]);
    served.get(PATH).expect_error(503, "no_data", None);
}

#[test]
fn servers_with_the_same_file_send_the_same_tag() {
    let (_folder, one) = over_copy(true);
    let (_folder, other) = over_copy(true);
    assert_eq!(one.get(PATH).header("etag"), other.get(PATH).header("etag"));
}

#[test]
#[cfg(unix)]
fn a_pipe_in_the_folder_does_not_hang_a_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name);
    for inside in ["postal", "bank", "holidays"] {
        std::fs::create_dir(place(inside)).expect("made");
    }
    let name = "postal/2026-06-30.daicho";
    std::fs::copy(sample().join(name), place(name)).expect("of the sample");
    for pipe in [
        "postal/2026-07-31.daicho",
        "postal/2026-06-30.kenall.json.xz",
        "bank/2026-05-25.daicho",
        "holidays/2026-02-02.csv",
    ] {
        let made = std::process::Command::new("mkfifo").arg(place(pipe)).status();
        assert!(made.expect("mkfifo runs").success(), "{pipe}");
    }
    let served = ServerProcess::with_snapshots(Some(folder.path()), &[]);
    assert_eq!(served.get("/v1/postalcode/1000001").status, 200);
    served.get(PATH).expect_error(500, "damaged_data", None);
}
