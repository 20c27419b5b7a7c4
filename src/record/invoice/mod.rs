//! Records of qualified invoice issuers: their packed form, and the view that reads it in place.
//!
//! There are 2.6 million corporations and associations, and four million with individuals, so a record is a byte
//! string as in [`crate::record::corporate`], whose codec, dates and address parts it uses. [`registration`]
//! decides whether a registration is in force on a day.

pub mod archive;
mod fields;
pub mod registration;
mod view;

pub use archive::{InvoiceProvenance, InvoiceTables, tag};
pub use fields::{ADDRESSES, InvoiceFields, InvoiceTail, PROCESSES, TailAddress};
pub use registration::{Period, Registration};
pub use view::{InvoiceView, stored_length};
