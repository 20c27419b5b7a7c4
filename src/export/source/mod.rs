//! The datasets as sources of rows. What a record's members mean is said where its JSON is written; the names are
//! those, with the name of an object in front of its members.

mod address;
mod bank;
mod corporate;
mod invoice;
mod postal;
mod school;
mod words;

pub use bank::Bank;
pub use corporate::Corporate;
pub use invoice::Invoice;
pub use postal::Postal;
pub use school::School;
