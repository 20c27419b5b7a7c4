//! Every `unsafe` of the program: the mapping of a file, reading an archive that was checked, and a hint
//! to the processor.

use std::{fs::File, io, marker::PhantomData};

use bytes::Bytes;
use rkyv::{Portable, api::high::HighValidator, bytecheck::CheckBytes, rancor};

/// Maps a finished file. It must not be written to or cut while the bytes live: only renamed over.
pub fn map(file: &File) -> io::Result<Bytes> {
    // SAFETY: a mapping is unsound only if the file changes beneath it. The function's documentation forbids
    // that; nothing here could check it.
    #[expect(unsafe_code, reason = "no file mapping can be proved safe")]
    let mapping = unsafe { memmap2::Mmap::map(file)? };
    Ok(Bytes::from_owner(mapping))
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
