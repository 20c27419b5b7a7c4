//! Postal records: towns and large businesses, their municipalities, and the changes of a version.
//!
//! [`rows`] has the rows from the builder, [`archive`] their form in the file, [`view`] their reader.

pub mod archive;
pub mod rows;
pub mod view;

pub use archive::{PostalTables, tag};
pub use rows::{
    CityRow, CorporationRow, Name, PostalProvenance, PostalRow, Source, TownFlags, UpdateReason,
    UpdateStatus,
};
pub use view::{CityView, CorporationView, NameView, PostalView};
