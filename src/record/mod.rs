//! Records: the archived form of each dataset's rows, and the views that read them in place.
//!
//! A view is one or two words, `Copy`, and returns text borrowed from the snapshot. Knows nothing of JSON or HTTP.

pub mod address;
pub mod bank;
pub mod corporate;
pub mod invoice;
pub mod postal;
pub mod school;
pub mod strings;
mod table_fault;

pub use strings::{StrId, StringPool, StringTable, Text, is_plain};
pub use table_fault::TableFault;
