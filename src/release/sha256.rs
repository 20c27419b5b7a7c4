//! The files of releases in the object store: each is named by its SHA-256.

pub use crate::snapshot::sha256::{Hasher, Sha256};

/// The folder of the files in the object store.
pub const FOLDER: &str = "files/sha256";

/// The name of the object that holds the file with this checksum.
pub fn object_name(sha256: Sha256) -> String {
    format!("{FOLDER}/{sha256}")
}

/// The checksum in an object name; `None` for other objects.
pub fn from_object_name(name: &str) -> Option<Sha256> {
    Sha256::parse(name.strip_prefix(FOLDER)?.strip_prefix('/')?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_reads_back_from_an_object_name() {
        let sum = Sha256::of(b"abc");
        let name = object_name(sum);
        assert_eq!(from_object_name(&name), Some(sum));
        for other in [format!("{name}0"), name.replace("files/", "file/"), format!("{FOLDER}{sum}")]
        {
            assert_eq!(from_object_name(&other), None, "{other}");
        }
    }
}
