//! The cost of a search for corporations, from the lengths of its lists.

use super::digit_automaton::NUMBER_DIGITS;
use super::evaluate::{CorporateSearch, Evaluation, SearchMode};
use super::facets::units_of_facets;
use super::keyword_form::{
    FORMER_NAME_BYTES_PER_UNIT, UNITS_PER_TEXT, name_keyword, post_code_digits,
};
use super::partial_numbers::{UNITS_PER_NUMBER, partial_numbers_of};
use crate::dataset::corporate::syntax::{
    CorporateField, CorporateFilter, CorporateVocabulary, TextField, fold_keyword,
};
use crate::index::grams::Bound;
use crate::query::cost::{self, Cost, CostModel, CostPart, Estimate};
use crate::query::rows::{UNITS_PER_LOOKUP, units_of_list, units_of_set};
use crate::snapshot::Fault;

/// Units to find a name in the name order: three groups of 128 are read.
const UNITS_PER_NAME: u64 = 3 * 1_000;

/// Units to find a loose name: up to a hundred keys, and the names near it.
const UNITS_PER_LOOSE_NAME: u64 = 100 * 24 * UNITS_PER_TEXT + 4_000 * UNITS_PER_TEXT;

/// Most rows of one name: 5,000 shrines are called 八幡神社.
const SAME_NAME_ROWS_MAX: u64 = 8_000;

/// Bitmaps that a keyword which names a place reads beyond those of its names.
const UNITS_OF_PLACE: u64 = 12;

/// Bitmaps that counting the words of each row reads, for each word.
const BITMAPS_PER_WORD: u64 = 16;

/// Of the rows in the rarest list of a keyword, one in this many remains after intersecting the other lists.
const REMAINING_ONE_IN: u64 = 8;

impl CostModel for Evaluation<'_> {
    type Vocabulary = CorporateVocabulary;

    fn keyword(&self, field: Option<CorporateField>, text: &str) -> Result<Estimate, Fault> {
        let all = self.row_count as u64;
        let of_text = |field: TextField| self.cost_of_letters(field, &fold_keyword(text, field));
        Ok(match field {
            Some(CorporateField::Name) => self.cost_of_name(text)?,
            Some(CorporateField::FormerName) => self.cost_of_former_name(),
            Some(CorporateField::EnName) => of_text(TextField::EnName)?,
            Some(CorporateField::Furigana) => of_text(TextField::Furigana)?,
            Some(CorporateField::StreetNumber) => of_text(TextField::StreetNumber)?,
            Some(CorporateField::AddressOutside) => of_text(TextField::AddressOutside)?,
            Some(CorporateField::PrefectureName | CorporateField::CityName) => {
                let names = self.search_index.places.areas.all().len() as u64;
                Estimate { rows: all, units: names * UNITS_PER_LOOKUP }
            }
            Some(CorporateField::PostCode) => self.cost_of_post_code(post_code_digits(text).len()),
            Some(CorporateField::CorporateNumber) => {
                self.cost_of_number(fold_keyword(text, TextField::StreetNumber).len())
            }
            None if self.mode != SearchMode::Partial => self.cost_of_name(text)?,
            None => {
                let name = self.cost_of_name(text)?;
                let estimates = [name, of_text(TextField::EnName)?, of_text(TextField::Furigana)?];
                let several = estimates.iter().filter(|estimate| estimate.rows > 0).count() > 1;
                let sum = |units: fn(&Estimate) -> u64| estimates.iter().map(units).sum::<u64>();
                let joined = estimates.iter().map(|it| units_of_list(it.rows, all)).sum::<u64>();
                let joined = if several { joined } else { 0 };
                let named = self.search_index.places.named(text);
                let in_place: u64 = named.iter().map(|rows| rows.len() as u64).sum();
                // Rows found by the place come after those found by a name, which are looked up again.
                let times = if named.is_empty() { 1 } else { 2 };
                let in_set = if named.is_empty() { 0 } else { UNITS_OF_PLACE * units_of_set(all) };
                Estimate {
                    rows: (sum(|estimate| estimate.rows) + in_place).min(all),
                    units: times * (sum(|estimate| estimate.units) + joined) + in_set,
                }
            }
        })
    }

    fn filter(&self, filter: &CorporateFilter) -> Estimate {
        let rows = match filter {
            CorporateFilter::Area(path) => {
                self.search_index.places.areas.rows(path).iter().map(|it| it.len() as u64).sum()
            }
            CorporateFilter::Code(path) => {
                let index = path.code.and_then(|code| path.facet.index_of(code));
                index.map_or(self.row_count as u64, |index| {
                    self.search_index.codes().count(path.facet, index)
                })
            }
        };
        Estimate { rows, units: units_of_set(self.row_count as u64) }
    }
}

