//! Shared by the tests of damaged snapshots: flips bits of a small sound file and truncates it. Reading must then
//! return an error or the answers of the sound file, and must not panic.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::snapshot::SnapshotFile;

/// All answers of a snapshot in one text, or the message of the first refusal.
type Answers = fn(&Path) -> Result<String, String>;

/// A snapshot file that a test damages, and how it is asked for all answers.
pub struct DamageTest {
    _folder: tempfile::TempDir,
    pub path: PathBuf,
    answers: Answers,
}

impl DamageTest {
    pub fn new(version: &str, answers: Answers) -> DamageTest {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(format!("{version}.daicho"));
        DamageTest { _folder: folder, path, answers }
    }

    /// The answers of a file with these bytes.
    pub fn answers_of(&self, bytes: &[u8]) -> Result<String, String> {
        fs::write(&self.path, bytes).expect("written");
        (self.answers)(&self.path)
    }

    /// Flips one bit in the byte at each of these offsets, one at a time. If `is_unread` is true for the offset, the
    /// file may still give answers, which must equal the answers of the sound file. Returns the answers of the sound
    /// file.
    pub fn flip_bits(
        &self,
        sound: &[u8],
        offsets: impl Iterator<Item = usize>,
        is_unread: impl Fn(usize) -> bool,
    ) -> String {
        let expected = self.answers_of(sound).expect("a sound file answers");
        let name = self.path.file_name().and_then(|name| name.to_str()).expect("a version");
        let file = fs::OpenOptions::new().write(true).open(&self.path).expect("written");
        for offset in offsets {
            let flipped = sound[offset] ^ 1 << (offset % 8);
            file.write_all_at(&[flipped], offset as u64).expect("written");
            let verified = SnapshotFile::open(&self.path).and_then(|file| file.verify());
            assert!(verified.is_err(), "a flipped bit in byte {offset} was not noticed");
            match (self.answers)(&self.path) {
                Err(message) => assert!(message.contains(name), "{message}"),
                Ok(found) => {
                    assert!(is_unread(offset) && found == expected, "byte {offset}: {found}")
                }
            }
            file.write_all_at(&sound[offset..=offset], offset as u64).expect("written");
        }
        expected
    }

    /// Truncates the file to 0 bytes, `step` bytes, twice `step` and so on.
    pub fn truncate(&self, sound: &[u8], step: usize) {
        for length in (0..sound.len()).step_by(step) {
            let found = self.answers_of(&sound[..length]);
            assert!(found.is_err(), "{length} of {} bytes", sound.len());
        }
    }
}
