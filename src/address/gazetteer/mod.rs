//! The names of a snapshot, in the folded form in which addresses are compared with them.
//!
//! Built from the records, read in place from the section `towns`.

use rkyv::{Archive, Serialize};

/// The section `towns`.
#[derive(Debug, Default, Archive, Serialize)]
pub struct Gazetteer {
    /// How many records the gazetteer was built from.
    records: u32,
}

impl Gazetteer {
    /// Built from the records of a snapshot.
    pub fn build(records: &[crate::record::postal::PostalRow]) -> Gazetteer {
        let records = u32::try_from(records.len()).expect("a month has 150,000 records");
        Gazetteer { records }
    }
}
