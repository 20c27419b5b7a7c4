//! The datasets as sources of rows. `json` documents the members of records; columns have the same names, prefixed
//! by the name of their object.

mod bank;
mod columns;
mod corporate;
mod invoice;
mod postal;
mod school;

pub use bank::Bank;
pub use corporate::Corporate;
pub use invoice::Invoice;
pub use postal::Postal;
pub use school::School;
