//! The members of an institution and of a branch, and the row of an export with both.

use crate::dataset::bank::record::EntryView;
use crate::dataset::member::shape::Shape::{OrNull, Pattern, Text};
use crate::dataset::member::{Digits, members};

#[derive(Clone, Copy)]
pub struct Institution<'s>(pub EntryView<'s>);

members! {
    /// An institution.
    pub const INSTITUTION: "Bank" of it: Institution<'_>;
    "code": Pattern("^[0-9]{4}$") => Digits::<4>(it.0.code().into()), "Code of the institution, four digits", "金融機関コード（4桁）";
    ..Names { Names(it.0) };
}

#[derive(Clone, Copy)]
pub struct Branch<'s>(pub EntryView<'s>);

members! {
    /// A branch of an institution.
    pub const BRANCH: "Branch" of it: Branch<'_>;
    "code": Pattern("^[0-9]{3}$") => Digits::<3>(it.0.code().into()), "Code of the branch, three digits; several branches may share one", "支店コード（3桁）。複数の支店が同じコードを持つことがある";
    ..Names { Names(it.0) };
}

/// The names of an institution or a branch.
pub struct Names<'s>(pub EntryView<'s>);

members! {
    members of it: Names<'_>;
    "name": Text => it.0.name(), "Name", "名称";
    "katakana": Text => it.0.katakana(), "Reading in katakana", "読み（カタカナ）";
    "hiragana": Text => it.0.hiragana(), "Reading in hiragana", "読み（ひらがな）";
    "romaji": Text => it.0.romaji(), "Reading in Roman letters", "読み（ローマ字）";
}

/// A branch with its bank, or a bank without branches.
#[derive(Clone, Copy)]
pub struct BankRow<'s> {
    pub bank: EntryView<'s>,
    pub branch: Option<EntryView<'s>>,
    /// How many branches of the bank with the same code come before this one; code and ordinal identify a branch.
    pub ordinal: usize,
}

members! {
    /// A row of an export.
    pub const BANK_ROW: "BankRow" of it: BankRow<'_>;
    "bank": INSTITUTION => Institution(it.bank), "The institution", "金融機関";
    "branch": OrNull(&BRANCH) => it.branch.map(Branch), "The branch; null for an institution without branches", "支店。支店のない金融機関ではnull";
}
