//! Detects the kind of input by its first bytes: a text, a compressed text, a workbook, or a file without a table.
//!
//! File names are ignored: a CSV named .xlsx is a CSV, and vice versa.

use std::io::{self, BufReader, Cursor, Read};

use build_tools::{Decoder, Packing};

use super::error::NormalizeError;
use super::read;

/// Bytes needed for detection; a tar has its magic after the first 256.
const HEAD_BYTES: usize = 512;
const READ_BYTES: usize = 1 << 16;

/// The kind of input, with all its bytes still unread.
pub enum Content {
    Text(Box<dyn Read + Send>),
    /// A text that was compressed; the reader decompresses it.
    Unpacked(Box<dyn Read + Send>),
    /// A zip: a workbook or another archive.
    Zip {
        source: Box<dyn Read + Send>,
        /// Whether the zip itself was compressed. Then the file on disk does not have these bytes.
        compressed: bool,
    },
}

impl Content {
    /// Examines the first bytes; `name` is the input's name in messages.
    pub fn detect(name: &str, mut source: Box<dyn Read + Send>) -> Result<Content, NormalizeError> {
        let failed = |cause| NormalizeError::Read { name: name.to_owned(), cause };
        let head = read_head(&mut source).map_err(failed)?;
        let packing = detect_packing(name, &head)?;
        let whole = Cursor::new(head).chain(source);
        match packing {
            Packing::Zip => return Ok(Content::Zip { source: Box::new(whole), compressed: false }),
            Packing::Plain => return Ok(Content::Text(Box::new(whole))),
            _ => {}
        }
        let whole = BufReader::with_capacity(READ_BYTES, whole);
        let Some(decoder) = Decoder::open(packing, whole) else {
            return Err(unsupported(name, "a packed file", "unpack it"));
        };
        let mut decoder: Box<dyn Read + Send> = Box::new(decoder.map_err(failed)?);
        let head = read_head(&mut decoder).map_err(failed)?;
        let unpacked = Box::new(Cursor::new(head.clone()).chain(decoder));
        match detect_packing(name, &head)? {
            Packing::Zip => Ok(Content::Zip { source: unpacked, compressed: true }),
            Packing::Plain => Ok(Content::Unpacked(unpacked)),
            inner => Err(unsupported(name, &format!("a {} in another", inner.name()), "unpack it")),
        }
    }
}

/// Reads the first bytes, at most up to a line break: a user who types one line at a terminal expects its result at once.
fn read_head(source: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    while head.len() < HEAD_BYTES && !head.contains(&b'\n') {
        if read::append(source, HEAD_BYTES - head.len(), &mut head)? == 0 {
            break;
        }
    }
    Ok(head)
}

/// How a file is compressed, detected from its first bytes; an error for a file that cannot contain text.
fn detect_packing(name: &str, head: &[u8]) -> Result<Packing, NormalizeError> {
    let (found, remedy) = match head {
        [0xd0, 0xcf, 0x11, 0xe0, ..] => {
            ("an old Excel, Word or other Office file (.xls, .doc)", "save it as .xlsx or CSV")
        }
        [b'P', b'A', b'R', b'1', ..] => ("a Parquet file", "write its table as CSV"),
        [b'%', b'P', b'D', b'F', ..] => ("a PDF", "export its table as CSV or .xlsx"),
        [0x89, b'P', b'N', b'G', ..]
        | [0xff, 0xd8, 0xff, ..]
        | [b'G', b'I', b'F', b'8', ..]
        | [b'I', b'I', 0x2a, 0, ..]
        | [b'M', b'M', 0, 0x2a, ..] => ("an image", "save the table as CSV or .xlsx"),
        [b'S', b'Q', b'L', b'i', b't', b'e', b' ', b'f', ..] => {
            ("an SQLite database", "export its table as CSV")
        }
        _ => match Packing::detect(head) {
            Packing::Tar => ("a tar", "unpack it"),
            Packing::Other(found) => (found, "unpack it"),
            packing => return Ok(packing),
        },
    };
    Err(unsupported(name, found, remedy))
}

