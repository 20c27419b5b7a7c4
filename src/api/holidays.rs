//! The holidays that a server uses: the newest readable list of the Cabinet Office in the snapshot folder
//! (`SNAPSHOTS/holidays/DATE.csv`, written by updates), and the operator's own: from the file of `--holidays`, or else
//! from `holidays.csv` in the folder of corrections. A start fails if that file is invalid; a reload then keeps the earlier
//! content.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::calendar::{ListFault, ListedCalendar, OfficialList, OwnHolidays};
use crate::dataset::correction::HOLIDAYS_FILE;
use crate::snapshot::files::{FileStamp, date_of_name};
use crate::system::reading::{Links, open_regular};
use crate::text::codes::DataVersion;

const FOLDER: &str = "holidays";
const EXTENSION: &str = "csv";

#[derive(Debug, Default)]
pub struct Holidays {
    pub calendar: ListedCalendar,
    files: Vec<(PathBuf, FileStamp)>,
    /// State of the operator's file at the last scan; `None` if it did not exist.
    own_stamp: Option<FileStamp>,
}

/// The file of the operator's own holidays.
#[derive(Debug, Clone)]
pub struct OwnHolidaysFile {
    path: PathBuf,
    /// Whether it was named, so that it must exist.
    is_named: bool,
}

impl OwnHolidaysFile {
    /// The named file, or else the one in the folder of corrections.
    pub fn new(named: Option<&Path>, corrections: &Path) -> OwnHolidaysFile {
        match named {
            Some(path) => OwnHolidaysFile { path: path.to_owned(), is_named: true },
            None => OwnHolidaysFile { path: corrections.join(HOLIDAYS_FILE), is_named: false },
        }
    }
}

/// The file of the operator's own holidays cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {fault}; correct the file, or start without it", path.display())]
pub struct OwnHolidaysError {
    path: PathBuf,
    #[source]
    fault: OwnHolidaysFault,
}

#[derive(Debug, thiserror::Error)]
enum OwnHolidaysFault {
    #[error("the holidays cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error("a holiday is wrong: {0}")]
    Line(#[from] ListFault),
}

impl Holidays {
    /// Reads the newest list, or uses the rules without one, and the operator's own holidays.
    pub fn open(snapshots: &Path, own: &OwnHolidaysFile) -> Result<Holidays, OwnHolidaysError> {
        let files = list_files(&snapshots.join(FOLDER));
        let (stamp, days) = (stamp(&own.path), read_own(own)?);
        Ok(Holidays { calendar: build_calendar(&files, days), files, own_stamp: stamp })
    }

    /// The day of the list that is used; `None` if the rules are.
    pub fn list_date(&self) -> Option<DataVersion> {
        self.calendar.list.as_ref()?;
        self.files.iter().find_map(|(path, _)| date_of_name(path, EXTENSION))
    }

    /// Reads changed files again. An invalid file of own holidays keeps its earlier content; an invalid list is passed
    /// over for the next older one, or the rules.
    pub fn scan(self: &Arc<Holidays>, snapshots: &Path, own: &OwnHolidaysFile) -> Arc<Holidays> {
        let files = list_files(&snapshots.join(FOLDER));
        let stamp = stamp(&own.path);
        if self.files == files && self.own_stamp == stamp {
            return Arc::clone(self);
        }
        let mut days = self.calendar.own.clone();
        if self.own_stamp != stamp {
            match read_own(own) {
                Ok(read) => days = read,
                Err(error) => {
                    tracing::warn!(%error, "cannot use the new own holidays; keeping the previous ones");
                }
            }
        }
        let calendar = if self.files == files {
            ListedCalendar { own: days, ..self.calendar.clone() }
        } else {
            build_calendar(&files, days)
        };
        Arc::new(Holidays { calendar, files, own_stamp: stamp })
    }
}

fn build_calendar(files: &[(PathBuf, FileStamp)], own: OwnHolidays) -> ListedCalendar {
    let list = files.iter().rev().find_map(|(path, _)| read_list(path));
    let calendar = ListedCalendar { list, own };
    for difference in calendar.differences() {
        tracing::warn!(
            difference,
            "the official list of holidays differs from the built-in rules; using the list; install a newer daicho"
        );
    }
    calendar
}

/// The official list has 20 kB. A longer file is cut off, and then its last line is wrong or it is a list of centuries.
const LIST_BYTES_MAX: u64 = 1 << 20;

fn read_list(path: &Path) -> Option<OfficialList> {
    let file = path.display().to_string();
    let mut bytes = Vec::new();
    let read = open_regular(path, Links::Refused)
        .and_then(|file| file.take(LIST_BYTES_MAX).read_to_end(&mut bytes));
    let list = read.map(|_length| bytes).map_err(|error| error.to_string());
    match list.and_then(|bytes| OfficialList::read(&bytes).map_err(|fault| fault.to_string())) {
        Ok(list) => {
            tracing::info!(file, years = ?list.years(), "list of holidays loaded");
            Some(list)
        }
        Err(error) => {
            tracing::warn!(file, error, "list of holidays rejected");
            None
        }
    }
}

fn read_own(file: &OwnHolidaysFile) -> Result<OwnHolidays, OwnHolidaysError> {
    let path = &*file.path;
    if !file.is_named && !path.exists() {
        return Ok(OwnHolidays::default());
    }
    let error = |fault| OwnHolidaysError { path: path.to_owned(), fault };
    // Read one byte more than the limit, to detect a longer file.
    let mut bytes = Vec::new();
    let bytes_max = OwnHolidays::BYTES_MAX as u64 + 1;
    let read = open_regular(path, Links::Followed)
        .and_then(|file| file.take(bytes_max).read_to_end(&mut bytes));
    read.map_err(|cause| error(cause.into()))?;
    let days = OwnHolidays::read(&bytes).map_err(|fault| error(fault.into()))?;
    tracing::info!(file = %path.display(), days = days.days().len(), "own holidays loaded");
    Ok(days)
}

fn stamp(path: &Path) -> Option<FileStamp> {
    fs::metadata(path).ok().map(|metadata| FileStamp::from_metadata(&metadata))
}

/// The lists of a folder, oldest first; empty if the folder does not exist.
fn list_files(folder: &Path) -> Vec<(PathBuf, FileStamp)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let dated = entries.filter_map(|entry| {
        let path = entry.path();
        date_of_name(&path, EXTENSION)?;
        let stamp = FileStamp::from_metadata(&fs::metadata(&path).ok()?);
        Some((path, stamp))
    });
    let mut files: Vec<(PathBuf, FileStamp)> = dated.collect();
    files.sort_by(|(left, _), (right, _)| left.cmp(right));
    files
}
