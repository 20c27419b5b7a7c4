//! The kept editions of source files, `SNAPSHOTS/sources/DATASET/EDITION/`: the manifest of each, with origin, size and
//! checksum of its files. Repairs what an interrupted update left, and removes old editions.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::{Timestamp, civil::Date};
use serde_json::{Value, json};

use super::error::{Result, UpdateError};
use crate::calendar::date_in_japan;
use crate::snapshot::files::{dated_entries, if_exists};
use crate::snapshot::unfinished;
use crate::snapshot::unfinished::{IN_SNAPSHOTS, remove_left_over};
use crate::text::codes::DataVersion;

/// The folder for source files, below the snapshot folder.
pub const SOURCES_FOLDER: &str = "sources";

const FILE_NAME: &str = "manifest.json";

const FORMAT: u64 = 1;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    pub edition: DataVersion,
    pub files: Vec<SourceFile>,
    /// Whether a snapshot was built from them.
    pub is_built: bool,
}

/// A downloaded and verified source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Its role in the dataset, such as `area`.
    pub role: String,
    pub name: String,
    pub path: PathBuf,
    pub url: String,
    pub fetched: Timestamp,
    pub bytes: u64,
    pub sha256: String,
    pub last_modified: Option<String>,
    pub etag: Option<String>,
    /// Lines of a CSV, with its header; `None` for other files.
    pub rows: Option<u64>,
}

impl SourceFile {
    /// The day of the download, Japan time.
    pub fn fetched_on(&self) -> Date {
        date_in_japan(self.fetched)
    }
}

impl Manifest {
    /// Reads the manifest of a folder; `None` if there is no readable one.
    pub fn read(folder: &Path) -> Result<Option<Manifest>> {
        let path = folder.join(FILE_NAME);
        let text = if_exists(fs::read(&path)).map_err(|cause| UpdateError::io(&path, cause))?;
        Ok(text.and_then(|text| Manifest::parse(folder, &text)))
    }

    pub fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(FILE_NAME);
        let files = self.files.iter().map(|file| {
            json!({
                "role": file.role,
                "name": file.name,
                "url": file.url,
                "fetched": format!("{:.0}", file.fetched),
                "bytes": file.bytes,
                "sha256": file.sha256,
                "last_modified": file.last_modified,
                "etag": file.etag,
                "rows": file.rows,
            })
        });
        let value = json!({
            "format": FORMAT,
            "edition": self.edition.to_string(),
            "built": self.is_built,
            "files": files.collect::<Vec<_>>(),
        });
        let text = format!("{value:#}\n");
        unfinished::write_whole(&path, |out| out.write_all(text.as_bytes()))
            .map_err(|cause| UpdateError::io(&path, cause))?;
        Ok(())
    }

    pub fn file(&self, role: &str) -> Option<&SourceFile> {
        self.files.iter().find(|file| file.role == role)
    }

    fn parse(folder: &Path, text: &[u8]) -> Option<Manifest> {
        let value: Value = serde_json::from_slice(text).ok()?;
        if value["format"].as_u64() != Some(FORMAT) {
            return None;
        }
        let files = value["files"].as_array()?.iter().map(|file| {
            let text = |key: &str| file[key].as_str().map(str::to_owned);
            let name = text("name").filter(|name| is_plain_name(name))?;
            Some(SourceFile {
                role: text("role")?,
                path: folder.join(&name),
                name,
                url: text("url")?,
                fetched: file["fetched"].as_str()?.parse().ok()?,
                bytes: file["bytes"].as_u64()?,
                sha256: text("sha256")?,
                last_modified: text("last_modified"),
                etag: text("etag"),
                rows: file["rows"].as_u64(),
            })
        });
        Some(Manifest {
            edition: DataVersion::parse(value["edition"].as_str()?).ok()?,
            files: files.collect::<Option<_>>()?,
            is_built: value["built"].as_bool()?,
        })
    }
}

