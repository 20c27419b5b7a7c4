//! Finds the rows of one keyword or filter.

use std::sync::Arc;

use super::evaluate::Evaluation;
use super::number_parts::number_digits;
use super::part_numbers::NUMBER_DIGITS;
use super::places::PlaceField;
use super::request::Mode;
use super::units;
use crate::index::corporate_texts::{Letters, TextField, of_keyword};
use crate::index::grams::Matches;
use crate::query::evaluate::Searched;
use crate::query::rows::{Rows, union};
use crate::query::syntax::{Corporate, CorporateField, CorporateFilter};
use crate::query::work::{Unanswered, Work};
use crate::snapshot::{Dataset, Fault, OpenError};
use crate::text::codes::CorporateNumber;
use crate::text::fold::{Level, folded};
use crate::text::kind_words::{Form, expand, shortened, split};

/// Whether further kind words, beyond the first, may be left out of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Further {
    LeftOut,
    Kept,
}

impl<'s> Searched<'s> for Evaluation<'s> {
    type Words = Corporate;

    fn rows(&self) -> usize {
        self.rows
    }

    fn keyword(&self, field: Option<CorporateField>, text: &str) -> Result<Rows<'s>, Unanswered> {
        let places = |field| Ok(Rows::Ranges(self.searchable.places.find(field, text)));
        let texts = |field| self.text(field, text).map(Rows::Matches);
        match field {
            Some(CorporateField::Name) => self.name(text).map(Rows::Matches),
            Some(CorporateField::EnName) => texts(TextField::EnName),
            Some(CorporateField::Furigana) => texts(TextField::Furigana),
            Some(CorporateField::StreetNumber) => texts(TextField::StreetNumber),
            Some(CorporateField::AddressOutside) => texts(TextField::AddressOutside),
            Some(CorporateField::PrefectureName) => places(PlaceField::Prefecture),
            Some(CorporateField::CityName) => places(PlaceField::City),
            Some(CorporateField::PostCode) => self.post_code(text),
            Some(CorporateField::CorporateNumber) => self.number(text),
            None => {
                let name = self.name(text)?;
                if self.mode != Mode::Partial {
                    return Ok(Rows::Matches(name));
                }
                let (en_name, furigana) = (texts(TextField::EnName)?, texts(TextField::Furigana)?);
                union(self.rows, vec![Rows::Matches(name), en_name, furigana], self.work)
                    .map_err(|halt| self.halted(halt))
            }
        }
    }

    fn filter(&self, filter: &CorporateFilter) -> Result<Rows<'s>, Unanswered> {
        Ok(match filter {
            CorporateFilter::Area(path) => Rows::Ranges(self.searchable.places.areas.rows(path)),
            CorporateFilter::Code(path) => self.code_rows(*path),
        })
    }

    fn refuse(&self, fault: Fault) -> Arc<OpenError> {
        Arc::new(self.data.file().refuse(fault))
    }

    fn work(&self) -> &Work<'_> {
        self.work
    }
}

