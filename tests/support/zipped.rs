//! Builds a ZIP archive in memory, the format in which official sites publish files.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// A ZIP archive with these members: name and content.
pub fn zipped(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        archive.start_file(*name, SimpleFileOptions::default()).expect("a member");
        archive.write_all(bytes).expect("in memory");
    }
    archive.finish().expect("in memory").into_inner()
}
