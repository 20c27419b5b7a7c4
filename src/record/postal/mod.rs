//! Postal records: towns and large businesses, their municipalities, and what a version changed.
//!
//! [`rows`] is what the builder gives, [`archive`] how it lies in the file, [`view`] how it is read.

pub mod archive;
pub mod rows;
pub mod view;

pub use archive::{PostalTables, TableFault, tag};
pub use rows::{
    CityRow, CorporationRow, Name, PostalRow, Provenance, Source, TownFlags, UpdateReason,
    UpdateStatus,
};
pub use view::{CityView, CorporationView, NameView, PostalView};