impl<'s> Evaluation<'s> {
    fn text(&self, field: TextField, text: &str) -> Result<Matches<'s>, Unanswered> {
        self.contains(field, &of_keyword(text, field))
    }

    fn contains(&self, field: TextField, keyword: &[char]) -> Result<Matches<'s>, Unanswered> {
        let index = &self.searchable.texts[field as usize];
        let found = index.reader().candidates(keyword).map_err(|fault| self.refuse(fault))?;
        let (mut letters, mut read) = (Letters::default(), Vec::new());
        found.verified(|row| {
            self.work.spend(units::TEXT_READ)?;
            match field {
                // Names are in the front of a record, so the rest need not be read.
                TextField::Name => {
                    let name = self.data.name(row).map_err(|fault| self.refuse(fault))?;
                    letters.of_text(name, field, &mut read);
                }
                _ => letters.of_field(self.data.record(row)?, field, &mut read),
            }
            Ok(read.windows(keyword.len()).any(|part| part == keyword))
        })
    }

    pub(super) fn name(&self, text: &str) -> Result<Matches<'s>, Unanswered> {
        match self.mode {
            Mode::Exact => {
                let keyword = folded(text.trim(), Level::Kanji);
                self.names_equal(&keyword, |body, _| body == keyword, Further::LeftOut)
            }
            Mode::ExactWithKind => {
                let keyword = folded(text.trim(), Level::Kanji);
                let keyword = expand(&keyword, Level::Kanji);
                let (body, form) = split(&keyword, Level::Kanji);
                let same = |other: Form| other.spaced(false) == form.spaced(false);
                let passes = |found: &str, other| found == body && same(other);
                self.names_equal(&keyword, passes, Further::Kept)
            }
            Mode::Partial => {
                let keyword = name_keyword(text);
                let letters: Vec<char> = keyword.chars().collect();
                if letters.len() != 1 {
                    return self.contains(TextField::Name, &letters);
                }
                let found = self.order().find(&keyword).map_err(|fault| self.refuse(fault))?;
                let rows = self.order().rows(found.equal).map_err(|fault| self.refuse(fault))?;
                Ok(Matches::from_rows(rows.collect()))
            }
        }
    }

    /// The rows whose body equals that of `keyword` at the level of partial searches, and whose body and form at
    /// [`Level::Kanji`] pass. With [`Further::LeftOut`] also those that equal the keyword once further kind words
    /// are left out.
    fn names_equal(
        &self,
        keyword: &str,
        passes: impl Fn(&str, Form) -> bool,
        further: Further,
    ) -> Result<Matches<'s>, Unanswered> {
        let typed = keyword;
        let keyword = folded(keyword, Level::Search);
        let (body, form) = split(&keyword, Level::Search);
        // A kind word with small letters is not one at the other level.
        let mut bodies = vec![body];
        if form != Form::NONE {
            bodies.push(&keyword);
        }
        let mut rows = Vec::new();
        for body in bodies {
            let found = self.order().find(body).map_err(|fault| self.refuse(fault))?;
            for row in self.order().rows(found.equal).map_err(|fault| self.refuse(fault))? {
                self.work.spend(units::TEXT_READ)?;
                let name = self.data.name(row).map_err(|fault| self.refuse(fault))?;
                let name = folded(name.trim(), Level::Kanji);
                let (found, form) = split(&name, Level::Kanji);
                if passes(found, form) {
                    rows.push(row);
                }
            }
        }
        if further == Further::LeftOut {
            for row in self.order().further(&keyword) {
                self.work.spend(units::TEXT_READ)?;
                let name = self.data.name(row).map_err(|fault| self.refuse(fault))?;
                let name = folded(name.trim(), Level::Kanji);
                if shortened(&name, Level::Kanji).iter().any(|left| left == typed) {
                    rows.push(row);
                }
            }
        }
        rows.sort_unstable();
        rows.dedup();
        Ok(Matches::from_rows(rows))
    }

    fn post_code(&self, text: &str) -> Result<Rows<'s>, Unanswered> {
        let digits = post_code_digits(text);
        self.work.spend(self.cost_of_post_code(digits.len()).units)?;
        let found = self.searchable.post_codes.root().find(&digits);
        Ok(Rows::of(self.rows, found.count(), found.rows()))
    }

    /// Thirteen digits are looked up. The rows with fewer digits were found before ([`super::number_parts`]).
    fn number(&self, text: &str) -> Result<Rows<'s>, Unanswered> {
        let Some(digits) = number_digits(text) else { return Ok(Rows::none()) };
        if digits.len() != NUMBER_DIGITS {
            return Ok(self.parts.rows_of(&digits));
        }
        let number = digits.iter().fold(0, |number, digit| number * 10 + u64::from(*digit));
        let number = CorporateNumber::from_number(number);
        let row = number.map(|number| self.data.row_of(number)).transpose()?;
        let mut rows: Vec<u32> = row.flatten().into_iter().collect();
        let hidden: Vec<u32> = self.searchable.codes().hidden().collect();
        rows.retain(|row| hidden.binary_search(row).is_err());
        Ok(Rows::of(self.rows, rows.len(), rows.into_iter()))
    }
}

/// The digits of a postal code, or of a part of one.
pub(super) fn post_code_digits(text: &str) -> Vec<char> {
    let mut digits = of_keyword(text, TextField::StreetNumber);
    digits.retain(|digit| !matches!(digit, '-' | '〒'));
    digits
}

/// A keyword in the form compared with names: folded, its abbreviation expanded.
pub(super) fn name_keyword(text: &str) -> String {
    expand(&folded(text.trim(), Level::Search), Level::Search).into_owned()
}
