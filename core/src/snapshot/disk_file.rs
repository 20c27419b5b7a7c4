//! The file of a snapshot on disk: read into memory at any place, or mapped. It has the length that it had when it was
//! opened; a file that is shorter or longer later was changed in place, which is an error wherever it is noticed.

use std::fs::File;
use std::path::Path;
use std::sync::OnceLock;

use super::layout::Fault;
use super::map::Mapping;
use crate::system::reading::{Links, expect_random_reads, open_regular, read_exact_at};

#[derive(Debug)]
pub struct DiskFile {
    file: File,
    length: u64,
    mapping: OnceLock<Mapping>,
}

impl DiskFile {
    /// Opens a regular file; a link is refused.
    pub fn open(path: &Path) -> Result<DiskFile, Fault> {
        let file = open_regular(path, Links::Refused)?;
        let length = file.metadata()?.len();
        Ok(DiskFile { file, length, mapping: OnceLock::new() })
    }

    /// In bytes, when it was opened.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Fills the buffer from this offset on.
    pub fn read(&self, buffer: &mut [u8], offset: usize) -> Result<(), Fault> {
        read_exact_at(&self.file, buffer, offset as u64).map_err(|error| {
            let found = self.file.metadata().map_or(self.length, |now| now.len());
            match found == self.length {
                true => Fault::Io(error),
                false => Fault::Length { expected: self.length, found },
            }
        })
    }

    /// The mapping of the whole file, which the first call makes. `random_access` disables the system's read-ahead.
    pub fn mapping(&self, random_access: bool) -> Result<&Mapping, Fault> {
        if let Some(mapping) = self.mapping.get() {
            return Ok(mapping);
        }
        let mapping = Mapping::new(&self.file)?;
        let (expected, found) = (self.length, mapping.as_ref().len() as u64);
        if expected != found {
            return Err(Fault::Length { expected, found });
        }
        if random_access {
            mapping.expect_random_reads();
        }
        Ok(self.mapping.get_or_init(|| mapping))
    }

    #[cfg(test)]
    pub fn is_mapped(&self) -> bool {
        self.mapping.get().is_some()
    }

    /// Makes the system read exactly the bytes that are asked for.
    pub fn expect_random_reads(&self) {
        expect_random_reads(&self.file);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// The flags of the mappings of a file in this process, as the kernel names them.
    fn flags_of(path: &Path) -> String {
        let maps = std::fs::read_to_string("/proc/self/smaps").expect("Linux has it");
        let name = path.to_str().expect("UTF-8");
        let of_file = maps.lines().skip_while(|line| !line.ends_with(name));
        let flags = of_file.into_iter().find_map(|line| line.strip_prefix("VmFlags:"));
        flags.expect("it is mapped").to_owned()
    }

    #[test]
    fn a_mapping_for_random_access_has_no_read_ahead() {
        for (random_access, expected) in [(true, true), (false, false)] {
            let written = tempfile::NamedTempFile::new().expect("a file");
            std::fs::write(written.path(), vec![7; 1 << 20]).expect("written");
            let file = DiskFile::open(written.path()).expect("a regular file");
            file.mapping(random_access).expect("mapped");
            let flags = flags_of(written.path());
            assert_eq!(flags.split(' ').any(|flag| flag == "rr"), expected, "{flags}");
        }
    }
}
