//! Accounts of Japan Post Bank, which have two names: 記号番号 inside the bank (14030 12345671), and a branch with an
//! account number for transfers from other banks (408, 1234567). Either gives the other by the bank's public rule.
//!
//! The symbol is a digit for the type, two digits that are the first two of the branch, a check digit, and 0. The check
//! digit is that of symbol and number together. What is made from branch and account has the right one; so a mistake in a
//! branch or an account is not noticed, one in symbol and number is.

use std::fmt;

use super::digits::{BranchCode, digit};
use crate::text::named_enum::named_enum;

named_enum! {
    fn name;
    /// The type, which the first digit of the symbol and the last of the branch show.
    pub enum YuchoType {
        /// 総合口座, 通常貯金 or 通常貯蓄貯金; the symbol does not say which.
        Ordinary = "ordinary",
        /// 振替口座, a current account.
        Current = "current",
    }
}

impl YuchoType {
    fn symbol_digit(self) -> u8 {
        match self {
            YuchoType::Ordinary => 1,
            YuchoType::Current => 0,
        }
    }

    fn branch_digit(self) -> u8 {
        match self {
            YuchoType::Ordinary => 8,
            YuchoType::Current => 9,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct YuchoAccount {
    account_type: YuchoType,
    /// The first two digits of the branch.
    place: u8,
    /// The account number of transfers: up to seven digits, six in a current account.
    account: u32,
}

/// Why a text names no account. Each names the part that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum YuchoFault {
    #[error("expected a symbol of five digits, the first 1 or 0 and the last 0; found {0:?}")]
    Symbol(String),
    #[error("expected a number of two to eight digits that ends in 1; found {0:?}")]
    OrdinaryNumber(String),
    #[error("expected a number of one to six digits, as the symbol begins with 0; found {0:?}")]
    CurrentNumber(String),
    #[error(
        "expected {expected} as the fourth digit of the symbol, the check digit of symbol and number; found {found}"
    )]
    CheckDigit { expected: u8, found: u8 },
    #[error("expected a branch that ends in 8 or 9; found {0}")]
    Branch(BranchCode),
    #[error("expected an account number of one to seven digits; found {0:?}")]
    OrdinaryAccount(String),
    #[error(
        "expected an account number of one to six digits, as the branch ends in 9; found {0:?}"
    )]
    CurrentAccount(String),
}

impl YuchoAccount {
    /// The account of a symbol and a number, in either width. Between them some passbooks print one more digit,
    /// `14030-1`, which transfers do not use.
    pub fn from_symbol(symbol: &str, number: &str) -> Result<YuchoAccount, YuchoFault> {
        let symbol_fault = || YuchoFault::Symbol(beginning(symbol));
        let main = symbol.split_once('-').map_or(symbol, |(main, extra)| match digits_of(extra) {
            Some(extra) if extra.len() == 1 => main,
            _ => "",
        });
        let digits = digits_of(main).ok_or_else(symbol_fault)?;
        let &[first, tens, ones, check, 0] = digits.as_slice() else { return Err(symbol_fault()) };
        let account_type = match first {
            1 => YuchoType::Ordinary,
            0 => YuchoType::Current,
            _ => return Err(symbol_fault()),
        };
        let digits = digits_of(number);
        let account = match (account_type, digits.as_deref()) {
            (YuchoType::Ordinary, Some([account @ .., 1])) if (1..=7).contains(&account.len()) => {
                account
            }
            (YuchoType::Current, Some(account)) if account.len() <= 6 => account,
            (YuchoType::Ordinary, _) => {
                return Err(YuchoFault::OrdinaryNumber(beginning(number)));
            }
            (YuchoType::Current, _) => return Err(YuchoFault::CurrentNumber(beginning(number))),
        };
        let place = tens * 10 + ones;
        let account = YuchoAccount { account_type, place, account: value(account) };
        match account.check_digit() {
            expected if expected != check => Err(YuchoFault::CheckDigit { expected, found: check }),
            _ => Ok(account),
        }
    }

