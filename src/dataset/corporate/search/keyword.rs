//! Finds the rows of one keyword or filter.

use super::digit_automaton::NUMBER_DIGITS;
use super::evaluate::{Evaluation, SearchMode};
use super::partial_numbers::number_digits;
use super::search_index::PlaceField;
use crate::dataset::corporate::syntax::{
    CorporateField, CorporateFilter, CorporateVocabulary, FieldFolder, TextField, fold_keyword,
};
use crate::index::grams::Matches;
use crate::query::SearchTable;
use crate::query::budget::{EvaluationError, WorkBudget};
use crate::query::rows::{Rows, union};
use crate::query::syntax::CodePath;
use crate::text::codes::CorporateNumber;
use crate::text::fold::{Level, folded};
use crate::text::kind_words::{Form, expand, shortened, split};

/// Units of work to read the text of a row: its record is at a random place in half a gigabyte.
pub const UNITS_PER_TEXT: u64 = 250;

/// Whether kind words of a name, beyond the one that is split off, may be left out as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExtraKindWords {
    Optional,
    Required,
}

impl<'s> SearchTable<'s> for Evaluation<'s> {
    type Vocabulary = CorporateVocabulary;

    fn row_count(&self) -> usize {
        self.row_count
    }

    fn keyword(
        &self,
        field: Option<CorporateField>,
        text: &str,
    ) -> Result<Rows<'s>, EvaluationError> {
        let places = |field| Ok(Rows::Ranges(self.search_index.places.find(field, text)));
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
                if self.mode != SearchMode::Partial {
                    return Ok(Rows::Matches(name));
                }
                let (en_name, furigana) = (texts(TextField::EnName)?, texts(TextField::Furigana)?);
                union(self.row_count, vec![Rows::Matches(name), en_name, furigana], self.budget)
            }
        }
    }

    fn filter(&self, filter: &CorporateFilter) -> Result<Rows<'s>, EvaluationError> {
        Ok(match filter {
            CorporateFilter::Area(path) => Rows::Ranges(self.search_index.places.areas.rows(path)),
            CorporateFilter::Code(CodePath { facet, code: Some(code) }) => {
                let index = facet.index_of(*code).expect("every word of a facet has a code");
                Rows::Value(self.search_index.codes().rows(*facet, index))
            }
            CorporateFilter::Code(CodePath { code: None, .. }) => {
                Rows::Ranges(std::iter::once(0..self.row_count as u32).collect())
            }
        })
    }

    fn budget(&self) -> &WorkBudget<'_> {
        self.budget
    }
}

