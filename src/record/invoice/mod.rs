//! Records of qualified invoice issuers: how a row is packed, and the view that reads it in place.
//!
//! There are 2.6 million corporations and associations, and with individuals four million, so a record is a
//! run of bytes as in [`crate::record::corporate`], from which it has its codec, its dates and the parts of
//! addresses. What a registration means on a day is [`registration`]'s.

pub mod archive;
mod fields;
pub mod registration;
mod view;

pub use archive::{InvoiceProvenance, InvoiceTables, tag};
pub use fields::{ADDRESSES, InvoiceFields, InvoiceTail, PROCESSES, TailAddress};
pub use registration::{Period, Registration};
pub use view::{InvoiceView, stored_length};
