//! A row that needs a person: what was found, why it is doubtful in words, and the places that it may mean.
//!
//! The only file that asks the normaliser for candidates.

use std::sync::Arc;

use super::added::full_address;
use super::doubt::{Doubt, Doubts, doubtful_letters, unplaced};
use super::placement::{Match, Placement, digits};
use super::review_file::{CANDIDATES_MAX, ReviewCandidate, ReviewForm, ReviewRow};
use crate::address::{AddressScratch, MatchLevel};
use crate::dataset::postal::PostalData;
use crate::dataset::postal::address_search::Candidate;
use crate::record::postal::{CityView, PostalView};
use crate::snapshot::OpenError;

/// The rows of addresses in the file.
pub const ADDRESS_REVIEW: ReviewForm = ReviewForm {
    members: &["address", "match", "postal_code", "found"],
    candidate_members: &["postal_code", "place"],
};

/// A place that an address may mean.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PossibleCode {
    /// `None` for a municipality, which has many codes.
    code: Option<[u8; 7]>,
    place: String,
}

impl PossibleCode {
    /// Such as `1000001 東京都千代田区千代田`.
    fn line(&self) -> String {
        format!("{} {}", code_text(&self.code), self.place).trim_start().to_owned()
    }

    fn into_candidate(self) -> ReviewCandidate {
        ReviewCandidate {
            line: self.line(),
            values: vec![some_text(code_text(&self.code)), Some(self.place)],
        }
    }
}

fn some_text(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// The digits of a code; empty for none.
fn code_text(code: &Option<[u8; 7]>) -> &str {
    code.as_ref().and_then(|code| std::str::from_utf8(code).ok()).unwrap_or_default()
}

/// Describes rows. Its buffers are reused.
#[derive(Debug, Default)]
pub struct Reviewer {
    scratch: AddressScratch,
    rows: Vec<u32>,
}

impl Reviewer {
    /// Describes a row with these doubts; adds the doubt that several places fit if their search finds more than one.
    pub fn describe(
        &mut self,
        data: &PostalData,
        placement: &Placement,
        text: &str,
        doubts: &mut Doubts,
    ) -> Result<ReviewRow, Arc<OpenError>> {
        let mut candidates = Vec::new();
        if let Some(address) = placement.address() {
            let explained = data.explain(text, address, None)?;
            candidates.extend(explained.candidates.iter().map(possible_place));
            doubts.set(Doubt::SeveralPlaces, candidates.len() > 1);
            if matches!(address.level(), MatchLevel::Town(_)) {
                data.address_rows(address, &mut self.scratch, &mut self.rows)?;
                candidates.extend(data.rows(&self.rows)?.map(possible_record));
            }
            if doubts.has(Doubt::CodeDiffers)
                && let Some(given) = placement.given()
            {
                // The place of the file's own code is one of the two that a person compares: it stays in the list.
                keep_distinct(&mut candidates, CANDIDATES_MAX - 1);
                candidates.extend(data.lookup(given)?.map(possible_record));
            }
        }
        keep_distinct(&mut candidates, CANDIDATES_MAX);
        let found = placement.address().map(full_address).unwrap_or_default();
        Ok(ReviewRow {
            row: 0,
            values: vec![
                Some(text.to_owned()),
                Some(placement.matched().name().to_owned()),
                some_text(code_text(&placement.code)),
                some_text(&found),
            ],
            reasons: doubts.iter().map(|doubt| reason(doubt, placement, text)).collect(),
            candidates: candidates.into_iter().map(PossibleCode::into_candidate).collect(),
        })
    }
}

/// The places that an address may mean as well, with their codes, in one line.
pub fn candidates_line(
    data: &PostalData,
    placement: &Placement,
    text: &str,
) -> Result<String, Arc<OpenError>> {
    let Some(address) = placement.address() else { return Ok(String::new()) };
    let explained = data.explain(text, address, None)?;
    let mut candidates = explained.candidates.iter().map(possible_place).collect();
    keep_distinct(&mut candidates, CANDIDATES_MAX);
    Ok(candidates.iter().map(PossibleCode::line).collect::<Vec<String>>().join("; "))
}

/// Keeps the first `count` different candidates.
fn keep_distinct(candidates: &mut Vec<PossibleCode>, count: usize) {
    let mut kept: Vec<PossibleCode> = Vec::new();
    for candidate in candidates.drain(..) {
        if kept.len() < count && !kept.contains(&candidate) {
            kept.push(candidate);
        }
    }
    *candidates = kept;
}

fn reason(doubt: Doubt, placement: &Placement, text: &str) -> String {
    match doubt {
        Doubt::NoCode | Doubt::SeveralPlaces => doubt.name().to_owned(),
        Doubt::NoTown => match placement.matched() {
            Match::City => "only the municipality is known",
            Match::Prefecture => "only the prefecture is known",
            _ => "nothing was recognised",
        }
        .to_owned(),
        Doubt::Letters => {
            let letters = doubtful_letters(placement);
            let pairs: Vec<String> =
                letters.map(|one| format!("{}→{}", one.read, one.became)).collect();
            format!("other letters: {}", pairs.join(", "))
        }
        Doubt::CodeDiffers => {
            let given = placement.given().map_or_else(String::new, |code| format!(" {code}"));
            format!("the postal code{given} is another one")
        }
        Doubt::Unplaced => {
            let parts: Vec<&str> = unplaced(placement, text).collect();
            format!("left over: {}", parts.join(", "))
        }
        Doubt::Unreadable => "invalid in the encoding of the file".to_owned(),
    }
}

fn possible_place(candidate: &Candidate<'_>) -> PossibleCode {
    match candidate.town {
        Some(town) => possible_record(town),
        None => PossibleCode { code: None, place: municipality(candidate.city) },
    }
}

fn possible_record(record: PostalView<'_>) -> PossibleCode {
    let mut place = municipality(record.city());
    place.push_str(record.town().name.text);
    for part in [record.koaza(), record.kyoto_street(), record.building()] {
        if !part.text.is_empty() {
            place.push(' ');
            place.push_str(part.text);
        }
    }
    if let Some(business) = record.corporation() {
        place.push(' ');
        place.push_str(business.name().text);
    }
    PossibleCode { code: Some(digits(record.postal_code())), place }
}

fn municipality(city: CityView<'_>) -> String {
    [city.prefecture().name.text, city.city().name.text].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_distinct_and_few() {
        let candidate = |code: u8| PossibleCode { code: Some([code; 7]), place: code.to_string() };
        let mut candidates = vec![candidate(1), candidate(1), candidate(2), candidate(3)];
        keep_distinct(&mut candidates, 2);
        assert_eq!(candidates, [candidate(1), candidate(2)]);
    }
}
