//! Bytes of a section that are too many for memory: appended to a file without a name, then read from there.
//!
//! The file goes with the process, however that ends. Whoever reads from front to back holds some megabytes of it. Does
//! not know what the bytes are.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::Path;

use super::blocks::{BLOCK_BYTES, Sums};
use super::map::{Mapping, STRETCH};

/// Bytes that are written at once.
const BUFFER: usize = 1 << 18;

pub struct Spool {
    out: BufWriter<File>,
    /// Of the whole blocks.
    sums: Sums,
    /// Of the block that is not whole yet, and its bytes.
    last: crc32fast::Hasher,
    filled: usize,
}

impl Spool {
    /// Begins with none, in a folder that has room for them.
    pub fn begin(folder: &Path) -> io::Result<Spool> {
        let out = BufWriter::with_capacity(BUFFER, tempfile::tempfile_in(folder)?);
        Ok(Spool { out, sums: Sums::new(), last: crc32fast::Hasher::new(), filled: 0 })
    }

    pub fn append(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        while !bytes.is_empty() {
            let (part, rest) = bytes.split_at(bytes.len().min(BLOCK_BYTES - self.filled));
            self.last.update(part);
            self.filled += part.len();
            if self.filled == BLOCK_BYTES {
                self.end_block();
            }
            bytes = rest;
        }
        Ok(())
    }

    fn end_block(&mut self) {
        self.sums.push(std::mem::take(&mut self.last).finalize());
        self.filled = 0;
    }

    pub fn finish(mut self) -> io::Result<Spooled> {
        if self.filled > 0 {
            self.end_block();
        }
        let file = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(Spooled { bytes: Mapping::of(&file)?, sums: self.sums })
    }
}

/// All the bytes. No more are appended.
pub struct Spooled {
    bytes: Mapping,
    sums: Sums,
}

impl Spooled {
    /// A range; those before it are let go where it ends a stretch.
    #[inline]
    pub fn get(&self, range: Range<usize>) -> &[u8] {
        self.bytes.passed(range.clone());
        &self.bytes.as_ref()[range]
    }

    /// The checksums of the blocks.
    pub fn sums(&self) -> &Sums {
        &self.sums
    }

    /// All of them from front to back; each stretch is let go with the next.
    pub fn stretches(&self) -> impl Iterator<Item = &[u8]> {
        let bytes = self.bytes.as_ref();
        (0..bytes.len()).step_by(STRETCH).map(move |start| {
            self.bytes.let_go(start.saturating_sub(STRETCH)..start);
            &bytes[start..bytes.len().min(start + STRETCH)]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::blocks::sums;
    use super::*;

    #[test]
    fn what_was_appended_reads_back_with_its_checksums() {
        let folder = tempfile::tempdir().expect("a folder");
        let all: Vec<u8> =
            (0..2 * STRETCH + 3 * BLOCK_BYTES + 5).map(|at| (at % 251) as u8).collect();
        for length in [0, 1, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, all.len()] {
            let all = &all[..length];
            let mut spool = Spool::begin(folder.path()).expect("begun");
            for part in all.chunks(BLOCK_BYTES / 3 + 1) {
                spool.append(part).expect("appended");
            }
            let spooled = spool.finish().expect("mapped");
            assert_eq!(spooled.sums(), &sums(all));
            assert!(spooled.stretches().collect::<Vec<_>>().concat() == all, "{length} bytes");
            for _ in 0..2 {
                let mut found = Vec::new();
                for start in (0..length).step_by(77_777) {
                    found.extend_from_slice(spooled.get(start..length.min(start + 77_777)));
                }
                assert!(found == all, "what was let go comes back: {length} bytes");
            }
        }
        let left = std::fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(left, 0, "the file has no name");
    }
}
