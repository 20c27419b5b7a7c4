//! Shared by the integration tests: archives and compressed files made in memory, and the official files.
#![allow(dead_code, reason = "each test is a program of its own and uses a part of this")]

#[path = "../../../tests/support/shared_data.rs"]
pub mod shared_data;

use std::io::{Cursor, Write};

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("writes to memory");
    encoder.finish().expect("writes to memory")
}

pub fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 0);
    encoder.write_all(bytes).expect("writes to memory");
    encoder.finish().expect("writes to memory")
}

pub fn zst(bytes: &[u8]) -> Vec<u8> {
    zstd::stream::encode_all(bytes, 1).expect("writes to memory")
}

pub fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        let options = zip::write::SimpleFileOptions::default();
        archive.start_file(*name, options).expect("writes to memory");
        archive.write_all(bytes).expect("writes to memory");
    }
    archive.finish().expect("writes to memory").into_inner()
}

pub fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        archive.append_data(&mut header, name, *bytes).expect("writes to memory");
    }
    archive.into_inner().expect("writes to memory")
}
