//! The Cabinet Office's list of holidays in the snapshot folder, where an update put one:
//! `SNAPSHOTS/holidays/DATE.csv`. The newest that can be read counts.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::calendar::{ListedCalendar, OfficialList};
use crate::snapshot::stamp::FileStamp;
use crate::text::codes::DataVersion;

const FOLDER: &str = "holidays";
const EXTENSION: &str = "csv";

/// The calendar, and the file that it was read from.
#[derive(Debug, Default)]
pub struct Holidays {
    pub calendar: ListedCalendar,
    files: Vec<(PathBuf, FileStamp)>,
}

impl Holidays {
    /// Reads the newest list, unless `previous` was read from the same files. Without any the rules answer.
    pub fn scan(snapshots: &Path, previous: Option<&Arc<Holidays>>) -> Arc<Holidays> {
        let files = files(&snapshots.join(FOLDER));
        if let Some(previous) = previous.filter(|previous| previous.files == files) {
            return Arc::clone(previous);
        }
        let calendar = files.iter().rev().find_map(|(path, _)| read(path)).unwrap_or_default();
        for difference in calendar.differences() {
            tracing::warn!(
                difference,
                "the list of holidays decides; the rules need a newer daicho"
            );
        }
        Arc::new(Holidays { calendar, files })
    }
}

fn read(path: &Path) -> Option<ListedCalendar> {
    let file = path.display().to_string();
    let list = fs::read(path).map_err(|error| error.to_string());
    match list.and_then(|bytes| OfficialList::read(&bytes).map_err(|fault| fault.to_string())) {
        Ok(list) => {
            tracing::info!(file, years = ?list.years(), "list of holidays loaded");
            Some(ListedCalendar::of(list))
        }
        Err(error) => {
            tracing::warn!(file, error, "list of holidays refused");
            None
        }
    }
}

/// The lists of a folder, oldest first; none where there is no folder.
fn files(folder: &Path) -> Vec<(PathBuf, FileStamp)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let dated = entries.filter_map(|entry| {
        let path = entry.path();
        let is_list = path.extension().is_some_and(|extension| extension == EXTENSION);
        DataVersion::parse(path.file_stem()?.to_str()?).ok().filter(|_| is_list)?;
        let stamp = FileStamp::of(&fs::metadata(&path).ok()?);
        Some((path, stamp))
    });
    let mut files: Vec<(PathBuf, FileStamp)> = dated.collect();
    files.sort_by(|(left, _), (right, _)| left.cmp(right));
    files
}
