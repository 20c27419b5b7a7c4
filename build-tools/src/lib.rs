//! Readers for source files of Japanese reference data: bytes in, clean rows and rejects out.
//!
//! A reader of a messy file never stops at a bad row and never loses one: it returns a [`Batch`] of rows and
//! [`Reject`]s. Only a file that is wrong as a whole (empty, truncated, of another kind, in another encoding) is a
//! [`SourceError`].

#![forbid(unsafe_code)]

mod archive;
pub mod bank;
pub mod corporate;
mod csv;
mod error;
mod files;
pub mod included;
pub mod invoice;
mod kana;
mod kind;
mod open;
pub mod postal;
mod recognise;
pub mod school;
pub mod stream;

pub use archive::{ARCHIVE_BYTES_MAX, DECODED_BYTES_MAX, Decoder, Packing};
pub use error::{MEMBERS_LISTED_MAX, Members, REJECTS_MAX, Reject, SourceError};
pub use files::Files;
pub use kind::Kind;
pub use open::Source;

/// Called by a reader as it proceeds, with the bytes done and the bytes in all; `&mut |_, _| {}` ignores it.
pub type Progress<'p> = &'p mut dyn FnMut(u64, u64);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch<T> {
    pub rows: Vec<T>,
    /// The rows that could not be read, each with its position and cause.
    pub rejects: Vec<Reject>,
    /// Lines read. More than `rows.len() + rejects.len()` if rows were joined from several lines.
    pub lines: u64,
}
