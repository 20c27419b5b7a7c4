//! Checks the download of a snapshot before it is published: it is read to its end, which compares its checksums, and
//! must be of the same version.

use std::io::{self, BufReader, Read};
use std::path::Path;

use liblzma::read::XzDecoder;
use liblzma::stream::{CONCATENATED, Stream};

use crate::json::open_data;
use crate::system::reading::{Links, open_regular};
use crate::text::codes::DataVersion;

/// The downloads that builds write need less than a tenth of it to be unpacked.
const MEMORY_MAX: u64 = 256 << 20;

/// A download has about 70 MB when unpacked.
const UNPACKED_BYTES_MAX: u64 = 2 << 30;

const BUFFER_BYTES: usize = 1 << 18;

/// Fails if the file is not a whole .xz of the records of this version.
pub fn check_download(path: &Path, version: DataVersion) -> io::Result<()> {
    let file = BufReader::new(open_regular(path, Links::Refused)?);
    let stream = Stream::new_stream_decoder(MEMORY_MAX, CONCATENATED)?;
    let mut unpacked = XzDecoder::new_stream(file, stream).take(UNPACKED_BYTES_MAX + 1);
    let mut expected = Vec::new();
    open_data(&mut expected, version);
    let mut start = vec![0; expected.len()];
    unpacked.read_exact(&mut start).map_err(|error| not_whole(&error))?;
    if start != expected {
        return Err(invalid(format!("expected the records of {version}, found other content")));
    }
    let mut buffer = vec![0; BUFFER_BYTES];
    while unpacked.read(&mut buffer).map_err(|error| not_whole(&error))? > 0 {}
    if unpacked.limit() == 0 {
        let found = format!("expected at most {UNPACKED_BYTES_MAX} unpacked bytes, found more");
        return Err(invalid(found));
    }
    Ok(())
}

fn not_whole(cause: &io::Error) -> io::Error {
    invalid(format!("expected a whole .xz, found a damaged one ({cause})"))
}

fn invalid(found: String) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("{found}; copy it again, or remove it: a snapshot needs no download"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_download_of_the_version_is_accepted() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("2026-06-30.kenall.json.xz");
        let version = DataVersion::parse("2026-06-30").expect("a date");
        let packed = |text: &str| liblzma::encode_all(text.as_bytes(), 1).expect("in memory");
        let whole = packed("{\"version\":\"2026-06-30\",\"data\":[]}");
        let other = packed("{\"version\":\"2026-05-29\",\"data\":[]}");
        // In the checksum of the content, before the index and the end.
        let mut flipped = whole.clone();
        flipped[whole.len() - 24] ^= 1;
        for (bytes, expected) in [
            (&whole[..], None),
            (&other, Some("expected the records of 2026-06-30")),
            (&flipped, Some("found a damaged one")),
            (&whole[..whole.len() - 4], Some("found a damaged one")),
            (b"secret", Some("found a damaged one")),
            (b"", Some("found a damaged one")),
        ] {
            std::fs::write(&path, bytes).expect("written");
            let found = check_download(&path, version).map_err(|error| error.to_string());
            match (found, expected) {
                (Ok(()), None) => {}
                (Err(message), Some(expected)) if message.contains(expected) => {}
                (found, _) => panic!("{expected:?}: {found:?}"),
            }
        }
    }
}