    /// The account of a branch and an account number, as transfers have them.
    pub fn from_transfer(branch: BranchCode, account: &str) -> Result<YuchoAccount, YuchoFault> {
        let account_type = match branch.number() % 10 {
            8 => YuchoType::Ordinary,
            9 => YuchoType::Current,
            _ => return Err(YuchoFault::Branch(branch)),
        };
        let place = u8::try_from(branch.number() / 10).expect("three digits");
        let digits = digits_of(account);
        match (account_type, digits.as_deref()) {
            (YuchoType::Ordinary, Some(digits)) if digits.len() <= 7 => {
                Ok(YuchoAccount { account_type, place, account: value(digits) })
            }
            // Transfers write seven digits; the first of a current account is 0.
            (YuchoType::Current, Some(digits))
                if digits.len() <= 7 && value(digits) < 1_000_000 =>
            {
                Ok(YuchoAccount { account_type, place, account: value(digits) })
            }
            (YuchoType::Ordinary, _) => Err(YuchoFault::OrdinaryAccount(beginning(account))),
            (YuchoType::Current, _) => Err(YuchoFault::CurrentAccount(beginning(account))),
        }
    }

    pub fn account_type(self) -> YuchoType {
        self.account_type
    }

    pub fn branch(self) -> u16 {
        u16::from(self.place) * 10 + u16::from(self.account_type.branch_digit())
    }

    /// The account number for transfers, which is written with seven digits.
    pub fn account(self) -> u32 {
        self.account
    }

    pub fn symbol(self) -> Symbol {
        Symbol(self)
    }

    /// The number that follows the symbol, without zeros in front.
    pub fn number(self) -> u32 {
        match self.account_type {
            YuchoType::Ordinary => self.account * 10 + 1,
            YuchoType::Current => self.account,
        }
    }

    /// The check digit of symbol and number: of the thirteen digits, the check digit counted as 0, every third counts
    /// once, every third three times, and every third twice, without 9 if that has two digits; the last counts once.
    fn check_digit(self) -> u8 {
        let symbol = [self.account_type.symbol_digit(), self.place / 10, self.place % 10, 0, 0];
        let number = format!("{:08}", self.number());
        let digits = symbol.into_iter().chain(number.bytes().map(|byte| byte - b'0'));
        let weighted = digits.enumerate().map(|(index, digit)| match index {
            12 => digit,
            index if index % 3 == 0 => digit,
            index if index % 3 == 1 => digit * 3,
            _ => digit * 2 - if digit < 5 { 0 } else { 9 },
        });
        weighted.sum::<u8>() % 10
    }
}

/// The five digits before the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symbol(YuchoAccount);

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Symbol(account) = *self;
        let first = account.account_type.symbol_digit();
        write!(f, "{first}{:02}{}0", account.place, account.check_digit())
    }
}

/// The beginning of a text, for an error.
fn beginning(text: &str) -> String {
    text.chars().take(20).collect()
}

/// The digits of a text that has nothing else, at least one.
fn digits_of(text: &str) -> Option<Vec<u8>> {
    if text.is_empty() || text.len() > 3 * 8 {
        return None;
    }
    text.chars().map(digit).collect()
}

