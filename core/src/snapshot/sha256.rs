//! The SHA-256 of a file.

use std::fmt;
use std::io::{self, Read};

use data_encoding::HEXLOWER;
use sha2::Digest;

const BUFFER_BYTES: usize = 1 << 18;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha256([u8; 32]);

impl Sha256 {
    pub fn of(bytes: &[u8]) -> Sha256 {
        Sha256(sha2::Sha256::digest(bytes).into())
    }

    /// The checksum and the length of everything up to the end; `advance` gets the number of bytes of each read.
    pub fn of_reader(
        reader: &mut dyn Read,
        advance: &mut dyn FnMut(u64),
    ) -> io::Result<(Sha256, u64)> {
        let (hasher, length) = Hasher::of_reader(reader, advance)?;
        Ok((hasher.finish(), length))
    }

    pub fn parse(text: &str) -> Option<Sha256> {
        HEXLOWER.decode(text.as_bytes()).ok()?.try_into().ok().map(Sha256)
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&HEXLOWER.encode(&self.0))
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

/// Computes the checksum of bytes that arrive one after the other.
#[derive(Debug, Default, Clone)]
pub struct Hasher(sha2::Sha256);

impl Hasher {
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Reads to the end. Returns the state, to which more bytes can be added, and the length.
    pub fn of_reader(
        reader: &mut dyn Read,
        advance: &mut dyn FnMut(u64),
    ) -> io::Result<(Hasher, u64)> {
        let (mut hasher, mut length) = (Hasher::default(), 0);
        let mut buffer = vec![0; BUFFER_BYTES];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return Ok((hasher, length)),
                Ok(count) => {
                    hasher.update(&buffer[..count]);
                    length += count as u64;
                    advance(count as u64);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub fn finish(self) -> Sha256 {
        Sha256(self.0.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text whose first read is interrupted by a signal.
    struct Interrupted {
        once: bool,
        text: &'static [u8],
    }

    impl Read for Interrupted {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match std::mem::take(&mut self.once) {
                true => Err(io::ErrorKind::Interrupted.into()),
                false => self.text.read(buffer),
            }
        }
    }

    #[test]
    fn a_checksum_reads_back_from_hexadecimal() {
        let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let sum = Sha256::of(b"abc");
        assert_eq!(sum.to_string(), text);
        assert_eq!(Sha256::parse(text), Some(sum));
        let mut counted = 0;
        let read = Sha256::of_reader(&mut &b"abc"[..], &mut |count| counted += count);
        assert_eq!((read.expect("readable"), counted), ((sum, 3), 3));
        let mut interrupted = Interrupted { once: true, text: b"abc" };
        let read = Sha256::of_reader(&mut interrupted, &mut |_| {});
        assert_eq!(read.expect("an interrupted read is repeated"), (sum, 3));
        for wrong in ["", "ab", &text.to_uppercase(), &text[..63], &format!("{text}00"), "../x"] {
            assert_eq!(Sha256::parse(wrong), None, "{wrong}");
        }
    }
}
