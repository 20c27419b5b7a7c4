//! Finds the rows of one keyword or filter.

use super::digit_automaton::NUMBER_DIGITS;
use super::evaluate::Evaluation;
use super::keyword_form::{
    FORMER_NAME_BYTES_PER_UNIT, UNITS_PER_TEXT, former_name_keyword, name_keyword, post_code_digits,
};
use super::mode::SearchMode;
use super::partial_numbers::number_digits;
use super::row_text::FieldKeyword;
use super::search_index::PlaceField;
use crate::dataset::corporate::syntax::{
    CorporateField, CorporateFilter, CorporateVocabulary, TextField, fold_keyword,
};
use crate::index::grams::{Candidates, Matches, Reader};
use crate::query::budget::EvaluationError;
use crate::query::rows::{Rows, union};
use crate::query::syntax::CodePath;
use crate::query::{SearchTable, TextKeyword};
use crate::text::codes::CorporateNumber;
use crate::text::fold::{Level, folded};
use crate::text::kind_words::{Form, equals_without_kind_words, expand, split};
use crate::work::WorkBudget;

/// Whether names are found by what remains of them without kind words in other ways than by splitting off one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShorterNames {
    Included,
    LeftOut,
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
            Some(CorporateField::FormerName) => self.former_name(text).map(Rows::Matches),
            Some(CorporateField::EnName) => texts(TextField::EnName),
            Some(CorporateField::Furigana) => texts(TextField::Furigana),
            Some(CorporateField::StreetNumber) => texts(TextField::StreetNumber),
            Some(CorporateField::AddressOutside) => texts(TextField::AddressOutside),
            Some(CorporateField::PrefectureName) => places(PlaceField::Prefecture),
            Some(CorporateField::CityName) => places(PlaceField::City),
            Some(CorporateField::PostCode) => self.post_code(text),
            Some(CorporateField::CorporateNumber) => self.number(text),
            None if self.mode != SearchMode::Partial => self.name(text).map(Rows::Matches),
            None => {
                let mut found = vec![self.names_and_readings(text)?];
                let named = self.search_index.places.named(text);
                if !named.is_empty() {
                    found.push(Rows::Ranges(named));
                }
                if let Some(digits) = bare_number(text) {
                    found.push(self.row_of_number(&digits)?);
                }
                union(self.row_count, found, self.budget)
            }
        }
    }

    fn text_keyword(
        &self,
        field: Option<CorporateField>,
        text: &str,
    ) -> Result<Option<Box<dyn TextKeyword<'s> + '_>>, EvaluationError> {
        Ok(match self.letters_in_text(field, text) {
            Some((field, letters)) => Some(Box::new(self.letters_in(field, letters))),
            None => None,
        })
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

/// Folded letters that a field of a row may contain.
struct LettersInText<'e, 's> {
    evaluation: &'e Evaluation<'s>,
    field: TextField,
    reader: Reader<'s>,
    letters: Vec<char>,
}

impl<'s> TextKeyword<'s> for LettersInText<'_, 's> {
    fn bound(&self) -> Result<usize, EvaluationError> {
        Ok(self.reader.bound(&self.letters)?.rows)
    }

    fn candidates(&self) -> Result<Candidates<'s>, EvaluationError> {
        Ok(self.reader.candidates(&self.letters)?)
    }

    fn retain(&self, rows: &mut Vec<u32>) -> Result<bool, EvaluationError> {
        Ok(self.reader.retain(&self.letters, rows)?)
    }

    /// Each candidate of the index is read, unless it is certain.
    fn verified(&self, candidates: Candidates<'s>) -> Result<Matches<'s>, EvaluationError> {
        let Evaluation { data, budget, .. } = self.evaluation;
        let mut keyword = FieldKeyword::new(self.field, &self.letters);
        candidates.verified(
            |rows| data.prefetch_heads(rows),
            |row| {
                budget.spend(UNITS_PER_TEXT)?;
                keyword.is_in(data, row)
            },
        )
    }
}

impl<'s> Evaluation<'s> {
    fn text(&self, field: TextField, text: &str) -> Result<Matches<'s>, EvaluationError> {
        self.contains(field, fold_keyword(text, field))
    }

    /// The field and the folded letters of a keyword that is any part of one text of a row.
    fn letters_in_text(
        &self,
        field: Option<CorporateField>,
        text: &str,
    ) -> Option<(TextField, Vec<char>)> {
        let of_field = |field| Some((field, fold_keyword(text, field)));
        match field? {
            CorporateField::Name if self.mode == SearchMode::Partial => {
                let letters: Vec<char> = name_keyword(text).chars().collect();
                // A single letter is found in another way.
                (letters.len() != 1).then_some((TextField::Name, letters))
            }
            CorporateField::EnName => of_field(TextField::EnName),
            CorporateField::Furigana => of_field(TextField::Furigana),
            CorporateField::StreetNumber => of_field(TextField::StreetNumber),
            CorporateField::AddressOutside => of_field(TextField::AddressOutside),
            _ => None,
        }
    }

    fn letters_in(&self, field: TextField, letters: Vec<char>) -> LettersInText<'_, 's> {
        let reader = self.search_index.texts[field as usize].reader();
        LettersInText { evaluation: self, field, reader, letters }
    }

    /// The rows whose field contains a folded keyword.
    fn contains(
        &self,
        field: TextField,
        letters: Vec<char>,
    ) -> Result<Matches<'s>, EvaluationError> {
        let keyword = self.letters_in(field, letters);
        keyword.verified(keyword.candidates()?)
    }

    /// The rows whose name matches a keyword in the mode of the search.
    pub(super) fn name(&self, text: &str) -> Result<Matches<'s>, EvaluationError> {
        match self.mode {
            SearchMode::Exact => {
                let keyword = folded(text.trim(), Level::Kanji);
                let passes = |name: &str| equals_without_kind_words(name, &keyword, Level::Kanji);
                self.names_equal(&keyword, passes, ShorterNames::Included)
            }
            SearchMode::ExactWithKind => {
                let keyword = folded(text.trim(), Level::Kanji);
                let keyword = expand(&keyword, Level::Kanji);
                let (body, form) = split(&keyword, Level::Kanji);
                let same = |other: Form| other.spaced(false) == form.spaced(false);
                let passes = |name: &str| {
                    let (found, other) = split(name, Level::Kanji);
                    found == body && same(other)
                };
                self.names_equal(&keyword, passes, ShorterNames::LeftOut)
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
                    return self.contains(TextField::Name, letters);
                }
                let found = self.name_order().find(&keyword)?;
                Ok(Matches::from_rows(self.name_order().rows(found.equal)?.collect()))
            }
        }
    }

    /// The rows whose body equals the body of `keyword` at the level of partial searches, and whose name at
    /// [`Level::Kanji`] passes. With [`ShorterNames::Included`] also those that may equal the keyword once other kind
    /// words than the first are left out.
    fn names_equal(
        &self,
        keyword: &str,
        passes: impl Fn(&str) -> bool,
        shorter_names: ShorterNames,
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
            rows.extend(self.name_order().rows(self.name_order().find(body)?.equal)?);
        }
        if shorter_names == ShorterNames::Included {
            rows.extend(self.name_order().rows_shortened_to(&search_key));
        }
        rows.sort_unstable();
        rows.dedup();
        let mut found = Vec::new();
        for row in rows {
            if passes(&self.folded_name(row)?) {
                found.push(row);
            }
        }
        Ok(Matches::from_rows(found))
    }

    /// The rows with a former name that matches a keyword in the mode of the search.
    fn former_name(&self, text: &str) -> Result<Matches<'s>, EvaluationError> {
        let Some(names) = self.data.former_names()? else { return Ok(Matches::none()) };
        self.budget.spend(names.length() as u64 / FORMER_NAME_BYTES_PER_UNIT)?;
        let keyword = former_name_keyword(text, self.mode);
        let mut rows = names.rows_that_match(&keyword, self.mode);
        let hidden: Vec<u32> = self.search_index.codes().hidden().collect();
        rows.retain(|row| hidden.binary_search(row).is_err());
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
        self.row_of_number(&digits)
    }

    /// The rows that a keyword without an identifier finds by a name or reading.
    pub(super) fn names_and_readings(&self, text: &str) -> Result<Rows<'s>, EvaluationError> {
        let found = [
            self.name(text)?,
            self.text(TextField::EnName, text)?,
            self.text(TextField::Furigana, text)?,
        ];
        union(self.row_count, found.map(Rows::Matches).into(), self.budget)
    }

    fn row_of_number(&self, digits: &[u8]) -> Result<Rows<'s>, EvaluationError> {
        let number = digits.iter().fold(0, |number, digit| number * 10 + u64::from(*digit));
        let number = CorporateNumber::from_number(number);
        let row = number.map(|number| self.data.row_of(number)).transpose()?;
        let mut rows: Vec<u32> = row.flatten().into_iter().collect();
        let hidden: Vec<u32> = self.search_index.codes().hidden().collect();
        rows.retain(|row| hidden.binary_search(row).is_err());
        Ok(Rows::from_rows(self.row_count, rows.len(), rows.into_iter()))
    }
}

/// The digits of a keyword that is a corporate number, or the number of an invoice issuer with its T.
fn bare_number(text: &str) -> Option<Vec<u8>> {
    let letters = fold_keyword(text, TextField::StreetNumber);
    let digits: String = letters.strip_prefix(&['t']).unwrap_or(&letters).iter().collect();
    number_digits(&digits).filter(|digits| digits.len() == NUMBER_DIGITS)
}
