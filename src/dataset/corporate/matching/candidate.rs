//! What is asked of a match, and a corporation that may be meant.

use super::rules::Reason;
use crate::dataset::corporate::record::CorporateView;
use crate::text::codes::DataVersion;

/// Most candidates of an answer.
pub const CANDIDATES_MAX: usize = 5;

/// What is known of the wanted corporation.
#[derive(Debug, Clone, Copy, Default)]
pub struct MatchQuery<'q> {
    pub name: &'q str,
    pub address: &'q str,
    pub postal_code: Option<u32>,
    /// A telephone number is known. No register has any, so it is not compared, and the answer says so.
    pub has_telephone: bool,
}

/// A corporation that may be meant.
pub struct Candidate<'s> {
    pub row: u32,
    pub view: CorporateView<'s>,
    pub reasons: Vec<Reason>,
    pub(super) points: i32,
}

impl Candidate<'_> {
    /// From 0 to 100.
    pub fn score(&self) -> u8 {
        self.points.clamp(0, 100) as u8
    }

    /// The reasons in words, with the points of each.
    pub fn reasons_in_words(&self) -> String {
        let closed_on = self.view.close_date().and_then(DataVersion::from_number);
        let words = self.reasons.iter().map(|reason| match (reason, closed_on) {
            (Reason::Closed, Some(day)) => format!("closed on {day}"),
            _ => reason.rule().words.to_owned(),
        });
        words.collect::<Vec<_>>().join("; ")
    }
}