/// The error for an input that is not a table: what was found, and what the user can do about it.
pub(super) fn unsupported(name: &str, found: &str, remedy: &str) -> NormalizeError {
    let (name, found, remedy) = (name.to_owned(), found.to_owned(), remedy.to_owned());
    NormalizeError::UnsupportedInput { name, found, remedy }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::read::Slow;
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(bytes).expect("memory");
        packed.finish().expect("memory")
    }

    fn read(bytes: Vec<u8>) -> Result<(&'static str, Vec<u8>), NormalizeError> {
        let found = Content::detect("a.csv", Box::new(Slow(Cursor::new(bytes), 1)))?;
        let (kind, mut source) = match found {
            Content::Text(source) => ("text", source),
            Content::Unpacked(source) => ("unpacked", source),
            Content::Zip { source, compressed: false } => ("zip", source),
            Content::Zip { source, compressed: true } => ("compressed zip", source),
        };
        let mut bytes = Vec::new();
        let failed = |cause| NormalizeError::Read { name: String::new(), cause };
        source.read_to_end(&mut bytes).map_err(failed)?;
        Ok((kind, bytes))
    }

    #[test]
    fn the_kind_of_an_input_is_detected_from_its_bytes() {
        #[track_caller]
        fn check(bytes: &[u8], kind: &str, content: &[u8]) {
            let found = read(bytes.to_vec()).expect("it is read");
            assert_eq!((found.0, found.1.as_slice()), (kind, content));
        }
        let text = "住所\n東京都千代田区\n".as_bytes();
        check(b"", "text", b"");
        check(b"P", "text", b"P");
        check(b"PK", "text", b"PK");
        check(text, "text", text);
        check(&gzip(text), "unpacked", text);
        check(&[gzip(b"a\n"), gzip(b"b\n")].concat(), "unpacked", b"a\nb\n");
        check(&gzip(b""), "unpacked", b"");
        check(&zstd::encode_all(text, 1).expect("memory"), "unpacked", text);
        check(&liblzma::encode_all(text, 1).expect("memory"), "unpacked", text);
        check(b"PK\x03\x04x", "zip", b"PK\x03\x04x");
        check(&gzip(b"PK\x03\x04x"), "compressed zip", b"PK\x03\x04x");
    }

    #[test]
    fn files_without_text_are_refused_with_a_remedy() {
        #[track_caller]
        fn check(bytes: &[u8], expected: &str) {
            let message = read(bytes.to_vec()).expect_err("it holds no table").to_string();
            assert!(message.contains(expected), "{message}");
        }
        check(&[0xd0, 0xcf, 0x11, 0xe0, 0xa1], "save it as .xlsx or CSV");
        check(b"PAR1\x15\x04", "found a Parquet file");
        check(b"%PDF-1.7", "found a PDF");
        check(b"\x89PNG\r\n", "found an image");
        check(&[0xff, 0xd8, 0xff, 0xe0], "found an image");
        check(b"SQLite format 3\0", "found an SQLite database");
        check(b"BZh91AY", "found bzip2; unpack it");
        check(b"7z\xbc\xaf\x27", "found 7-Zip; unpack it");
        check(&gzip(&gzip(b"x")), "found a gzip in another");
        check(&gzip(b"%PDF-1.7"), "found a PDF");
    }

    #[test]
    fn a_truncated_stream_is_an_error() {
        let packed = gzip(&b"0123456789".repeat(1_000));
        assert!(read(packed[..packed.len() / 2].to_vec()).is_err());
        assert!(read(packed[..6].to_vec()).is_err());
        let packed = liblzma::encode_all(&b"0123456789".repeat(1_000)[..], 1).expect("memory");
        assert!(read(packed[..packed.len() / 2].to_vec()).is_err());
        let packed = zstd::encode_all(&b"0123456789".repeat(1_000)[..], 1).expect("memory");
        assert!(read(packed[..packed.len() / 2].to_vec()).is_err());
    }
}
