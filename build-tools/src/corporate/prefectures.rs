//! The prefectures that a file covers, or several together: codes of JIS X 0401, and 99 for abroad.
//!
//! They follow from the tax agency's file names (`31_tottori_all_…`, `00_zenkoku_all_…`, `99_kokugai_all_…`); for a
//! file with another name, from its rows.

use super::row::ABROAD;
use crate::archive::file_name;

/// A set of prefectures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PrefectureSet {
    /// One bit per code; abroad is bit 0.
    bits: u64,
}

const PREFECTURES: u8 = 47;

impl PrefectureSet {
    /// The whole country, and abroad.
    pub const ALL: PrefectureSet = PrefectureSet { bits: (1 << (PREFECTURES + 1)) - 1 };

    /// The prefectures in the name of a full file; empty if it is not named by the tax agency.
    pub(super) fn from_file_name(name: &str) -> PrefectureSet {
        let mut found = PrefectureSet::default();
        let place = file_name(name).split_once("_all_").map(|(place, _date)| place);
        let code = place.and_then(|place| place.split_once('_')).map(|(code, _name)| code);
        match code.filter(|code| code.len() == 2).and_then(|code| code.parse().ok()) {
            Some(0) => found = PrefectureSet::ALL,
            Some(code) => found.insert(code),
            None => {}
        }
        found
    }

    /// Adds a prefecture; other numbers are ignored.
    pub fn insert(&mut self, code: u8) {
        self.bits |= bit(code);
    }

    pub fn contains(self, code: u8) -> bool {
        self.bits & bit(code) != 0
    }

    pub fn is_empty(self) -> bool {
        self.bits == 0
    }

    #[must_use]
    pub fn union(self, other: PrefectureSet) -> PrefectureSet {
        PrefectureSet { bits: self.bits | other.bits }
    }

    #[must_use]
    pub fn intersection(self, other: PrefectureSet) -> PrefectureSet {
        PrefectureSet { bits: self.bits & other.bits }
    }

    /// The codes, ascending.
    pub fn codes(self) -> impl Iterator<Item = u8> {
        (1..=PREFECTURES).chain([ABROAD]).filter(move |code| self.contains(*code))
    }
}

impl FromIterator<u8> for PrefectureSet {
    fn from_iter<I: IntoIterator<Item = u8>>(codes: I) -> PrefectureSet {
        let mut set = PrefectureSet::default();
        codes.into_iter().for_each(|code| set.insert(code));
        set
    }
}

fn bit(code: u8) -> u64 {
    match code {
        ABROAD => 1,
        1..=PREFECTURES => 1 << code,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefectures_are_read_from_file_names() {
        #[track_caller]
        fn check(name: &str, expected: &[u8]) {
            let found: Vec<u8> = PrefectureSet::from_file_name(name).codes().collect();
            assert_eq!(found, expected, "{name}");
        }
        let all: Vec<u8> = (1..=47).chain([99]).collect();
        check("31_tottori_all_20260731.csv", &[31]);
        check("data/31_tottori_all_20260731.zip#31_tottori_all_20260731.csv", &[31]);
        check("13_tokyo_all_20260331_01.csv.zst", &[13]);
        check("99_kokugai_all_20260731.zip", &[99]);
        check("00_zenkoku_all_20260731.zip", &all);
        check("31_tottori_all.csv", &[]);
        check("48_nowhere_all_20260731.csv", &[]);
        check("1_x_all_20260731.csv", &[]);
        check("diff_20260803.csv", &[]);
        check("", &[]);
    }

    #[test]
    fn sets_intersect_and_unite() {
        let set = |codes: &[u8]| codes.iter().copied().collect::<PrefectureSet>();
        assert_eq!(set(&[31, 99]).union(set(&[1, 31])), set(&[1, 31, 99]));
        assert_eq!(set(&[31, 99]).intersection(set(&[1, 31])), set(&[31]));
        assert!(set(&[31]).intersection(set(&[13])).is_empty());
        assert_eq!(PrefectureSet::ALL.intersection(set(&[99])), set(&[99]));
        assert_eq!(set(&[0, 48, 98, 100, 255]), PrefectureSet::default());
        assert_eq!((1..=47).chain([99]).collect::<PrefectureSet>(), PrefectureSet::ALL);
    }
}
