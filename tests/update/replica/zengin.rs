//! The repository of bank codes: the date of its newest edition, and a tagged archive of each.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};

use super::{Answer, Replica};

pub const UPDATED_AT: &str = "/zengin-code/source-data/master/data/updated_at";

/// The address of the archive of an edition.
pub fn archive(date: &str) -> String {
    format!("/zengin-code/source-data/tar.gz/refs/tags/{date}")
}

/// Publishes an edition as the newest: its date, such as `2026-05-25`, and its tar.
pub fn publish(replica: &Replica, date: &str, tar: &[u8]) {
    let updated_at = Answer::file(date.replace('-', "").as_bytes());
    replica.get(UPDATED_AT, updated_at.header("content-type", "text/plain; charset=utf-8"));
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(tar).expect("in memory");
    let file = Answer::file(&gzip.finish().expect("in memory"));
    let name = format!("attachment; filename=source-data-{date}.tar.gz");
    replica.get(&archive(date), file.header("content-disposition", &name));
}

/// A tar as the repository packs it: all files below a folder with its date, each also as YAML.
pub fn packed(date: &str, files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    let mut add = |path: &str, bytes: &[u8]| {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        let path = format!("source-data-{date}/{path}");
        archive.append_data(&mut header, path, bytes).expect("in memory");
    };
    add("README.md", b"# source-data");
    add("data/updated_at", date.replace('-', "").as_bytes());
    for (path, bytes) in files {
        add(&format!("data/{path}"), bytes);
        add(&format!("data/{}", path.replace(".json", ".yml")), b"---\n");
    }
    archive.into_inner().expect("in memory")
}