impl Evaluation<'_> {
    /// The cost of the whole search; `is_restricted` if only some rows are counted.
    pub fn cost(&self, search: &CorporateSearch<'_>, is_restricted: bool) -> Result<Cost, Fault> {
        let all = self.row_count as u64;
        let (mut cost, found) = cost::estimate_query(self, all, search.q)?;
        match partial_numbers_of(search.q).as_slice() {
            [] => {}
            [(_, span)] => cost.add(CostPart::Term(span.clone()), all * UNITS_PER_NUMBER),
            // One pass finds all of them.
            parts => cost.add(CostPart::Terms(parts.len()), all * UNITS_PER_NUMBER),
        }
        if let Some(paths) = search.facets {
            cost.add(CostPart::Facets, units_of_facets(paths, found, all));
        }
        let words = search.q.words().len();
        if words > 0 {
            let units = words as u64 * BITMAPS_PER_WORD * units_of_set(all);
            cost.add(CostPart::Terms(words), units);
        }
        // The skipped rows are visited one by one: open ones come before closed ones.
        cost.add_offset(search.offset, found);
        if is_restricted {
            cost.units = cost.units.saturating_add(units_of_list(found, all));
        }
        Ok(cost)
    }

    fn cost_of_name(&self, text: &str) -> Result<Estimate, Fault> {
        if self.mode == SearchMode::Loose {
            return Ok(Estimate { rows: SAME_NAME_ROWS_MAX, units: UNITS_PER_LOOSE_NAME });
        }
        let letters: Vec<char> = name_keyword(text).chars().collect();
        if self.mode == SearchMode::Partial && letters.len() != 1 {
            let of_text = self.cost_of_letters(TextField::Name, &letters)?;
            return Ok(Estimate { units: of_text.units + UNITS_PER_NAME, ..of_text });
        }
        Ok(Estimate { rows: SAME_NAME_ROWS_MAX.min(self.row_count as u64), units: UNITS_PER_NAME })
    }

    /// The folded names are scanned.
    fn cost_of_former_name(&self) -> Estimate {
        // A damaged section is reported by the evaluation.
        let names = self.data.former_names().ok().flatten();
        names.map_or(Estimate::default(), |names| Estimate {
            rows: names.count() as u64,
            units: names.length() as u64 / FORMER_NAME_BYTES_PER_UNIT,
        })
    }

    fn cost_of_letters(&self, field: TextField, letters: &[char]) -> Result<Estimate, Fault> {
        let Bound { rows, is_exact } =
            self.search_index.texts[field as usize].reader().bound(letters)?;
        let rows = rows as u64;
        let units = if is_exact {
            0
        } else {
            rows * UNITS_PER_LOOKUP + rows / REMAINING_ONE_IN * UNITS_PER_TEXT
        };
        Ok(Estimate { rows, units })
    }

    /// A whole code is looked up; for a part of one, every code is compared.
    pub(super) fn cost_of_post_code(&self, digits: usize) -> Estimate {
        const DIGITS: usize = 7;
        let codes = self.search_index.post_codes.root().codes() as u64;
        if digits >= DIGITS {
            return Estimate { rows: (self.row_count as u64).min(SAME_NAME_ROWS_MAX), units: 0 };
        }
        let rows = rows_with_part(self.row_count as u64, digits, DIGITS);
        Estimate { rows, units: codes * UNITS_PER_LOOKUP + rows }
    }

    /// A whole number is looked up. The pass that finds parts is not included: there is one for all parts.
    fn cost_of_number(&self, digits: usize) -> Estimate {
        if digits >= NUMBER_DIGITS {
            return Estimate { rows: 1, units: UNITS_PER_LOOKUP };
        }
        let rows = rows_with_part(self.row_count as u64, digits, NUMBER_DIGITS);
        Estimate { rows, units: rows }
    }
}

/// Estimated rows with a part of this many digits somewhere in a code of `of` digits: twice as many as for evenly
/// distributed digits.
fn rows_with_part(all: u64, digits: usize, of: usize) -> u64 {
    let positions = (of + 1).saturating_sub(digits) as u64;
    let one_in = 10u64.saturating_pow(digits as u32);
    (all.saturating_mul(2 * positions) / one_in).min(all)
}
