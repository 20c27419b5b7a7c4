//! Corporate records: their packed form, and the view that reads it in place.
//!
//! A national file has 5.8 million of them, so a record is a byte string without padding: codes and dates take as
//! few bits as possible, rare fields take space only where they exist, and places are in a dictionary. Rows are in
//! the order of places, so that a place is a range of rows.

pub mod archive;
pub mod fields;
mod head;
mod stored_record;
mod view;

pub use crate::text::codes::corporation::{CLOSE_CAUSES, KINDS, PROCESSES};
pub use archive::{CorporateProvenance, CorporateTables, OfficePlace, OfficePlaceView, tag};
pub use fields::CorporateFields;
pub use head::CorporateHead;
pub use stored_record::{PLACES_MAX, StoredRecord};
pub use view::{CorporateView, Reading};
