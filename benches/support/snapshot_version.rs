//! Changes the data version of a snapshot, to make a newer day with the same content.

/// Writes the version into the header, field 20, and its checksum, field 60; `src/snapshot/layout.rs`
/// describes both. `version` is a date.
pub fn with_version(bytes: &[u8], version: &str) -> Vec<u8> {
    let number: u32 = version.replace('-', "").parse().expect("a date");
    let mut bytes = bytes.to_vec();
    bytes[20..24].copy_from_slice(&number.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[..60]);
    bytes[60..64].copy_from_slice(&checksum.to_le_bytes());
    bytes
}
