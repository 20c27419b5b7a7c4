//! The numbers of a list that a person has: each once, and what was left out of them with the reason.
//!
//! People write numbers with and without `T`, in full-width digits, with hyphens and spaces; both registers take all of
//! these. Does not know files: the caller has the lines.

use std::collections::HashSet;

use crate::text::codes::{CorporateNumber, InvoiceNumber, Register};
use crate::text::named_enum::named_enum;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberList {
    /// Ascending, each once.
    pub numbers: Vec<CorporateNumber>,
    /// In the order of the list.
    pub left_out: Vec<LeftOut>,
    /// How many rows have nothing where the number should be.
    pub blank: u64,
    /// Numbers of invoice issuers with a wrong check digit. They are kept: individuals have such numbers. But they may
    /// be mistyped.
    pub unchecked: Vec<(u64, CorporateNumber)>,
}

/// An entry that is not watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// From 1.
    pub line: u64,
    /// The entry, shortened.
    pub text: String,
    pub reason: Reason,
}

named_enum! {
    fn as_str;
    pub enum Reason {
        NoNumber = "not_a_number",
        WrongCheckDigit = "wrong_check_digit",
        /// The same number is in an earlier line.
        Duplicate = "duplicate",
    }
}

/// Letters of an entry that are kept.
const TEXT_LETTERS_MAX: usize = 40;

impl NumberList {
    /// Reads entries, each with its line.
    pub fn read<'t>(
        register: Register,
        entries: impl IntoIterator<Item = (u64, &'t str)>,
    ) -> NumberList {
        let (mut known, mut numbers, mut left_out) = (HashSet::new(), Vec::new(), Vec::new());
        let (mut blank, mut unchecked) = (0, Vec::new());
        for (line, text) in entries {
            if text.trim().is_empty() {
                blank += 1;
                continue;
            }
            let reason = match parse(text) {
                None => Reason::NoNumber,
                Some(number) if !register.may_have(number) => Reason::WrongCheckDigit,
                Some(number) if known.insert(number) => {
                    if !number.is_sound() {
                        unchecked.push((line, number));
                    }
                    numbers.push(number);
                    continue;
                }
                Some(_) => Reason::Duplicate,
            };
            let text = text.trim().chars().take(TEXT_LETTERS_MAX).collect();
            left_out.push(LeftOut { line, text, reason });
        }
        numbers.sort_unstable();
        NumberList { numbers, left_out, blank, unchecked }
    }
}

/// Whether a text is a number of either register, whatever its check digit.
pub fn is_number(text: &str) -> bool {
    parse(text).is_some()
}

/// Whether a text is a number that the register writes this way: a registration number has a `T`. A table may have both
/// numbers of each row.
pub fn is_number_of(register: Register, text: &str) -> bool {
    let has_mark = text.trim_start().starts_with(['T', 'Ｔ', 't', 'ｔ']);
    is_number(text) && has_mark == (register == Register::Invoice)
}

/// Whether a text looks as if it should be a number: it has most of its digits. The name of a column has none.
pub fn is_like_number(text: &str) -> bool {
    text.chars().filter(|letter| letter.is_numeric()).count() * 2 > CorporateNumber::DIGITS
}

fn parse(text: &str) -> Option<CorporateNumber> {
    let is_separator =
        |letter: char| letter.is_whitespace() || matches!(letter, '-' | '－' | '‐' | '−' | 'ー');
    let text: String = text.chars().filter(|letter| !is_separator(*letter)).collect();
    match text.strip_prefix(['t', 'ｔ']) {
        Some(digits) => CorporateNumber::parse(digits).ok(),
        None => InvoiceNumber::parse(&text)
            .map(InvoiceNumber::corporate)
            .or_else(|_no_mark| CorporateNumber::parse(&text))
            .ok(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(register: Register, entries: &[&str]) -> NumberList {
        NumberList::read(register, (1..).zip(entries.iter().copied()))
    }

    #[test]
    fn a_number_is_read_in_every_form_that_people_write() {
        for text in [
            "7000012050002",
            "T7000012050002",
            "t7000012050002",
            "Ｔ７００００１２０５０００２",
            " T7-0000-1205-0002 ",
            "7 0000 1205 0002",
        ] {
            for register in Register::ALL {
                let numbers = read(register, &[text]).numbers;
                let numbers: Vec<u64> = numbers.into_iter().map(CorporateNumber::number).collect();
                assert_eq!(numbers, [7_000_012_050_002], "{text}");
            }
        }
        for text in ["700001205000", "70000120500021", "TT7000012050002", "7.00001E+12", "-", "T"] {
            let list = read(Register::Invoice, &[text]);
            let reasons: Vec<Reason> = list.left_out.iter().map(|entry| entry.reason).collect();
            assert_eq!(reasons, [Reason::NoNumber], "{text}");
            assert!(list.numbers.is_empty());
        }
    }

    #[test]
    fn what_is_left_out_has_its_line_and_reason() {
        let entries = ["6010001999901", "", "x", "T6010001999901", "9810999999902", " "];
        let left_out = |line, text: &str, reason| LeftOut { line, text: text.to_owned(), reason };
        let list = read(Register::Corporate, &entries);
        let (no_number, duplicate) =
            (left_out(3, "x", Reason::NoNumber), left_out(4, "T6010001999901", Reason::Duplicate));
        let wrong = left_out(5, "9810999999902", Reason::WrongCheckDigit);
        assert_eq!(list.left_out, [no_number.clone(), duplicate.clone(), wrong]);
        assert_eq!((list.blank, list.numbers.len(), list.unchecked.len()), (2, 1, 0));
        // An individual may be registered with that number.
        let list = read(Register::Invoice, &entries);
        assert_eq!(list.left_out, [no_number, duplicate]);
        let unchecked: Vec<u64> = list.unchecked.iter().map(|(line, _number)| *line).collect();
        assert_eq!((list.numbers.len(), unchecked), (2, vec![5]));
        let long = "9".repeat(1000);
        assert_eq!(read(Register::Corporate, &[&long]).left_out[0].text.len(), TEXT_LETTERS_MAX);
    }

    #[test]
    fn names_of_columns_are_not_like_numbers() {
        for (text, expected) in [
            ("登録番号", false),
            ("T番号2", false),
            ("法人番号(13桁)", false),
            ("", false),
            ("701000", false),
            ("7010001", true),
            ("７０１０００１", true),
            ("7000012050003", true),
        ] {
            assert_eq!(is_like_number(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_entry_is_counted_once(entries in proptest::collection::vec("[T0-9x ]{0,14}|T?[67]000012050002", 0..20)) {
            for register in Register::ALL {
                let list = NumberList::read(register, (1..).zip(entries.iter().map(String::as_str)));
                let blank = usize::try_from(list.blank).expect("few");
                prop_assert_eq!(list.numbers.len() + list.left_out.len() + blank, entries.len());
                prop_assert!(list.numbers.is_sorted_by(|left, right| left < right));
            }
        }
    }
}
