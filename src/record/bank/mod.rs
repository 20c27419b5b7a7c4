//! Bank records: institutions and their branches.
//!
//! [`rows`] has the rows from the builder, [`archive`] their form in the file, [`view`] their reader.

pub mod archive;
pub mod rows;
pub mod view;

pub use archive::{BankTables, tag};
pub use rows::{BankProvenance, BankRow, BranchRow, Names};
pub use view::{BankView, EntryView};
