//! Selects old files of a dataset's folder for removal: versions beyond the newest ones to keep, and companion
//! files without their snapshot.

use std::io;
use std::path::{Path, PathBuf};

use super::files::{date_of_name, entries};
use super::{companion, layout::EXTENSION};

/// The files to remove if the newest `keep` versions stay. Files with other names are never removed.
pub fn old_files(snapshots: &Path, dataset: &str, keep: usize) -> io::Result<Vec<PathBuf>> {
    let entries = entries(&snapshots.join(dataset))?;
    let is_snapshot = |path: &&PathBuf| date_of_name(path, EXTENSION).is_some();
    let versions: Vec<&PathBuf> = entries.iter().filter(is_snapshot).collect();
    let old = versions.len().saturating_sub(keep);
    let mut files: Vec<PathBuf> = versions.into_iter().take(old).cloned().collect();
    let is_without_snapshot = |path: &&PathBuf| {
        let snapshot = companion::snapshot_of(path);
        snapshot.is_some_and(|snapshot| files.contains(&snapshot) || !snapshot.exists())
    };
    let companions: Vec<PathBuf> = entries.iter().filter(is_without_snapshot).cloned().collect();
    files.extend(companions);
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_newest_versions_and_their_downloads_are_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let postal = folder.path().join("postal");
        let old = |keep| -> Vec<String> {
            let files = old_files(folder.path(), "postal", keep).expect("readable");
            let name =
                |path: PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
            files.into_iter().filter_map(name).collect()
        };
        assert!(old(1).is_empty(), "no folder");
        fs::create_dir(&postal).expect("a folder");
        for name in [
            "2026-04-30.daicho",
            "2026-04-30.kenall.json.xz",
            "2026-05-29.daicho",
            "2026-06-30.daicho",
            "2026-06-30.kenall.json.xz",
            "2020-01-31.kenall.json.xz",
            "notes.daicho",
            "notes.txt",
        ] {
            fs::write(postal.join(name), "").expect("written");
        }
        let orphan = "2020-01-31.kenall.json.xz";
        assert_eq!(old(3), [orphan]);
        assert_eq!(old(2), ["2026-04-30.daicho", orphan, "2026-04-30.kenall.json.xz"]);
        assert_eq!(old(1).len(), 4);
    }
}
