//! A row of the tax agency's corporate files, its dates and numbers, and the prefectures that a file covers.
//!
//! The prefectures, codes of JIS X 0401 and 99 for abroad, follow from the tax agency's file names
//! (`31_tottori_all_…`, `00_zenkoku_all_…`, `99_kokugai_all_…`); for a file with another name, from its rows.

use std::borrow::Cow;

use daicho_core::text::codes::CorporateNumber;

use crate::archive::file_name;

/// A calendar date as a number that sorts in the same order: 20260731. 0 for an empty column.
pub type Date = u32;

/// One line. Numbers of empty columns are 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CorporateRow<'l> {
    pub sequence_number: u32,
    /// Corporate number: 13 digits with the check digit first.
    pub number: u64,
    /// 処理区分: 1, 11, 12, 13, 21, 22, 71, 72, 81, 99.
    pub process: u8,
    /// 訂正区分.
    pub correct: bool,
    pub update_date: Date,
    pub change_date: Date,
    pub name: Cow<'l, str>,
    pub name_image: u32,
    /// 法人種別: 101, 201, 301 to 305, 399, 401, 499.
    pub kind: u16,
    pub prefecture: Cow<'l, str>,
    pub city: Cow<'l, str>,
    pub street: Cow<'l, str>,
    pub address_image: u32,
    /// JIS X 0401.
    pub prefecture_code: u8,
    /// JIS X 0402.
    pub city_code: u16,
    pub post_code: u32,
    pub outside: Cow<'l, str>,
    pub outside_image: u32,
    pub close_date: Date,
    /// 登記記録の閉鎖等の事由: 1, 11, 21, 31.
    pub close_cause: u8,
    pub successor: u64,
    pub change_cause: Cow<'l, str>,
    pub assignment_date: Date,
    /// 最新履歴: whether this is the corporation's newest entry.
    pub latest: bool,
    pub en_name: Cow<'l, str>,
    pub en_prefecture: Cow<'l, str>,
    pub en_city: Cow<'l, str>,
    pub en_outside: Cow<'l, str>,
    pub furigana: Cow<'l, str>,
    /// 検索対象除外.
    pub hihyoji: bool,
}

/// The code in the tax agency's files for corporations abroad.
pub const ABROAD: u8 = 99;

impl CorporateRow<'_> {
    /// The prefecture whose file has it: the prefecture of its address, or [`ABROAD`] if its address is abroad, even if
    /// it has an office in Japan.
    pub fn file_prefecture(&self) -> u8 {
        match self.prefecture_code {
            0 => ABROAD,
            _ if !self.outside.is_empty() => ABROAD,
            code => code,
        }
    }
}

/// 削除: the number was withdrawn, and the rest of the row is empty.
pub const WITHDRAWN: u8 = 99;

/// The number, if it has thirteen digits and the right check digit.
pub(crate) fn parse_number(text: &str) -> Option<u64> {
    let number = CorporateNumber::parse(text).ok().filter(|_| text.is_ascii())?;
    number.is_sound().then_some(number.number())
}

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
    fn one_check_digit_of_ten_is_right() {
        // The agency's own number, and a municipality's.
        for number in ["7000012050002", "1000020313025", "2021001052596"] {
            assert_eq!(
                parse_number(number).map(|number| number.to_string()).as_deref(),
                Some(number)
            );
            let right =
                (0..10).filter(|check| parse_number(&format!("{check}{}", &number[1..])).is_some());
            assert_eq!(right.count(), 1);
        }
        for text in ["", "700001205000", "70000120500020", "700001205000O", "７000012050002"] {
            assert_eq!(parse_number(text), None, "{text:?}");
        }
    }
}

#[cfg(test)]
mod prefectures_tests {
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
