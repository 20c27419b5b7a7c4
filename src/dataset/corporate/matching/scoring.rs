//! Scores the rows that have a typed name: the likeliest first, and only as many as the answer depends on.
//!
//! A common name has hundreds of rows, and reading a record waits for memory. So each row first gets the most points that
//! it can have, from what its number, its weight and its kind of match say. Rows are read in this order, until no other
//! row can be among the candidates or decide the level.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::candidate::{CANDIDATES_MAX, Candidate, MatchQuery};
use super::place::{Municipalities, TypedAddress};
use super::rules::{LEAD_MIN, REVIEW_MIN, Reason};
use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::record::CorporateHead;
use crate::dataset::corporate::search::loose::{LooseMatch, LooseMatches, reading_match};
use crate::index::prominence::CLOSED;
use crate::query::budget::EvaluationError;
use crate::text::loose_name::{TypedForm, TypedName, legal_form};

/// Most reasons of a candidate: its name, form, place, closing, and that it is the only one.
const REASONS_MAX: usize = 5;

/// Kana from which a reading is hardly shared by a corporation whose reading is unknown.
const SURE_READING_MIN: usize = 12;

/// More points than any row has.
const POINTS_LIMIT: i32 = 1_000;

/// The place of a row among the candidates, the likeliest first: by points, open before closed, then by row.
fn order(points: i32, is_closed: bool, row: u32) -> u64 {
    ((POINTS_LIMIT - points) as u64) << 33 | u64::from(is_closed) << 32 | u64::from(row)
}

/// A row with its points; only of the candidates is the whole record read.
pub struct Scored<'s> {
    pub row: u32,
    pub head: CorporateHead<'s>,
    pub points: i32,
    matched: LooseMatch,
    reasons: Vec<Reason>,
}

impl<'s> Scored<'s> {
    pub fn order(&self) -> u64 {
        order(self.points, self.head.is_closed(), self.row)
    }

    pub fn into_candidate(
        self,
        data: &'s CorporateData,
        name: &TypedName,
    ) -> Result<Candidate<'s>, EvaluationError> {
        let Scored { row, head, points, matched, mut reasons } = self;
        let view = data.whole_record(row, head)?;
        // A reading and a sound have equal points, so that they are told apart here only.
        if matched == LooseMatch::Reading {
            reasons[0] = name_reason(reading_match(name, view.furigana()));
        }
        Ok(Candidate { row, view, reasons, points })
    }
}

/// A row that has the name in some way and is not read yet.
struct Unread {
    row: u32,
    matched: LooseMatch,
    weight: u8,
    /// Whether its prefecture is none that the address names.
    is_elsewhere: bool,
    /// The most points that it can have.
    points_max: i32,
}

impl Unread {
    fn is_closed(&self) -> bool {
        self.weight == CLOSED
    }

    fn order(&self) -> u64 {
        order(self.points_max, self.is_closed(), self.row)
    }
}

/// The rows of one kind of match that the answer depends on.
#[derive(Default)]
pub struct Scores<'s> {
    pub rows: Vec<Scored<'s>>,
    /// The points of the row with the surest match; of these of the heaviest, then of the first.
    pub surest: Option<i32>,
}

pub struct Matcher<'a, 's> {
    pub data: &'s CorporateData,
    pub municipalities: &'s Municipalities,
    pub query: &'a MatchQuery<'a>,
    pub name: &'a TypedName,
    pub address: Option<TypedAddress>,
}

