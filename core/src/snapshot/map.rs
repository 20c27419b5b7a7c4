//! All `unsafe` code of the program: mapping files, releasing their memory, prefetching, reading validated archives.
//!
//! Two kinds of bytes are kept apart. [`OwnMemory`] belongs to this process alone, so what was checked stays checked: an
//! archive is read there without further checks. A [`Mapping`] shows a file that another program can write to, although
//! none should: its readers get bytes and nothing else, and check every value at each use. What this file cannot prevent
//! is that a mapped file is truncated: an access to the missing pages ends the process with SIGBUS.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::{fs::File, io, marker::PhantomData, ops::Range};

use bytes::Bytes;
#[cfg(unix)]
use memmap2::Advice;
use rkyv::{Portable, api::high::HighValidator, bytecheck::CheckBytes, rancor, util::AlignedVec};

/// Bytes per prefetch call: of a longer range, the system may read no more than its read-ahead size, usually this.
const PREFETCH_BYTES: usize = 128 << 10;

/// A sequential pass releases memory in chunks of so many bytes, and holds one or two of them.
pub const RELEASE_CHUNK: usize = 1 << 22;

/// Reads in no order release the pages that they mapped after they moved to another large page so many times.
const MOVES_PER_RELEASE: u32 = 64;

/// Bytes of a large page of most processors: one read may map so many.
const LARGE_PAGE: usize = 2 << 20;

/// Windows takes no advice of this kind.
#[cfg(windows)]
enum Advice {
    Random,
    WillNeed,
}

/// A mapped file, or a mapped range of one, that is completely written. While the mapping or its bytes live, the file
/// must not be truncated, and should not be written to: it may only be replaced by renaming another over it.
#[derive(Debug, Clone)]
pub struct Mapping(Arc<memmap2::Mmap>);

impl AsRef<[u8]> for Mapping {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Mapping {
    pub fn new(file: &File) -> io::Result<Mapping> {
        // SAFETY: the file may change only by a program that writes to it in place, which the type's documentation
        // forbids and nothing can prevent. If one does, readers see other bytes. They are handed out as `u8`, for which
        // every content is valid, and no reader relies on an earlier check of them: `Blocks` gives ranges inside the
        // mapping, whose length is fixed, and its readers check every number, length and text that they read from it.
        #[expect(unsafe_code, reason = "no file mapping can be proved safe")]
        let mapping = unsafe { memmap2::Mmap::map(file)? };
        Ok(Mapping(Arc::new(mapping)))
    }

    /// All the bytes; they keep the mapping alive.
    pub fn bytes(&self) -> Bytes {
        Bytes::from_owner(self.clone())
    }

    /// Disables the system's read-ahead: the bytes after a read are not the ones read next.
    pub fn expect_random_reads(&self) {
        self.advise(Advice::Random, 0..self.0.len());
    }

    /// Asks the system to read a whole range before it is accessed.
    pub fn prefetch(&self, range: Range<usize>) {
        for start in range.clone().step_by(PREFETCH_BYTES) {
            let end = range.end.min(start + PREFETCH_BYTES);
            self.advise(Advice::WillNeed, start..end);
        }
    }

    /// For a sequential pass that reads this range: releases the chunks before the one in which the range ends, each
    /// once, and the chunk before them a second time. The system reads large pages back whole, and this range may begin
    /// in a page that was released already.
    #[inline]
    pub fn release_before(&self, range: Range<usize>) {
        let chunks = range.start / RELEASE_CHUNK..range.end / RELEASE_CHUNK;
        if !chunks.is_empty() {
            let start = chunks.start.saturating_sub(1) * RELEASE_CHUNK;
            self.release(start..chunks.end * RELEASE_CHUNK);
        }
    }

