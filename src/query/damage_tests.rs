//! Shared by the tests of damaged snapshots: flips bits of a small sound file and truncates it. Reading must then
//! return an error or the answers of the sound file, and must not panic.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::snapshot::SnapshotFile;

/// All answers of a snapshot in one text, or the message of the first refusal.
type Answers = fn(&Path) -> Result<String, String>;

pub struct Damaged {
    _folder: tempfile::TempDir,
    pub path: PathBuf,
    answers: Answers,
}

impl Damaged {
    pub fn of(version: &str, answers: Answers) -> Damaged {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(format!("{version}.daicho"));
        Damaged { _folder: folder, path, answers }
    }

    /// The answers of a file with these bytes.
    pub fn ask(&self, bytes: &[u8]) -> Result<String, String> {
        fs::write(&self.path, bytes).expect("written");
        (self.answers)(&self.path)
    }

    /// Flips one bit in the byte at each of these places, one place at a time. If `unread` is true for the place,
    /// the file may still give answers, which must equal those of the sound file. Returns the answers of the sound
    /// file.
    pub fn flip(
        &self,
        sound: &[u8],
        places: impl Iterator<Item = usize>,
        unread: impl Fn(usize) -> bool,
    ) -> String {
        let expected = self.ask(sound).expect("a sound file answers");
        let name = self.path.file_name().and_then(|name| name.to_str()).expect("a version");
        let file = fs::OpenOptions::new().write(true).open(&self.path).expect("written");
        for place in places {
            let flipped = sound[place] ^ 1 << (place % 8);
            file.write_all_at(&[flipped], place as u64).expect("written");
            let verified = SnapshotFile::open(&self.path).and_then(|file| file.verify());
            assert!(verified.is_err(), "a flipped bit in byte {place} was not noticed");
            match (self.answers)(&self.path) {
                Err(message) => assert!(message.contains(name), "{message}"),
                Ok(found) => assert!(unread(place) && found == expected, "byte {place}: {found}"),
            }
            file.write_all_at(&sound[place..=place], place as u64).expect("written");
        }
        expected
    }

    /// Truncates the file to 0 bytes, `step` bytes, twice `step` and so on.
    pub fn cut(&self, sound: &[u8], step: usize) {
        for length in (0..sound.len()).step_by(step) {
            let found = self.ask(&sound[..length]);
            assert!(found.is_err(), "{length} of {} bytes", sound.len());
        }
    }
}
