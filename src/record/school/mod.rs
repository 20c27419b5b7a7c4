//! School records: their archived form, and the view that reads them in place.

mod archive;
mod view;
mod words;

pub use archive::{ArchivedSchoolProvenance, ArchivedSchoolTables};
pub use archive::{School, SchoolProvenance, SchoolTables, tag};
pub use view::SchoolView;
pub use words::{BRANCHES, ESTABLISHMENTS, TYPES};