    /// Returns the memory of a range to the system. The next access reads it from the file again. A part of the range
    /// beyond the mapping is ignored.
    #[cold]
    pub fn release(&self, range: Range<usize>) {
        let end = range.end.min(self.0.len());
        let start = range.start.min(end);
        // SAFETY: the range is inside this mapping, whose last page belongs to it alone, so no other memory is
        // affected. Nobody writes to the file, so its pages come back unchanged; until then an access waits and sees
        // no other content.
        #[cfg(unix)]
        #[expect(unsafe_code, reason = "of other mappings it would clear the content")]
        let advised = unsafe {
            let advice = memmap2::UncheckedAdvice::DontNeed;
            self.0.unchecked_advise_range(advice, start, end - start)
        };
        // Windows releases pages by itself, once programs need the memory.
        #[cfg(windows)]
        let advised = (start, end);
        // Only advice: a system that ignores it keeps the memory.
        let _ = advised;
    }

    fn advise(&self, advice: Advice, range: Range<usize>) {
        // Only advice: a system that ignores it reads as usual.
        #[cfg(unix)]
        let _ = self.0.advise_range(advice, range.start, range.len());
        #[cfg(windows)]
        let _ = (advice, range);
    }
}

/// Bounds the memory of reads in no order, which [`Mapping::release_before`] does not know.
#[derive(Debug, Default)]
pub struct RandomReads {
    /// The large page of the last read.
    page: AtomicUsize,
    moves: AtomicU32,
}

impl RandomReads {
    /// Counts a read at this offset of a part of a mapping before it happens; releases the part's pages at every 64th that
    /// is not in the same large page as the one before. So reads in ascending order release few pages and read none again.
    pub fn count(&self, mapping: &Mapping, part: Range<usize>, offset: usize) {
        let page = offset / LARGE_PAGE;
        if self.page.swap(page, Ordering::Relaxed) != page
            && self.moves.fetch_add(1, Ordering::Relaxed).is_multiple_of(MOVES_PER_RELEASE)
        {
            mapping.release(part);
        }
    }
}

/// Asks the processor to load these values into its cache, without waiting: for values that are needed after some other
/// work. Does nothing on other processors than x86-64, for which Rust has no stable instruction.
#[inline]
pub fn prefetch_to_cache<T>(values: &[T]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        /// Bytes that the processor loads at once.
        const CACHE_LINE: usize = 64;
        let start = values.as_ptr().cast::<i8>();
        for offset in (0..size_of_val(values)).step_by(CACHE_LINE) {
            // SAFETY: the instruction changes nothing that the program can see, and never faults.
            #[expect(unsafe_code, reason = "safe Rust has no prefetch")]
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(offset));
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = values;
}

/// Bytes in memory of this process: no file shows them, and nothing writes to them any more. Aligned as archives need.
#[derive(Debug, Clone)]
pub struct OwnMemory(Bytes);

impl OwnMemory {
    /// Anonymous memory of this length, after `fill` has written its bytes. It is read-only from then on.
    pub fn filled<E: From<io::Error>>(
        length: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<OwnMemory, E> {
        let mut memory = memmap2::MmapMut::map_anon(length.max(1))?;
        // Filling large pages takes a third less time. A kernel without them refuses; normal pages work too.
        #[cfg(target_os = "linux")]
        let _ = (length >= LARGE_PAGE).then(|| memory.advise(memmap2::Advice::HugePage));
        fill(&mut memory[..length])?;
        let memory = memory.make_read_only()?;
        Ok(OwnMemory(Bytes::from_owner(memory).slice(..length)))
    }

    pub fn of(bytes: AlignedVec) -> OwnMemory {
        OwnMemory(Bytes::from_owner(bytes))
    }

    pub fn slice(&self, range: Range<usize>) -> OwnMemory {
        OwnMemory(self.0.slice(range))
    }

    /// The bytes, which keep the memory alive.
    pub fn into_bytes(self) -> Bytes {
        self.0
    }
}

impl AsRef<[u8]> for OwnMemory {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// An archived type whose bytes can be validated.
pub trait Validated: Portable + for<'a> CheckBytes<HighValidator<'a, rancor::Error>> {}

impl<T: Portable + for<'a> CheckBytes<HighValidator<'a, rancor::Error>>> Validated for T {}

/// Bytes that hold a valid archived `T`: validated once, then read without checks.
#[derive(derive_more::Debug)]
#[debug("Section({} bytes)", bytes.0.len())]
pub struct Section<T> {
    bytes: OwnMemory,
    root: PhantomData<T>,
}

impl<T: Validated> Section<T> {
    /// Checks every pointer, length and string. The only constructor.
    pub fn validate(bytes: OwnMemory) -> Result<Section<T>, rancor::Error> {
        rkyv::access::<T, rancor::Error>(bytes.as_ref())?;
        Ok(Section { bytes, root: PhantomData })
    }

