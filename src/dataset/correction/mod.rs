//! Corrections by the operator: what the official data do not say yet, or say wrongly.
//!
//! They are rows of CSV files in a folder beside the snapshots, a file for each kind of record ([`declared`]). Each row
//! says what to do with one record, on which days, why, and who wrote it ([`row`]). The rows are read and checked as a
//! whole ([`read`], [`conflict`]), and then laid over the newest version of each dataset ([`lay`]).
//!
//! A dataset that can be corrected declares its files, and edits its records by the rows of a day
//! ([`Declaration::edited`](super::Declaration::edited)). It then compiles the edited records as a build does, into a
//! snapshot in memory. So every look-up, list, search, suggestion and export reads corrected data as it reads any other,
//! in the same order, with the same counts, at the same cost. The folder of snapshots is never written to. A version
//! that a request names answers as it was published.
//!
//! Knows no clock: the day is a value.

pub mod conflict;
pub mod declared;
pub mod fault;
pub mod folder;
pub mod lay;
pub mod read;
pub mod row;
pub mod values;

pub use declared::{Action, CorrectedFile, Field};
pub use fault::Fault;
pub use folder::{Corrections, CorrectionsError, HOLIDAYS_FILE};
pub use lay::{Days, Extent, Laid, LaidCorrections};
pub use row::{Correction, Edited, Period, Standing};
