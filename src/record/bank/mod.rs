//! Bank records: institutions and their branches.
//!
//! [`rows`] is what the builder gives, [`archive`] how it lies in the file, [`view`] how it is read.

pub mod archive;
pub mod rows;
pub mod view;

pub use archive::{BankTables, tag};
pub use rows::{BankProvenance, BankRow, BranchRow, Names};
pub use view::{BankView, EntryView};
