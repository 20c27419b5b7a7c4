//! The folder of corrections: its files, read as a whole. A reload reads changed files again; if one of them is wrong, the
//! corrections that were read before stay in use, all of them, since files may refer to each other.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use super::declared::CorrectedFile;
use super::fault::Fault;
use super::read::{BYTES_MAX, read};
use super::row::Rows;
use crate::calendar::OwnHolidays;
use crate::snapshot::files::{FileStamp, entries};
use crate::system::reading::{Links, open_regular};

/// The operator's own holidays, in the same folder. They have a format of their own, and no dataset.
pub const HOLIDAYS_FILE: &str = "holidays.csv";

/// The folder of corrections in that of the snapshots.
const FOLDER: &str = "corrections";

const EXTENSION: &str = "csv";

/// The folder that is used if none is named.
pub fn default_folder(snapshots: &Path) -> PathBuf {
    snapshots.join(FOLDER)
}

/// The corrections of a folder at one moment.
#[derive(Debug, Default)]
pub struct Corrections {
    folder: PathBuf,
    files: Vec<(&'static CorrectedFile, Rows)>,
    /// The state of the files when they were last looked at.
    stamps: Vec<(PathBuf, FileStamp)>,
    /// Why the files as they are now are not in use.
    pub refused: Option<CorrectionsError>,
}

/// The files of a folder cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {}{}; 'daicho corrections check' lists every fault", folder.display(), first, more(*others))]
pub struct CorrectionsError {
    folder: PathBuf,
    first: Box<Fault>,
    others: usize,
}

fn more(others: usize) -> String {
    match others {
        0 => String::new(),
        1 => ", and 1 more fault".to_owned(),
        others => format!(", and {others} more faults"),
    }
}

impl CorrectionsError {
    /// The first fault, which names its file without the folder.
    pub fn fault(&self) -> &Fault {
        &self.first
    }
}

type Files = Vec<(&'static CorrectedFile, Rows)>;

impl Corrections {
    /// Reads the folder, which need not exist. `known` are the files that datasets declare.
    pub fn open(
        folder: &Path,
        known: impl Iterator<Item = &'static CorrectedFile> + Clone,
    ) -> Result<Corrections, CorrectionsError> {
        let corrections = Corrections { folder: folder.to_owned(), ..Corrections::default() };
        let opened = corrections.scanned(known);
        match opened.refused {
            None => Ok(opened),
            Some(error) => Err(error),
        }
    }

    /// Reads the folder again if a file of it changed.
    pub fn scan(
        self: &Arc<Corrections>,
        known: impl Iterator<Item = &'static CorrectedFile> + Clone,
    ) -> Arc<Corrections> {
        match stamps(&self.folder) {
            Ok(stamps) if stamps == self.stamps => Arc::clone(self),
            _ => {
                let scanned = self.scanned(known);
                let is_known = scanned.refused.is_some() && scanned.refused == self.refused;
                if is_known { Arc::clone(self) } else { Arc::new(scanned) }
            }
        }
    }

    fn scanned(&self, known: impl Iterator<Item = &'static CorrectedFile> + Clone) -> Corrections {
        let folder = self.folder.clone();
        let stamps = stamps(&folder).unwrap_or_default();
        match read_all(&folder, known) {
            Ok(files) => {
                // A file with the rows that it had before keeps them: what was made of them stays in use.
                let files = files.into_iter().map(|(file, rows)| match self.rows(file) {
                    Some(before) if *before == rows => (file, Arc::clone(before)),
                    _ => (file, rows),
                });
                Corrections { folder, files: files.collect(), stamps, refused: None }
            }
            Err(faults) => {
                let others = faults.len() - 1;
                let first = Box::new(faults.into_iter().next().expect("an error has a fault"));
                let refused = Some(CorrectionsError { folder: folder.clone(), first, others });
                Corrections { folder, files: self.files.clone(), stamps, refused }
            }
        }
    }

    fn rows(&self, file: &CorrectedFile) -> Option<&Rows> {
        self.files.iter().find(|(known, _)| *known == file).map(|(_, rows)| rows)
    }

    /// The rows of these files.
    pub fn of(&self, files: &[&'static CorrectedFile]) -> Vec<Rows> {
        files.iter().filter_map(|file| self.rows(file)).cloned().collect()
    }

    /// How many rows the files have.
    pub fn count(&self) -> usize {
        self.files.iter().map(|(_, rows)| rows.len()).sum()
    }
}

/// Every file of a folder, or all faults of them.
pub fn read_all(
    folder: &Path,
    known: impl Iterator<Item = &'static CorrectedFile> + Clone,
) -> Result<Files, Vec<Fault>> {
    let whole = |path: &Path, error: io::Error| {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Fault::of_row(&name, 0, "a file that can be read", error.to_string())
    };
    let paths = csv_files(folder).map_err(|error| vec![whole(folder, error)])?;
    let (mut files, mut faults) = (Vec::new(), Vec::new());
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = match read_bytes(&path) {
            Ok(bytes) => bytes,
            Err(error) => {
                faults.push(whole(&path, error));
                continue;
            }
        };
        match known.clone().find(|file| file.file_name() == name) {
            Some(file) => match read(file, &bytes) {
                Ok(rows) => files.push((file, Arc::new(rows.into_iter().map(Arc::new).collect()))),
                Err(found) => faults.extend(found),
            },
            // It has no dataset: the calendar reads it.
            None if name == HOLIDAYS_FILE => {}
            None => {
                let names = known.clone().map(CorrectedFile::file_name);
                let names: Vec<String> = names.chain([HOLIDAYS_FILE.to_owned()]).collect();
                let expected = format!("a file named {}", names.join(", "));
                faults.push(Fault::of_row(&name, 0, expected, "another name".to_owned()));
            }
        }
    }
    if faults.is_empty() { Ok(files) } else { Err(faults) }
}

/// The fault of the operator's own holidays, if the folder has any and they are wrong.
pub fn holiday_fault(folder: &Path) -> Option<Fault> {
    let bytes = read_bytes(&folder.join(HOLIDAYS_FILE)).ok()?;
    let fault = OwnHolidays::read(&bytes).err()?;
    Some(Fault::of_row(HOLIDAYS_FILE, fault.line as u64, fault.expected, fault.found))
}

/// Reads one byte more than the longest file has, so that a longer one is detected.
fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path, Links::Followed)?.take(BYTES_MAX as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The CSV files of a folder, by name; none if it does not exist. Hidden files are skipped.
fn csv_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let is_hidden = |path: &Path| {
        path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
    };
    let is_csv = |path: &PathBuf| path.extension().is_some_and(|it| it == EXTENSION);
    Ok(entries(folder)?.into_iter().filter(|path| is_csv(path) && !is_hidden(path)).collect())
}

fn stamps(folder: &Path) -> io::Result<Vec<(PathBuf, FileStamp)>> {
    let stamped = |path: PathBuf| {
        let stamp = FileStamp::from_metadata(&fs::metadata(&path)?);
        Ok((path, stamp))
    };
    csv_files(folder)?.into_iter().map(stamped).collect()
}
