//! The census of a dataset: its numbers of records by kind, which a build compares with the previous version.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::query::{BankData, CorporateData, InvoiceData, PostalData, SchoolData};
use crate::snapshot::{Dataset, OpenError};

/// A kind of record, in the plural, and its number of records.
pub type Count = (String, u64);

pub const LARGE_BUSINESSES: &str = "large businesses";
pub const POST_OFFICE_BOXES: &str = "post-office boxes";
pub const INDIVIDUALS: &str = "numbers of individuals";

/// A kind that is a part of another is compared if it has at least this many records: a prefecture's few may close.
const PART_MIN: u64 = 100;

pub trait Census: Dataset {
    /// The numbers of records, each kind once.
    fn census(&self) -> Result<Vec<Count>, Arc<OpenError>>;
}

/// A kind of which many records are missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    pub kind: String,
    pub before: u64,
    pub now: u64,
}

/// The kinds for which `now` has less than four fifths of `before`.
pub fn losses(before: Vec<Count>, now: &[Count]) -> impl Iterator<Item = Loss> {
    before.into_iter().filter_map(|(kind, before)| {
        let now = now.iter().find(|(known, _)| *known == kind).map_or(0, |(_, count)| *count);
        (now * 5 < before * 4).then_some(Loss { kind, before, now })
    })
}

fn count(kind: &str, count: usize) -> Count {
    (kind.to_owned(), count as u64)
}

fn large_parts(counts: BTreeMap<String, u64>) -> impl Iterator<Item = Count> {
    counts.into_iter().filter(|(_, count)| *count >= PART_MIN)
}

impl Census for PostalData {
    fn census(&self) -> Result<Vec<Count>, Arc<OpenError>> {
        let (mut areas, mut businesses, mut boxes) = (0, 0, 0);
        for record in self.records()? {
            match record.corporation() {
                None => areas += 1,
                Some(business) if business.post_office_box() => boxes += 1,
                Some(_) => businesses += 1,
            }
        }
        Ok(vec![
            count("records of areas", areas),
            count(LARGE_BUSINESSES, businesses),
            count(POST_OFFICE_BOXES, boxes),
        ])
    }
}

impl Census for BankData {
    fn census(&self) -> Result<Vec<Count>, Arc<OpenError>> {
        let counts = self.counts()?;
        Ok(vec![count("institutions", counts.banks), count("branches", counts.branches)])
    }
}

impl Census for CorporateData {
    fn census(&self) -> Result<Vec<Count>, Arc<OpenError>> {
        let mut by_prefecture: BTreeMap<String, u64> = BTreeMap::new();
        for (place, rows) in self.places()? {
            let kind = match place.prefecture_code() {
                Some(code) => format!("corporations of prefecture {code:02}"),
                None => "corporations abroad".to_owned(),
            };
            *by_prefecture.entry(kind).or_default() += u64::from(rows.end - rows.start);
        }
        let all = count("corporations", self.row_count()?);
        Ok([all].into_iter().chain(large_parts(by_prefecture)).collect())
    }
}

impl Census for InvoiceData {
    fn census(&self) -> Result<Vec<Count>, Arc<OpenError>> {
        let counts = self.counts()?;
        Ok(vec![
            count("numbers of corporations and associations", counts.others),
            count(INDIVIDUALS, counts.individuals),
        ])
    }
}

impl Census for SchoolData {
    fn census(&self) -> Result<Vec<Count>, Arc<OpenError>> {
        let mut by_prefecture: BTreeMap<String, u64> = BTreeMap::new();
        for school in self.schools()? {
            let kind = format!("schools of prefecture {:02}", school.prefecture());
            *by_prefecture.entry(kind).or_default() += 1;
        }
        let all = count("schools", self.counts()?.schools);
        Ok([all].into_iter().chain(large_parts(by_prefecture)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_of_a_fifth_of_any_kind_is_reported() {
        let counts = |counts: &[(&str, u64)]| -> Vec<Count> {
            counts.iter().map(|(kind, count)| ((*kind).to_owned(), *count)).collect()
        };
        let loss = |kind: &str, before, now| Loss { kind: kind.to_owned(), before, now };
        let before = counts(&[("areas", 100), ("businesses", 10), ("boxes", 0)]);
        for (now, expected) in [
            (counts(&[("areas", 100), ("businesses", 10)]), vec![]),
            (counts(&[("areas", 80), ("businesses", 8)]), vec![]),
            (counts(&[("areas", 79), ("businesses", 20)]), vec![loss("areas", 100, 79)]),
            (counts(&[("areas", 120)]), vec![loss("businesses", 10, 0)]),
            (counts(&[]), vec![loss("areas", 100, 0), loss("businesses", 10, 0)]),
        ] {
            let found: Vec<Loss> = losses(before.clone(), &now).collect();
            assert_eq!(found, expected, "{now:?}");
        }
    }
}