    /// The archived value in place: constant time, no allocation.
    pub fn root(&self) -> &T {
        // SAFETY: `validate` accepted exactly these bytes. They are memory of this process alone (`OwnMemory`), which no
        // file shows and nothing writes to, and `Bytes` never moves it. So content and alignment still hold.
        #[expect(unsafe_code, reason = "checking again costs O(n) a request")]
        unsafe {
            rkyv::access_unchecked::<T>(self.bytes.as_ref())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(value: &Vec<u32>) -> OwnMemory {
        OwnMemory::of(rkyv::to_bytes::<rancor::Error>(value).expect("numbers archive"))
    }

    #[test]
    fn a_valid_archive_reads_in_place() {
        let bytes = archive(&vec![1, 2, 3]);
        let section = Section::<rkyv::Archived<Vec<u32>>>::validate(bytes.clone()).expect("valid");
        assert_eq!(section.root().as_slice(), [1, 2, 3]);
        let inside = bytes.as_ref().as_ptr_range().contains(&section.root().as_ptr().cast());
        assert!(inside, "the bytes are not copied");
    }

    #[test]
    fn advice_does_not_change_the_bytes_of_a_mapping() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let written: Vec<u8> = (0..500_000_u32).map(|at| (at % 251) as u8).collect();
        std::fs::write(file.path(), &written).expect("written");
        let mapping = Mapping::new(file.as_file()).expect("a mapping");
        let bytes = mapping.bytes();
        mapping.expect_random_reads();
        for range in [0..1, 4_095..4_097, 7..500_000, 500_000..500_000, 499_999..600_000] {
            mapping.prefetch(range.clone());
            mapping.release(range);
        }
        mapping.release(7..usize::MAX);
        mapping.release(600_000..700_000);
        drop(mapping);
        assert_eq!(bytes, written, "the bytes keep the mapping alive");
    }

    #[test]
    fn prefetching_to_the_cache_changes_no_values() {
        for length in [0_u16, 1, 31, 32, 33, 1_000] {
            let values: Vec<u16> = (0..length).collect();
            prefetch_to_cache(&values);
            assert!(values.iter().copied().eq(0..length));
        }
    }

    #[test]
    fn own_memory_has_the_bytes_it_was_filled_with() {
        for length in [0, 1, 4_096, LARGE_PAGE - 1, 2 * LARGE_PAGE + 1] {
            let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let filled = OwnMemory::filled(length, |memory| {
                memory.copy_from_slice(&bytes);
                io::Result::Ok(())
            });
            assert_eq!(filled.expect("memory").as_ref(), bytes);
        }
        let refused = OwnMemory::filled(9, |_memory| Err(io::Error::other("unreadable")));
        assert_eq!(refused.expect_err("not filled").to_string(), "unreadable");
    }

    #[test]
    fn truncated_or_misaligned_bytes_are_refused() {
        let bytes = archive(&vec![1, 2, 3]);
        let whole = bytes.as_ref().len();
        for length in 0..whole {
            let cut = Section::<rkyv::Archived<Vec<u32>>>::validate(bytes.slice(0..length));
            assert!(cut.is_err(), "{length} bytes of {whole}");
        }
        let shifted = Section::<rkyv::Archived<Vec<u32>>>::validate(bytes.slice(1..whole));
        assert!(shifted.is_err(), "misaligned bytes");
    }
}
