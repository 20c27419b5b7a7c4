//! Converts a text to UTF-8 while it is read. For encodings whose bytes cannot be split as they are: in UTF-16 and
//! ISO-2022-JP, a byte that looks like a comma may be half a letter.
//!
//! Bytes that are invalid are an error: a replacement would lose them, because the output is encoded again.

use std::io::{self, Read};

use encoding_rs::{Decoder, DecoderResult};

use super::encoding::Encoding;

const READ_BYTES: usize = 64 << 10;

pub struct Transcoder {
    source: Box<dyn Read + Send>,
    decoder: Decoder,
    encoding: Encoding,
    bytes: Vec<u8>,
    text: String,
    /// How many bytes of the text were handed out.
    position: usize,
    /// How many bytes of the source were decoded.
    offset: u64,
    ended: bool,
}

impl Transcoder {
    /// `decoder` is that of the encoding.
    pub fn new(encoding: Encoding, decoder: Decoder, source: Box<dyn Read + Send>) -> Transcoder {
        Transcoder {
            source,
            decoder,
            encoding,
            bytes: vec![0; READ_BYTES],
            text: String::new(),
            position: 0,
            offset: 0,
            ended: false,
        }
    }

    fn decode_more(&mut self) -> io::Result<()> {
        let read = self.source.read(&mut self.bytes)?;
        self.text.clear();
        self.position = 0;
        self.ended = read == 0;
        let mut bytes = &self.bytes[..read];
        loop {
            self.text.reserve(bytes.len() * 3 + 16);
            let (result, decoded) = self.decoder.decode_to_string_without_replacement(
                bytes,
                &mut self.text,
                self.ended,
            );
            self.offset += decoded as u64;
            bytes = &bytes[decoded..];
            match result {
                DecoderResult::InputEmpty => return Ok(()),
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(..) => {
                    let name = self.encoding.name();
                    return Err(io::Error::new(
                        io::ErrorKind::InvalidData,
                        format!(
                            "expected {name}; found invalid bytes before byte {}; save it as UTF-8, or name \
                             another --encoding",
                            self.offset + 1
                        ),
                    ));
                }
            }
        }
    }
}

impl Read for Transcoder {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.position == self.text.len() && !self.ended {
            self.decode_more()?;
        }
        let rest = &self.text.as_bytes()[self.position..];
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.position += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::encoding::Unmappable;
    use crate::normalize::read::Slow;
    use std::io::Cursor;

    fn transcoder(encoding: Encoding, source: Box<dyn Read + Send>) -> Transcoder {
        Transcoder::new(encoding, encoding.decoder().expect("no UTF-8"), source)
    }

    #[test]
    fn a_text_is_decoded_with_any_size_of_reads() {
        let text = "番号,住所\r\n1,東京都ｱ😀\n".repeat(3);
        for encoding in [Encoding::Utf16Le, Encoding::Utf16Be, Encoding::Iso2022Jp] {
            let text = if encoding.is_utf16() { text.clone() } else { text.replace('😀', "") };
            let mut bytes = Vec::new();
            encoding.encode(&text, &mut bytes, &mut Unmappable::default());
            for size in [1, 2, 3, 7, 1_000] {
                let source = Box::new(Slow(Cursor::new(bytes.clone()), size));
                let mut read = String::new();
                transcoder(encoding, source).read_to_string(&mut read).expect("valid");
                assert_eq!(read, text, "{encoding:?} {size}");
            }
        }
    }

    #[test]
    fn invalid_bytes_are_an_error() {
        for (encoding, bytes) in [
            (Encoding::Utf16Le, &b"a\0\0\xd8b\0"[..]),
            (Encoding::Utf16Le, b"a\0b"),
            (Encoding::Iso2022Jp, b"a\x1b$B\xff\xff"),
        ] {
            let mut text = String::new();
            let source = Box::new(Cursor::new(bytes.to_vec()));
            let error = transcoder(encoding, source).read_to_string(&mut text);
            let message = error.expect_err("invalid").to_string();
            assert!(message.contains(encoding.name()), "{message}");
        }
    }
}
