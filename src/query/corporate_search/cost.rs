//! The cost of a search for corporations, from the lengths of its lists.

use std::sync::Arc;

use super::evaluate::Evaluation;
use super::keyword::{name_keyword, post_code_digits};
use super::number_parts::parts_of;
use super::part_numbers::NUMBER_DIGITS;
use super::request::{CorporateSearch, Mode};
use super::units::{self, NUMBER_READ, TEXT_READ};
use crate::index::corporate_texts::{TextField, of_keyword};
use crate::index::grams::Bound;
use crate::query::cost::{self, Cost, CostModel, Estimate, Part};
use crate::query::evaluate::Searched;
use crate::query::rows::{PROBE, units_of_list, units_of_set};
use crate::query::syntax::{Corporate, CorporateField, CorporateFilter};
use crate::snapshot::{Fault, OpenError};

/// Units to find a name in the name order: three groups of 128 are read.
const NAME_FOUND: u64 = 3 * 1_000;

/// Most rows of one name: 5,000 shrines are called 八幡神社.
const SAME_NAME: u64 = 8_000;

/// Of the rows in the rarest list of a keyword, one in this many remains after intersecting the other lists.
const LEFT: u64 = 8;

impl CostModel for Evaluation<'_> {
    type Words = Corporate;

    fn rows(&self) -> u64 {
        self.rows as u64
    }

    fn keyword(
        &self,
        field: Option<CorporateField>,
        text: &str,
    ) -> Result<Estimate, Arc<OpenError>> {
        self.cost_of_keyword(field, text).map_err(|fault| self.refuse(fault))
    }

    fn filter(&self, filter: &CorporateFilter) -> Estimate {
        let rows = match filter {
            CorporateFilter::Area(path) => {
                self.searchable.places.areas.rows(path).iter().map(|it| it.len() as u64).sum()
            }
            CorporateFilter::Code(path) => {
                let place = path.code.and_then(|code| path.facet.place(code));
                place.map_or(self.rows as u64, |place| {
                    self.searchable.codes().count(path.facet, place)
                })
            }
        };
        Estimate { rows, units: units_of_set(self.rows as u64) }
    }
}

impl Evaluation<'_> {
    pub fn cost(
        &self,
        search: &CorporateSearch<'_>,
        is_among: bool,
    ) -> Result<Cost, Arc<OpenError>> {
        let (mut cost, found) = cost::of_query(self, search.q)?;
        let all = self.rows as u64;
        match parts_of(search.q).as_slice() {
            [] => {}
            [(_, span)] => cost.add(Part::Term(span.clone()), all * NUMBER_READ),
            // One pass finds all of them.
            parts => cost.add(Part::Terms(parts.len()), all * NUMBER_READ),
        }
        if let Some(paths) = search.facets {
            cost.add(Part::Facets, units::facets(paths, found, all));
        }
        // With a single list, ranks lead to the page; in a set the skipped rows are visited one by one.
        if is_among || !cost::is_alone(search.q) {
            cost.add_offset(search.offset, found);
        }
        if is_among {
            cost.units = cost.units.saturating_add(units_of_list(found, all));
        }
        Ok(cost)
    }

    fn cost_of_keyword(
        &self,
        field: Option<CorporateField>,
        text: &str,
    ) -> Result<Estimate, Fault> {
        let all = self.rows as u64;
        let of_text = |field: TextField| self.cost_of_letters(field, &of_keyword(text, field));
        Ok(match field {
            Some(CorporateField::Name) => self.cost_of_name(text)?,
            Some(CorporateField::EnName) => of_text(TextField::EnName)?,
            Some(CorporateField::Furigana) => of_text(TextField::Furigana)?,
            Some(CorporateField::StreetNumber) => of_text(TextField::StreetNumber)?,
            Some(CorporateField::AddressOutside) => of_text(TextField::AddressOutside)?,
            Some(CorporateField::PrefectureName | CorporateField::CityName) => {
                let names = self.searchable.places.areas.all().len() as u64;
                Estimate { rows: all, units: names * PROBE }
            }
            Some(CorporateField::PostCode) => self.cost_of_post_code(post_code_digits(text).len()),
            Some(CorporateField::CorporateNumber) => {
                self.cost_of_number(of_keyword(text, TextField::StreetNumber).len())
            }
            None if self.mode != Mode::Partial => self.cost_of_name(text)?,
            None => {
                let name = self.cost_of_name(text)?;
                let parts = [name, of_text(TextField::EnName)?, of_text(TextField::Furigana)?];
                let several = parts.iter().filter(|part| part.rows > 0).count() > 1;
                let sum = |units: fn(&Estimate) -> u64| parts.iter().map(units).sum::<u64>();
                let joined = parts.iter().map(|part| units_of_list(part.rows, all)).sum::<u64>();
                let joined = if several { joined } else { 0 };
                Estimate {
                    rows: sum(|part| part.rows).min(all),
                    units: sum(|part| part.units) + joined,
                }
            }
        })
    }

    fn cost_of_name(&self, text: &str) -> Result<Estimate, Fault> {
        let letters: Vec<char> = name_keyword(text).chars().collect();
        if self.mode == Mode::Partial && letters.len() != 1 {
            let of_text = self.cost_of_letters(TextField::Name, &letters)?;
            return Ok(Estimate { units: of_text.units + NAME_FOUND, ..of_text });
        }
        Ok(Estimate { rows: SAME_NAME.min(self.rows as u64), units: NAME_FOUND })
    }

    fn cost_of_letters(&self, field: TextField, letters: &[char]) -> Result<Estimate, Fault> {
        let Bound { rows, is_exact } =
            self.searchable.texts[field as usize].reader().bound(letters)?;
        let rows = rows as u64;
        let units = if is_exact { 0 } else { rows * PROBE + rows / LEFT * TEXT_READ };
        Ok(Estimate { rows, units })
    }

    /// A whole code is looked up; for a part of one, every code is compared.
    pub(super) fn cost_of_post_code(&self, digits: usize) -> Estimate {
        const DIGITS: usize = 7;
        let codes = self.searchable.post_codes.root().codes() as u64;
        if digits >= DIGITS {
            return Estimate { rows: (self.rows as u64).min(SAME_NAME), units: 0 };
        }
        let rows = rows_with_part(self.rows as u64, digits, DIGITS);
        Estimate { rows, units: codes * PROBE + rows }
    }

    /// A whole number is looked up. The pass that finds parts is not included: there is one for all parts.
    fn cost_of_number(&self, digits: usize) -> Estimate {
        if digits >= NUMBER_DIGITS {
            return Estimate { rows: 1, units: PROBE };
        }
        let rows = rows_with_part(self.rows as u64, digits, NUMBER_DIGITS);
        Estimate { rows, units: rows }
    }
}

/// Estimated rows with this many digits somewhere in a code of `of` digits: twice as many as for evenly distributed
/// digits.
fn rows_with_part(all: u64, digits: usize, of: usize) -> u64 {
    let places = (of + 1).saturating_sub(digits) as u64;
    let one_in = 10u64.saturating_pow(digits as u32);
    (all.saturating_mul(2 * places) / one_in).min(all)
}