impl<'s> Matcher<'_, 's> {
    /// The rows of the municipality or prefecture that the address names: a name with an error counts only there.
    pub fn places(&self) -> &[Range<u32>] {
        self.address.as_ref().map_or(&[], |address| &address.rows)
    }

    /// Scores rows that have the name in some way, as far as the answer depends on them.
    pub fn scores(&self, matches: &LooseMatches) -> Result<Scores<'s>, EvaluationError> {
        let names = self.data.loose_names()?;
        let unread = |(row, matched): &(u32, LooseMatch)| {
            Ok(self.unread(*row, *matched, names.weight(*row)?))
        };
        let unread = matches.rows.iter().map(unread);
        let mut unread = unread.collect::<Result<Vec<Unread>, EvaluationError>>()?;
        let Some(surest) = (0..unread.len())
            .min_by_key(|at| (unread[*at].matched, Reverse(unread[*at].weight), unread[*at].row))
        else {
            return Ok(Scores::default());
        };
        // These are all read, so their waits for memory overlap.
        for it in unread.iter().filter(|it| !it.is_elsewhere) {
            self.data.prefetch_head(it.row);
        }
        let only = if matches.is_cut { None } else { self.only_one(&unread)? };
        if let Some(only) = only {
            unread[only].points_max += self.only_reason().rule().points;
        }
        let score = |at: usize| self.score(&unread[at], only == Some(at));
        let mut best = BestRows::default();
        let mut rows = vec![score(surest)?];
        let surest_points = rows[0].points;
        best.add(&rows[0]);
        let others = (0..unread.len()).filter(|at| *at != surest);
        let mut queue: BinaryHeap<_> = others.map(|at| Reverse((unread[at].order(), at))).collect();
        while let Some(Reverse((_, at))) = queue.pop() {
            if best.is_decided(&unread[at]) {
                break;
            }
            let scored = score(at)?;
            best.add(&scored);
            rows.push(scored);
        }
        Ok(Scores { rows, surest: Some(surest_points) })
    }

    fn unread(&self, row: u32, matched: LooseMatch, weight: u8) -> Unread {
        let is_elsewhere = self.address.as_ref().is_some_and(|it| it.is_elsewhere(row));
        let place_max = match (&self.address, is_elsewhere) {
            (None, _) if self.query.postal_code.is_some() => Some(Reason::SamePostalCode),
            (None, _) => None,
            (Some(_), true) if matched == LooseMatch::WithoutBranch => None,
            (Some(_), true) => Some(Reason::OtherPlace),
            // No place has more points.
            (Some(_), false) => Some(Reason::SameLot),
        };
        let form_max = (self.name.form != TypedForm::Unsaid).then_some(Reason::FormEqual);
        let closed = (weight == CLOSED).then_some(Reason::Closed);
        let reasons = [Some(name_reason(matched)), form_max, place_max, closed];
        let points_max = reasons.into_iter().flatten().map(|it| it.rule().points).sum();
        Unread { row, matched, weight, is_elsewhere, points_max }
    }

    fn score(&self, it: &Unread, is_only_one: bool) -> Result<Scored<'s>, EvaluationError> {
        let head = self.data.record_head(it.row)?;
        let mut reasons = Vec::with_capacity(REASONS_MAX);
        reasons.push(name_reason(it.matched));
        reasons.extend(self.form_reason(&head));
        reasons.extend(self.place_reason(it, &head)?);
        if head.is_closed() {
            reasons.push(Reason::Closed);
        }
        if is_only_one {
            reasons.push(self.only_reason());
        }
        let points = reasons.iter().map(|it| it.rule().points).sum();
        Ok(Scored { row: it.row, head, points, matched: it.matched, reasons })
    }

    fn form_reason(&self, head: &CorporateHead<'_>) -> Option<Reason> {
        match self.name.form {
            TypedForm::Unsaid => None,
            form if form.allows(legal_form(&head.name().to_string())) => Some(Reason::FormEqual),
            _ => Some(Reason::FormDiffers),
        }
    }

    fn place_reason(
        &self,
        it: &Unread,
        head: &CorporateHead<'_>,
    ) -> Result<Option<Reason>, EvaluationError> {
        let near = match &self.address {
            None => None,
            // Most corporations with a common name are in other prefectures: their streets are not read.
            Some(_) if it.is_elsewhere => Some(Reason::OtherPlace),
            Some(address) => {
                let view = self.data.whole_record(it.row, *head)?;
                let city = self.municipalities.city(head.place().number());
                address.compare(city, &view.street().to_string())
            }
        };
        let has_code =
            self.query.postal_code.is_some() && self.query.postal_code == head.post_code();
        Ok(match near {
            // A branch is elsewhere.
            Some(Reason::OtherPlace | Reason::SamePrefecture)
                if it.matched == LooseMatch::WithoutBranch =>
            {
                None
            }
            None | Some(Reason::SameCity) if has_code => Some(Reason::SamePostalCode),
            near => near,
        })
    }

    /// The index of the only open corporation with the typed name and form, or of the only one if all of them are closed.
    fn only_one(&self, rows: &[Unread]) -> Result<Option<usize>, EvaluationError> {
        // Four of ten corporations have no reading: one with a common reading may be another one's as well.
        let is_short = self.name.key.chars().count() < SURE_READING_MIN;
        let has_name = |matched| match name_reason(matched) {
            Reason::OneLetterDiffers => false,
            Reason::ReadingEqual | Reason::SoundEqual => !is_short,
            _ => true,
        };
        let says_form = self.name.form != TypedForm::Unsaid;
        for is_closed in [false, true] {
            let mut only = None;
            for (at, it) in rows.iter().enumerate() {
                if it.is_closed() != is_closed || !has_name(it.matched) {
                    continue;
                }
                let has_other_form = says_form
                    && self.form_reason(&self.data.record_head(it.row)?)
                        == Some(Reason::FormDiffers);
                if !has_other_form && only.replace(at).is_some() {
                    return Ok(None);
                }
            }
            if only.is_some() {
                return Ok(only);
            }
        }
        Ok(None)
    }

    /// Nothing is known of the prefectures that the data lack.
    fn only_reason(&self) -> Reason {
        match self.municipalities.has_all_prefectures() {
            true => Reason::OnlyOfItsName,
            false => Reason::OnlyInData,
        }
    }
}

