//! The datasets as sources of rows. Their columns are the members of their records, see `dataset`.

mod bank;
mod corporate;
mod invoice;
mod postal;
mod school;

pub use bank::Bank;
pub use corporate::Corporate;
pub use invoice::Invoice;
pub use postal::Postal;
pub use school::School;