/// The manifests of the editions from which snapshots were built, oldest first. `folder` is the dataset's.
pub fn built_editions(folder: &Path) -> Result<Vec<Manifest>> {
    let editions = edition_folders(folder)?;
    let manifests = editions.iter().map(|(_, path)| Manifest::read(path));
    let manifests = manifests.collect::<Result<Vec<_>, _>>()?;
    Ok(manifests.into_iter().flatten().filter(|manifest| manifest.is_built).collect())
}

/// The folders of editions, oldest first; none if there is no folder.
fn edition_folders(folder: &Path) -> Result<Vec<(DataVersion, PathBuf)>> {
    dated_entries(folder, "").map_err(|cause| UpdateError::io(folder, cause))
}

/// Repairs what an interrupted update left: half-written manifests, and the missing record that a snapshot was
/// built, which is written after the snapshot.
pub fn recover(folder: &Path, installed: Option<DataVersion>) -> Result<()> {
    for (version, path) in edition_folders(folder)? {
        remove_left_over(&path, IN_SNAPSHOTS).map_err(|cause| UpdateError::io(&path, cause))?;
        if Some(version) != installed {
            continue;
        }
        if let Some(manifest) = Manifest::read(&path)?.filter(|manifest| !manifest.is_built) {
            Manifest { is_built: true, ..manifest }.write(&path)?;
        }
    }
    Ok(())
}

/// Removes the source files of all but the newest `keep` editions from which snapshots were built. Returns the removed
/// folders.
pub fn prune(folder: &Path, keep: usize) -> Result<Vec<PathBuf>> {
    let built = built_editions(folder)?;
    let Some(oldest) = built.get(built.len().saturating_sub(keep)) else { return Ok(Vec::new()) };
    let mut removed = Vec::new();
    for (version, path) in edition_folders(folder)? {
        if version < oldest.edition {
            fs::remove_dir_all(&path).map_err(|cause| UpdateError::io(&path, cause))?;
            removed.push(path);
        }
    }
    Ok(removed)
}

/// Whether a name from an untrusted source is a plain file name, which cannot lead out of the folder.
pub fn is_plain_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    !name.is_empty() && name.len() <= 200 && !name.starts_with('.') && name.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_manifest_reads_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let manifest = Manifest {
            edition: DataVersion::parse("2026-05-29").expect("a date"),
            files: vec![SourceFile {
                role: "area".to_owned(),
                name: "utf_ken_all.zip".to_owned(),
                path: folder.path().join("utf_ken_all.zip"),
                url: "https://a.jp/utf_ken_all.zip".to_owned(),
                fetched: "2026-06-01T00:00:05Z".parse().expect("a time"),
                bytes: 2_032_597,
                sha256: "ab".repeat(32),
                last_modified: Some("Fri, 29 May 2026 00:00:00 GMT".to_owned()),
                etag: None,
                rows: Some(124_511),
            }],
            is_built: true,
        };
        manifest.write(folder.path()).expect("written");
        assert_eq!(Manifest::read(folder.path()).expect("readable"), Some(manifest));
        let text = fs::read_to_string(folder.path().join(FILE_NAME)).expect("written");
        for (from, to) in [
            ("utf_ken_all.zip\"", "../../x\""),
            ("\"format\": 1", "\"format\": 2"),
            ("2026-05-29", "2026-02-30"),
            ("2032597", "-1"),
            ("{", "["),
        ] {
            fs::write(folder.path().join(FILE_NAME), text.replace(from, to)).expect("written");
            assert_eq!(Manifest::read(folder.path()).expect("readable"), None, "{to}");
        }
        fs::write(folder.path().join(FILE_NAME), b"\xff{}").expect("written");
        assert_eq!(Manifest::read(folder.path()).expect("readable"), None, "not UTF-8");
    }

    #[test]
    fn file_names_cannot_leave_their_folder() {
        for (name, plain) in [
            ("diff_20260821.zip", true),
            ("20260825-mxt_chousa01-000011635_2-1.csv", true),
            ("../a.zip", false),
            ("a/b.zip", false),
            ("a\\b.zip", false),
            (".unfinished-a", false),
            ("a b.zip", false),
            ("", false),
        ] {
            assert_eq!(is_plain_name(name), plain, "{name:?}");
        }
    }
}
