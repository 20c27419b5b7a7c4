//! A row of the tax agency's corporate files, its dates and numbers.

use std::borrow::Cow;

use daicho_core::text::codes::CorporateNumber;

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