/// The rows that are the candidates so far, in their order.
#[derive(Default)]
struct BestRows {
    /// The order of each, its points, and whether it is closed.
    rows: Vec<(u64, i32, bool)>,
}

impl BestRows {
    fn add(&mut self, scored: &Scored<'_>) {
        let added = (scored.order(), scored.points, scored.head.is_closed());
        let place = self.rows.partition_point(|it| *it < added);
        self.rows.insert(place, added);
        self.rows.truncate(CANDIDATES_MAX);
    }

    /// Whether rows from this one on change neither the candidates nor the level.
    fn is_decided(&self, next: &Unread) -> bool {
        if next.points_max < REVIEW_MIN {
            return true;
        }
        let (Some((_, best, _)), Some((last, ..))) = (self.rows.first(), self.rows.last()) else {
            return false;
        };
        let are_candidates_known = self.rows.len() == CANDIDATES_MAX && *last < next.order();
        // An open candidate with as many points is a rival wherever one of the rest is.
        let has_open_rival = self.rows[1..].iter().any(|(_, _, is_closed)| !is_closed);
        are_candidates_known && (has_open_rival || next.points_max <= best - LEAD_MIN)
    }
}

fn name_reason(matched: LooseMatch) -> Reason {
    match matched {
        LooseMatch::Number => Reason::NumberGiven,
        LooseMatch::Name => Reason::NameEqual,
        LooseMatch::Alias => Reason::AliasEqual,
        LooseMatch::Spelling => Reason::SpellingEqual,
        LooseMatch::EnglishName => Reason::EnglishNameEqual,
        LooseMatch::Reading => Reason::ReadingEqual,
        LooseMatch::Sound => Reason::SoundEqual,
        LooseMatch::FormerName => Reason::FormerNameEqual,
        LooseMatch::WithoutBranch => Reason::NameWithoutBranch,
        LooseMatch::NearWhole
        | LooseMatch::Near
        | LooseMatch::Beginning
        | LooseMatch::FormerBeginning
        | LooseMatch::Ending
        | LooseMatch::Abbreviated => Reason::OneLetterDiffers,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lot_has_the_most_points_of_all_places() {
        for place in [
            Reason::SameTown,
            Reason::SameCity,
            Reason::SamePostalCode,
            Reason::SamePrefecture,
            Reason::OtherPlace,
        ] {
            assert!(place.rule().points <= Reason::SameLot.rule().points, "{place:?}");
        }
        let [reading, sound] = [Reason::ReadingEqual, Reason::SoundEqual].map(Reason::rule);
        assert_eq!(reading.points, sound.points, "they are told apart after the scoring");
    }

    #[test]
    fn rows_are_read_until_the_answer_is_decided() {
        #[track_caller]
        fn check(read: &[(i32, bool)], points_max: i32, weight: u8, expected: bool) {
            let mut best = BestRows::default();
            for (row, (points, is_closed)) in (0..).zip(read) {
                best.rows.push((order(*points, *is_closed, row), *points, *is_closed));
            }
            best.rows.sort_unstable();
            let (matched, is_elsewhere) = (LooseMatch::Name, false);
            let next = Unread { row: 9, matched, weight, is_elsewhere, points_max };
            assert_eq!(best.is_decided(&next), expected, "{read:?} {points_max}");
        }
        let (open, closed) = (false, true);
        check(&[], 100, 5, false);
        check(&[], REVIEW_MIN - 1, 5, true);
        check(&[(90, open); 4], 50, 5, false);
        check(&[(90, open); 5], 90, 5, true);
        check(&[(90, open); 5], 91, 5, false);
        // Five closed rows: an open one behind them is a rival.
        check(&[(90, closed); 5], 90, 5, false);
        check(&[(90, closed); 5], 83, 5, false);
        check(&[(90, closed); 5], 82, 5, true);
        let single = [(95, open), (60, closed), (60, closed), (60, closed), (60, closed)];
        check(&single, 55, 5, true);
        check(&single, 60, CLOSED, true);
        check(&single, 60, 5, false);
    }
}
