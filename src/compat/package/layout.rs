//! What every layout declares.

use std::io;
use std::sync::Arc;

use super::folder::PackageFolder;
use crate::calendar::ListedCalendar;
use crate::dataset::bank::BankData;
use crate::dataset::postal::PostalData;
use crate::snapshot::{Dataset, OpenError};

/// What `daicho export` calls the national holidays, which are no dataset.
pub const HOLIDAYS: &str = "holidays";

/// The layout of a package's files.
#[derive(Debug)]
pub struct Layout {
    /// Its name in `--layout`: that of the package.
    pub name: &'static str,
    pub write: Write,
}

/// Writes the files; returns how many entries they have.
#[derive(Debug)]
pub enum Write {
    Bank(fn(&BankData, &PackageFolder) -> Result<u64, WriteError>),
    Postal(fn(&PostalData, &PackageFolder) -> Result<u64, WriteError>),
    Holidays(fn(&ListedCalendar, &PackageFolder) -> Result<u64, WriteError>),
}

#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error(transparent)]
    Snapshot(#[from] Arc<OpenError>),
    #[error(transparent)]
    File(#[from] io::Error),
}

impl Layout {
    /// The name of the data that it is written from, as `daicho export` has it.
    pub fn data(&self) -> &'static str {
        match self.write {
            Write::Bank(_) => BankData::KIND.name(),
            Write::Postal(_) => PostalData::KIND.name(),
            Write::Holidays(_) => HOLIDAYS,
        }
    }
}
