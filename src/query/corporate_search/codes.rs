//! The codes of corporations: which rows have one, and how many of some rows have each.

use super::areas::most_first;
use super::evaluate::Found;
use crate::index::attributes::{Attribute, AttributeReader, Counts};
use crate::index::row_set::RowSet;
use crate::query::syntax::{CodeFacet, CodePath};
use crate::snapshot::Fault;

/// A list of more rows than one in so many is counted as bits.
const SPARSE: usize = 64;

/// The codes of every row.
#[derive(Clone, Copy)]
pub struct Codes<'s>(pub AttributeReader<'s>);

fn attribute(facet: CodeFacet) -> Attribute {
    match facet {
        CodeFacet::Kind => Attribute::Kind,
        CodeFacet::Process => Attribute::Process,
        CodeFacet::CloseCause => Attribute::CloseCause,
    }
}

/// The attribute of a path and the place of its value; `None` for `/`, which every row has.
fn value(path: CodePath) -> Option<(Attribute, usize)> {
    let attribute = attribute(path.facet);
    let code = path.code?;
    Some((attribute, attribute.place(code).expect("the words of a facet are of its codes")))
}

impl Codes<'_> {
    /// Keeps of ascending rows those of a path.
    pub fn retain(&self, path: CodePath, rows: &mut Vec<u32>) -> Result<(), Fault> {
        match value(path) {
            Some((attribute, place)) => self.0.retain(attribute, place, rows),
            None => Ok(()),
        }
    }

    /// Keeps of a set the rows of a path.
    pub fn restrict(&self, path: CodePath, set: &mut RowSet) -> Result<(), Fault> {
        match value(path) {
            Some((attribute, place)) => self.0.restrict(attribute, place, set),
            None => Ok(()),
        }
    }

    /// Adds the rows of a path to a set.
    pub fn add_to(&self, path: CodePath, set: &mut RowSet) -> Result<(), Fault> {
        match value(path) {
            Some((attribute, place)) => self.0.add_to(attribute, place, set),
            None => {
                set.insert_range(0..usize::MAX);
                Ok(())
            }
        }
    }

    /// How many of the rows that were found, of so many in the table, have each code.
    pub fn count(&self, found: &Found<'_>, rows: usize) -> Result<Counts, Fault> {
        match found {
            Found::Set(set) => self.0.count_set(set),
            Found::Matches(matches) if matches.count() <= rows / SPARSE => {
                self.0.count_rows(matches.rows())
            }
            Found::Matches(matches) => {
                let mut set = RowSet::empty(rows);
                matches.add_to(&mut set);
                self.0.count_set(&set)
            }
        }
    }
}

/// The words of a facet with their counts, most first, those of no row left out.
pub fn words(facet: CodeFacet, counts: &Counts) -> Vec<(String, u64)> {
    let of = counts.of(attribute(facet)).filter_map(|(code, count)| {
        let word = facet.word(code)?;
        Some((["/", word].concat(), count))
    });
    most_first(of.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_of_an_attribute_has_a_word() {
        for facet in CodeFacet::ALL {
            let mut codes: Vec<u16> = attribute(facet).codes().collect();
            let mut words: Vec<u16> = facet.words().iter().map(|(code, _)| *code).collect();
            codes.sort_unstable();
            words.sort_unstable();
            assert_eq!(codes, words, "{facet:?}");
        }
    }
}
