//! Which prefectures the corporations of a version are of, if not of the whole country. What such data do not have may
//! exist all the same.

use super::data::CorporateData;
use crate::snapshot::Result;
use crate::text::codes::digits::{PREFECTURES, prefecture_in_roman};

/// The prefectures of the data, by their numbers in ascending order: fewer than all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coverage(Vec<u8>);

/// More prefectures than this are counted.
const NAMED_MAX: usize = 3;

impl Coverage {
    /// `鳥取県`, `鳥取県 and 島根県`, or `12 of 47 prefectures`.
    pub fn japanese(&self) -> String {
        self.listed(|code| PREFECTURES[usize::from(code) - 1].1)
    }

    /// The same in Roman letters, for headers.
    pub fn roman(&self) -> String {
        self.listed(|code| prefecture_in_roman(code).unwrap_or_default())
    }

    fn listed(&self, name: impl Fn(u8) -> &'static str) -> String {
        match self.0.len() {
            0 => "no prefecture".to_owned(),
            1..=NAMED_MAX => {
                self.0.iter().map(|code| name(*code)).collect::<Vec<_>>().join(" and ")
            }
            count => format!("{count} of {} prefectures", PREFECTURES.len()),
        }
    }
}

impl CorporateData {
    /// The prefectures of the data; `None` if they have all. Corporations abroad do not count.
    pub fn coverage(&self) -> Result<Option<Coverage>> {
        let codes = self
            .places()?
            .filter_map(|(place, rows)| place.prefecture_code().filter(|_| !rows.is_empty()));
        let known = |code: &u8| (1..=PREFECTURES.len()).contains(&usize::from(*code));
        let mut codes: Vec<u8> = codes.filter(known).collect();
        codes.sort_unstable();
        codes.dedup();
        Ok((codes.len() < PREFECTURES.len()).then_some(Coverage(codes)))
    }

    /// Whether the build was given a register of invoice issuers, so that the records say who is one.
    pub fn has_register(&self) -> Result<bool> {
        Ok(self.provenance()?.root().issuers_date.to_native() != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_prefectures_are_named_and_more_are_counted() {
        for (codes, japanese, roman) in [
            (&[31][..], "鳥取県", "Tottori"),
            (&[31, 32], "鳥取県 and 島根県", "Tottori and Shimane"),
            (&[1, 2, 3, 4], "4 of 47 prefectures", "4 of 47 prefectures"),
            (&[], "no prefecture", "no prefecture"),
        ] {
            let coverage = Coverage(codes.to_vec());
            assert_eq!(
                (coverage.japanese().as_str(), coverage.roman().as_str()),
                (japanese, roman)
            );
        }
    }
}