impl<'s> Evaluation<'s> {
    fn text(&self, field: TextField, text: &str) -> Result<Matches<'s>, EvaluationError> {
        self.contains(field, &fold_keyword(text, field))
    }

    /// The rows whose field contains a folded keyword. Each candidate of the index is read, unless it is certain.
    fn contains(&self, field: TextField, keyword: &[char]) -> Result<Matches<'s>, EvaluationError> {
        let index = &self.search_index.texts[field as usize];
        let found = index.reader().candidates(keyword)?;
        let (mut letters, mut text) = (FieldFolder::default(), Vec::new());
        found.verified(|row| {
            self.budget.spend(UNITS_PER_TEXT)?;
            match field {
                // The name is at the start of a record, so the rest need not be read.
                TextField::Name => letters.fold_text(self.data.name(row)?, field, &mut text),
                _ => letters.fold_field(self.data.record(row)?, field, &mut text),
            }
            Ok(text.windows(keyword.len()).any(|part| part == keyword))
        })
    }

    /// The rows whose name matches a keyword in the mode of the search.
    pub(super) fn name(&self, text: &str) -> Result<Matches<'s>, EvaluationError> {
        match self.mode {
            SearchMode::Exact => {
                let keyword = folded(text.trim(), Level::Kanji);
                self.names_equal(&keyword, |body, _| body == keyword, ExtraKindWords::Optional)
            }
            SearchMode::ExactWithKind => {
                let keyword = folded(text.trim(), Level::Kanji);
                let keyword = expand(&keyword, Level::Kanji);
                let (body, form) = split(&keyword, Level::Kanji);
                let same = |other: Form| other.spaced(false) == form.spaced(false);
                let passes = |found: &str, other| found == body && same(other);
                self.names_equal(&keyword, passes, ExtraKindWords::Required)
            }
            SearchMode::Loose => {
                let mut rows: Vec<u32> = self.loose(text)?.iter().map(|found| found.row).collect();
                rows.sort_unstable();
                Ok(Matches::from_rows(rows))
            }
            SearchMode::Partial => {
                let keyword = name_keyword(text);
                let letters: Vec<char> = keyword.chars().collect();
                if letters.len() != 1 {
                    return self.contains(TextField::Name, &letters);
                }
                let found = self.name_order().find(&keyword)?;
                Ok(Matches::from_rows(self.name_order().rows(found.equal)?.collect()))
            }
        }
    }

    /// The rows whose body equals the body of `keyword` at the level of partial searches, and whose body and form at
    /// [`Level::Kanji`] pass. With [`ExtraKindWords::Optional`] also those whose name equals the keyword once the
    /// kind words beyond the first are left out.
    fn names_equal(
        &self,
        keyword: &str,
        passes: impl Fn(&str, Form) -> bool,
        extra_kind_words: ExtraKindWords,
    ) -> Result<Matches<'s>, EvaluationError> {
        let search_key = folded(keyword, Level::Search);
        let (body, form) = split(&search_key, Level::Search);
        // A kind word with small letters is not one at the other level.
        let mut bodies = vec![body];
        if form != Form::NONE {
            bodies.push(&search_key);
        }
        let mut rows = Vec::new();
        for body in bodies {
            let found = self.name_order().find(body)?;
            for row in self.name_order().rows(found.equal)? {
                let name = self.folded_name(row)?;
                let (found, form) = split(&name, Level::Kanji);
                if passes(found, form) {
                    rows.push(row);
                }
            }
        }
        if extra_kind_words == ExtraKindWords::Optional {
            for row in self.name_order().rows_shortened_to(&search_key) {
                let name = self.folded_name(row)?;
                if shortened(&name, Level::Kanji).iter().any(|short| short == keyword) {
                    rows.push(row);
                }
            }
        }
        rows.sort_unstable();
        rows.dedup();
        Ok(Matches::from_rows(rows))
    }

    /// The name of a row, folded for exact searches.
    fn folded_name(&self, row: u32) -> Result<String, EvaluationError> {
        self.budget.spend(UNITS_PER_TEXT)?;
        Ok(folded(self.data.name(row)?.trim(), Level::Kanji))
    }

    fn post_code(&self, text: &str) -> Result<Rows<'s>, EvaluationError> {
        let digits = post_code_digits(text);
        self.budget.spend(self.cost_of_post_code(digits.len()).units)?;
        let found = self.search_index.post_codes.root().find(&digits);
        Ok(Rows::from_rows(self.row_count, found.count(), found.rows()))
    }

    /// Thirteen digits are looked up. The rows with fewer digits were found before ([`super::partial_numbers`]).
    fn number(&self, text: &str) -> Result<Rows<'s>, EvaluationError> {
        let Some(digits) = number_digits(text) else { return Ok(Rows::none()) };
        if digits.len() != NUMBER_DIGITS {
            return Ok(self.partial_numbers.rows_of(&digits));
        }
        let number = digits.iter().fold(0, |number, digit| number * 10 + u64::from(*digit));
        let number = CorporateNumber::from_number(number);
        let row = number.map(|number| self.data.row_of(number)).transpose()?;
        let mut rows: Vec<u32> = row.flatten().into_iter().collect();
        let hidden: Vec<u32> = self.search_index.codes().hidden().collect();
        rows.retain(|row| hidden.binary_search(row).is_err());
        Ok(Rows::from_rows(self.row_count, rows.len(), rows.into_iter()))
    }
}

/// The digits of a postal code, or of a part of one.
pub(super) fn post_code_digits(text: &str) -> Vec<char> {
    let mut digits = fold_keyword(text, TextField::StreetNumber);
    digits.retain(|digit| !matches!(digit, '-' | '〒'));
    digits
}

/// A keyword in the form compared with names: folded, its abbreviation expanded.
pub(super) fn name_keyword(text: &str) -> String {
    expand(&folded(text.trim(), Level::Search), Level::Search).into_owned()
}
