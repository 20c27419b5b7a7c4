//! Every `unsafe` of the program: the mapping of a file and letting go of its memory, reading an archive that was
//! checked, and a hint to the processor.

use std::{fs::File, io, marker::PhantomData, ops::Range, sync::Arc};

use bytes::Bytes;
use rkyv::{Portable, api::high::HighValidator, bytecheck::CheckBytes, rancor};

/// Bytes to ask for at once: of a longer range a system may read no more than its read-ahead, 128 KB mostly.
const ASKED_BYTES: usize = 128 << 10;

/// Bytes of which a pass from front to back holds one or two in memory.
pub const STRETCH: usize = 1 << 22;

/// A finished file in memory, or a range of one that is finished. These bytes must not be written to or cut while the
/// mapping or its bytes live: a file may only be renamed over.
#[derive(Debug, Clone)]
pub struct Mapping(Arc<memmap2::Mmap>);

impl AsRef<[u8]> for Mapping {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Mapping {
    pub fn of(file: &File) -> io::Result<Mapping> {
        // SAFETY: a mapping is unsound only if the file changes beneath it. The type's documentation forbids
        // that; nothing here could check it.
        #[expect(unsafe_code, reason = "no file mapping can be proved safe")]
        let mapping = unsafe { memmap2::Mmap::map(file)? };
        Ok(Mapping(Arc::new(mapping)))
    }

    /// A range of a file, which may grow behind it.
    pub fn of_range(file: &File, start: u64, length: usize) -> io::Result<Mapping> {
        let mut options = memmap2::MmapOptions::new();
        options.offset(start).len(length);
        // SAFETY: as in `of`, for the bytes of the range; no others can be seen.
        #[expect(unsafe_code, reason = "no file mapping can be proved safe")]
        let mapping = unsafe { options.map(file)? };
        Ok(Mapping(Arc::new(mapping)))
    }

    /// All of it; the mapping lives as long as the bytes.
    pub fn bytes(&self) -> Bytes {
        Bytes::from_owner(self.clone())
    }

    /// Asks the system not to read ahead, since what lies behind a read is not what is read next.
    pub fn expect_random_reads(&self) {
        self.advise(memmap2::Advice::Random, 0..self.0.len());
    }

    /// Asks the system to read a range, all of it at once, before it is touched.
    pub fn prefetch(&self, range: Range<usize>) {
        for start in range.clone().step_by(ASKED_BYTES) {
            let end = range.end.min(start + ASKED_BYTES);
            self.advise(memmap2::Advice::WillNeed, start..end);
        }
    }

    /// Of a pass from front to back that reads this range: lets go of the stretches before the one in which it ends,
    /// once for each, and again of the one before them: a system brings large pages back whole, and this range may
    /// begin in one that was let go.
    #[inline]
    pub fn passed(&self, range: Range<usize>) {
        let stretches = range.start / STRETCH..range.end / STRETCH;
        if !stretches.is_empty() {
            self.let_go(stretches.start.saturating_sub(1) * STRETCH..stretches.end * STRETCH);
        }
    }

    /// Gives the memory of a range back to the system. Where it is touched again, it is read from the file again.
    #[cold]
    pub fn let_go(&self, range: Range<usize>) {
        // SAFETY: the pages of a file that nobody writes come back as they were, and until then nothing is there to
        // be seen: a read waits for them.
        #[expect(unsafe_code, reason = "of other mappings it would clear the content")]
        let let_go = unsafe {
            let advice = memmap2::UncheckedAdvice::DontNeed;
            self.0.unchecked_advise_range(advice, range.start, range.len())
        };
        // A system that does not take advice keeps the memory as long as it likes.
        let _ = let_go;
    }

    fn advise(&self, advice: memmap2::Advice, range: Range<usize>) {
        // A system that does not take advice reads as it always does.
        let _ = self.0.advise_range(advice, range.start, range.len());
    }
}

/// A copy of bytes in anonymous memory, for which the system is asked to use large pages.
pub fn in_large_pages(bytes: &[u8]) -> io::Result<Bytes> {
    let mut copy = memmap2::MmapMut::map_anon(bytes.len().max(1))?;
    // A kernel without large pages refuses, and small ones do as well.
    #[cfg(target_os = "linux")]
    copy.advise(memmap2::Advice::HugePage).ok();
    copy[..bytes.len()].copy_from_slice(bytes);
    Ok(Bytes::from_owner(copy).slice(..bytes.len()))
}

/// Bytes known to hold one archived `T`: checked once, read ever after.
pub struct Section<T> {
    bytes: Bytes,
    root: PhantomData<T>,
}

impl<T> std::fmt::Debug for Section<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Section({} bytes)", self.bytes.len())
    }
}

impl<T> Section<T>
where
    T: Portable + for<'a> CheckBytes<HighValidator<'a, rancor::Error>>,
{
    /// Checks every pointer, length and string. The only constructor.
    pub fn validate(bytes: Bytes) -> Result<Section<T>, rancor::Error> {
        rkyv::access::<T, rancor::Error>(&bytes)?;
        Ok(Section { bytes, root: PhantomData })
    }

    /// The archived value in place: constant time, no allocation.
    pub fn root(&self) -> &T {
        // SAFETY: `validate` accepted these very bytes. `Bytes` is immutable and never moves its
        // storage, so content and alignment still hold.
        #[expect(unsafe_code, reason = "checking again costs O(n) a request")]
        unsafe {
            rkyv::access_unchecked::<T>(&self.bytes)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(value: &Vec<u32>) -> Bytes {
        Bytes::from_owner(rkyv::to_bytes::<rancor::Error>(value).expect("numbers archive"))
    }

    #[test]
    fn a_valid_archive_reads_in_place() {
        let bytes = archive(&vec![1, 2, 3]);
        let section = Section::<rkyv::Archived<Vec<u32>>>::validate(bytes.clone()).expect("valid");
        assert_eq!(section.root().as_slice(), [1, 2, 3]);
        let inside = bytes.as_ptr_range().contains(&section.root().as_ptr().cast());
        assert!(inside, "reads are zero copy");
    }

    #[test]
    fn a_mapping_is_the_file_whatever_is_advised() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let written: Vec<u8> = (0..500_000_u32).map(|at| (at % 251) as u8).collect();
        std::fs::write(file.path(), &written).expect("written");
        let mapping = Mapping::of(file.as_file()).expect("a mapping");
        let bytes = mapping.bytes();
        mapping.expect_random_reads();
        for range in [0..1, 4_095..4_097, 7..500_000, 500_000..500_000, 499_999..600_000] {
            mapping.prefetch(range);
        }
        drop(mapping);
        assert_eq!(bytes, written, "the bytes keep the mapping");
    }

    #[test]
    fn a_copy_in_large_pages_is_the_same_bytes() {
        for length in [0, 1, 4_096, 3 << 20] {
            let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            assert_eq!(in_large_pages(&bytes).expect("memory"), bytes);
        }
    }

    #[test]
    fn cut_or_misplaced_bytes_are_refused() {
        let bytes = archive(&vec![1, 2, 3]);
        for length in 0..bytes.len() {
            let cut = Section::<rkyv::Archived<Vec<u32>>>::validate(bytes.slice(..length));
            assert!(cut.is_err(), "{length} bytes of {}", bytes.len());
        }
        let shifted = Section::<rkyv::Archived<Vec<u32>>>::validate(bytes.slice(1..));
        assert!(shifted.is_err(), "not on its alignment");
    }
}
