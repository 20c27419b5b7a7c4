//! The operator's corrections that changed results of a batch. Each result says which, and the batch names all of them, if
//! the request asks for its sources.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;
use std::sync::Arc;

use crate::dataset::correction::Correction;
use crate::json::{put, write_list};

/// The corrections of the data of a batch by the records that they changed. `K` is what tells these records apart.
#[derive(Debug)]
pub struct BatchCorrections<K> {
    rows: Vec<Arc<Correction>>,
    by_record: HashMap<K, Vec<usize>>,
    /// The indexes in `rows` of those that changed a result.
    marked: BTreeSet<usize>,
}

impl<K: Eq + Hash> BatchCorrections<K> {
    /// `rows` are all corrections that may be named; none if the request does not ask. `records_of` lists the records that a
    /// row changed.
    pub fn new<E>(
        rows: Vec<Arc<Correction>>,
        records_of: impl Fn(&Correction) -> Result<Vec<K>, E>,
    ) -> Result<BatchCorrections<K>, E> {
        let mut by_record: HashMap<K, Vec<usize>> = HashMap::new();
        for (index, row) in rows.iter().enumerate() {
            for record in records_of(row)? {
                by_record.entry(record).or_default().push(index);
            }
        }
        Ok(BatchCorrections { rows, by_record, marked: BTreeSet::new() })
    }

    /// Whether any may be named; otherwise a query need not say which records are in its result.
    pub fn are_named(&self) -> bool {
        !self.rows.is_empty()
    }

    /// The indexes of the corrections that changed a result with these records, in the order of the files.
    pub fn mark(&mut self, records: &[K]) -> Vec<usize> {
        let of_records = records.iter().filter_map(|record| self.by_record.get(record)).flatten();
        let found: BTreeSet<usize> = of_records.copied().collect();
        self.marked.extend(&found);
        found.into_iter().collect()
    }

    /// Those that changed any result.
    pub fn marked(&self) -> Vec<Arc<Correction>> {
        self.marked.iter().map(|index| Arc::clone(&self.rows[*index])).collect()
    }

    /// Appends the last member of a result that these changed, in the form of `meta` of other answers.
    pub fn write_meta(&self, marks: &[usize], out: &mut Vec<u8>) {
        put(out, &[",\"meta\":{\"corrections\":"]);
        write_list(out, marks.iter(), |out, index| self.rows[*index].write(out));
        out.push(b'}');
    }
}