fn value(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |value, digit| value * 10 + u32::from(*digit))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn branch(text: &str) -> BranchCode {
        BranchCode::parse(text).expect("a branch")
    }

    /// Accounts that are published with both of their names or one of them: of charities and companies, and examples.
    #[test]
    fn published_accounts_have_both_names() {
        for (symbol, number, of_transfers, account) in [
            ("14030", "12345671", "408", "1234567"),
            ("15150", "21111111", "518", "2111111"),
            ("17470", "77231881", "748", "7723188"),
            ("10290", "86685441", "028", "8668544"),
            ("10190", "90647671", "018", "9064767"),
            ("00160", "100001", "019", "0100001"),
            ("00580", "654321", "059", "0654321"),
            // 日本赤十字社, 日本ユニセフ協会, 国境なき医師団, 国連UNHCR協会, 中央共同募金会, ペシャワール会.
            ("00140", "507", "019", "0000507"),
            ("00190", "31000", "019", "0031000"),
            ("00190", "566468", "019", "0566468"),
            ("00140", "569575", "019", "0569575"),
            ("00130", "421020", "019", "0421020"),
            ("01790", "6559", "179", "0006559"),
        ] {
            let found = YuchoAccount::from_symbol(symbol, number).expect(symbol);
            assert_eq!(format!("{:03}", found.branch()), of_transfers);
            assert_eq!(format!("{:07}", found.account()), account);
            let back = YuchoAccount::from_transfer(branch(of_transfers), account);
            assert_eq!(back, Ok(found));
            assert_eq!(
                (found.symbol().to_string(), found.number().to_string()),
                (symbol.into(), number.into())
            );
        }
        let plain = YuchoAccount::from_symbol("14030", "12345671");
        for (symbol, number) in [("14030-1", "12345671"), ("１４０３０", "１２３４５６７１")]
        {
            assert_eq!(YuchoAccount::from_symbol(symbol, number), plain);
        }
        let short = YuchoAccount::from_transfer(branch("019"), "507");
        assert_eq!(short, YuchoAccount::from_symbol("00140-8", "000507"));
    }

    #[test]
    fn a_wrong_part_is_named_with_what_was_expected() {
        for (symbol, number, expected) in [
            ("14031", "12345671", "five digits"),
            ("24030", "12345671", "the first 1 or 0"),
            ("1403", "12345671", "five digits"),
            ("140300", "12345671", "five digits"),
            ("14030-12", "12345671", "five digits"),
            ("14030-", "12345671", "five digits"),
            ("", "1", "five digits"),
            ("14030", "12345672", "ends in 1"),
            ("14030", "1", "two to eight digits"),
            ("14030", "123456781", "two to eight digits"),
            ("14030", "", "two to eight digits"),
            ("14030", "1234567a", "two to eight digits"),
            ("00140", "1234567", "one to six digits"),
            ("14040", "12345671", "expected 3 as the fourth digit of the symbol"),
            ("14030", "12345681", "found 3"),
            ("00150", "507", "expected 4 as the fourth digit of the symbol"),
        ] {
            let fault = YuchoAccount::from_symbol(symbol, number).expect_err(symbol).to_string();
            assert!(fault.contains(expected), "{symbol} {number}: {fault}");
        }
        for (code, account, expected) in [
            ("407", "1234567", "ends in 8 or 9; found 407"),
            ("408", "12345678", "one to seven digits"),
            ("408", "", "one to seven digits"),
            ("408", "12-3", "one to seven digits"),
            ("019", "1234567", "one to six digits"),
        ] {
            let fault = YuchoAccount::from_transfer(branch(code), account);
            let fault = fault.expect_err(code).to_string();
            assert!(fault.contains(expected), "{code} {account}: {fault}");
        }
    }

    proptest! {
        #[test]
        fn every_account_comes_back(place in 0..100u16, is_current: bool, account in 0..1_000_000u32) {
            let code = branch(&format!("{:03}", place * 10 + if is_current { 9 } else { 8 }));
            let found = YuchoAccount::from_transfer(code, &account.to_string()).expect("an account");
            let symbol = found.symbol().to_string();
            let again = YuchoAccount::from_symbol(&symbol, &format!("{:02}", found.number()));
            prop_assert_eq!(again, Ok(found));
        }

        #[test]
        fn a_wrong_digit_of_the_number_is_noticed(account in 0..1_000_000u32, place in 0..7u32, step in 1..10u32) {
            let code = branch("018");
            let found = YuchoAccount::from_transfer(code, &account.to_string()).expect("an account");
            let unit = 10u32.pow(place);
            let digit = account / unit % 10;
            let other = account - digit * unit + (digit + step) % 10 * unit;
            let refused = YuchoAccount::from_symbol(&found.symbol().to_string(), &format!("{other}1"));
            let is_refused = matches!(refused, Err(YuchoFault::CheckDigit { .. }));
            prop_assert!(is_refused, "{} {}", account, other);
        }

        #[test]
        fn any_text_is_read_or_refused(symbol in ".{0,8}", number in ".{0,10}") {
            let _ = YuchoAccount::from_symbol(&symbol, &number);
            let _ = YuchoAccount::from_transfer(branch("018"), &number);
        }
    }
}
