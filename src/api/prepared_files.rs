//! Bodies that were written and compressed when they were first asked for, kept until their data change.
//!
//! The files of foreign protocols hold the records of a thousandth of all postal codes, up to 300 KB each: writing and
//! compressing one takes some hundred times as long as sending it. All of them together may be a hundred megabytes, so
//! only `BYTES_MAX` are kept, and the oldest are dropped first.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use super::pipeline::reply::Prepared;
use crate::text::codes::DataVersion;

/// The most bytes that are kept, plain and compressed together.
const BYTES_MAX: usize = 96 << 20;

/// The kind of a file, and its number among those of the kind.
pub type FileName = (&'static str, u32);

/// The data that a file was made from: their version and the fingerprint of their snapshot.
pub type MadeFrom = (DataVersion, u32);

#[derive(Debug, Default)]
pub struct PreparedFiles {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    files: HashMap<FileName, (MadeFrom, Arc<Prepared>)>,
    /// The oldest first.
    order: VecDeque<FileName>,
    bytes: usize,
}

impl PreparedFiles {
    /// The file if it is kept and made from these data.
    pub fn get(&self, name: FileName, made_from: MadeFrom) -> Option<Arc<Prepared>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (from, file) = kept.files.get(&name)?;
        (*from == made_from).then(|| Arc::clone(file))
    }

    /// Keeps a file instead of the one of this name, and drops the oldest files if they are too many.
    pub fn keep(&self, name: FileName, made_from: MadeFrom, file: Arc<Prepared>) {
        self.kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .add(name, made_from, file, BYTES_MAX);
    }
}

impl Kept {
    fn add(&mut self, name: FileName, made_from: MadeFrom, file: Arc<Prepared>, bytes_max: usize) {
        self.bytes += file.bytes();
        match self.files.insert(name, (made_from, file)) {
            Some((_, before)) => self.bytes -= before.bytes(),
            None => self.order.push_back(name),
        }
        while self.bytes > bytes_max {
            let Some(oldest) = self.order.pop_front() else { return };
            if let Some((_, file)) = self.files.remove(&oldest) {
                self.bytes -= file.bytes();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_kept_until_its_data_change_or_newer_ones_need_the_room() {
        let version = |text| DataVersion::parse(text).expect("a date");
        let (may, june) = ((version("2026-05-29"), 1), (version("2026-06-30"), 2));
        let file = || Arc::new(Prepared::new(vec![b'x'; 100]));
        let size = file().bytes();
        let mut kept = Kept::default();
        for number in 0..4 {
            kept.add(("a", number), may, file(), 3 * size);
        }
        assert_eq!(kept.bytes, 3 * size);
        let mut numbers: Vec<u32> = kept.files.keys().map(|(_, number)| *number).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, [1, 2, 3], "the oldest was dropped");
        kept.add(("a", 1), june, file(), 3 * size);
        assert_eq!((kept.files.len(), kept.bytes), (3, 3 * size));
        let files = PreparedFiles { kept: Mutex::new(kept) };
        assert!(files.get(("a", 1), june).is_some());
        for (name, made_from) in [(("a", 1), may), (("a", 0), may), (("b", 1), june)] {
            assert!(files.get(name, made_from).is_none(), "{name:?}");
        }
    }
}
