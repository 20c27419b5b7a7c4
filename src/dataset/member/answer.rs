//! The frames of answers: with one record, with a list of them, with the records that a search found. And members that
//! many records of an answer share, written once for each municipality of a version.
//!
//! Sixteen of a postal record's thirty-five members belong to its municipality, two thirds of its bytes; seven of a
//! corporation's, two of which are elsewhere in memory. Answers copy them in one piece or two.

use super::shape::Member;
use super::value::{MemberValue, Members};
use crate::export::Cells;
use crate::json::{QueryOutcome, close_data, open_data, write_list, write_query_outcome};
use crate::text::codes::{ApiVersion, DataVersion};

pub fn write_answer(
    out: &mut Vec<u8>,
    api: ApiVersion,
    version: DataVersion,
    record: impl MemberValue,
) {
    open_data(out, version);
    record.write(out, api);
    close_data(out);
}

pub fn write_answers<V: MemberValue>(
    out: &mut Vec<u8>,
    api: ApiVersion,
    version: DataVersion,
    records: impl Iterator<Item = V>,
) {
    open_data(out, version);
    write_list(out, records, |out, record| record.write(out, api));
    close_data(out);
}

pub fn write_found<V: MemberValue>(
    out: &mut Vec<u8>,
    api: ApiVersion,
    version: DataVersion,
    records: impl Iterator<Item = V>,
    outcome: &QueryOutcome<'_>,
) {
    open_data(out, version);
    write_list(out, records, |out, record| record.write(out, api));
    out.push(b',');
    write_query_outcome(out, outcome);
    close_data(out);
}

/// Members, and the JSON that was prepared of them if any.
#[derive(Clone, Copy)]
pub struct Prepared<'a, M> {
    pub members: M,
    pub bytes: Option<&'a [u8]>,
}

impl<M: Members> Members for Prepared<'_, M> {
    const MEMBERS: &'static [Member] = M::MEMBERS;

    #[inline]
    fn write_members(self, out: &mut Vec<u8>, api: ApiVersion) {
        match self.bytes {
            Some(bytes) => out.extend_from_slice(bytes),
            None => self.members.write_members(out, api),
        }
    }

    fn fill_members(self, cells: &mut Cells<'_>) {
        self.members.fill_members(cells);
    }
}

/// The prepared JSON of each municipality or place of a version, by its number.
#[derive(Debug, Default)]
pub struct Fragments {
    bytes: Vec<u8>,
    /// The start of each fragment in `bytes`, and the end of the last.
    starts: Vec<u32>,
}

impl Fragments {
    pub const NONE: Fragments = Fragments { bytes: Vec::new(), starts: Vec::new() };

    pub fn new<T>(items: impl Iterator<Item = T>, write: impl Fn(&mut Vec<u8>, T)) -> Fragments {
        let mut fragments = Fragments { bytes: Vec::new(), starts: vec![0] };
        for item in items {
            write(&mut fragments.bytes, item);
            // Past 4 GiB, the remaining members are formatted per record.
            let Ok(end) = u32::try_from(fragments.bytes.len()) else { break };
            fragments.starts.push(end);
        }
        fragments
    }

    pub fn get(&self, number: usize) -> Option<&[u8]> {
        let [start, end] = *self.starts.get(number..)?.first_chunk()?;
        self.bytes.get(start as usize..end as usize)
    }
}
