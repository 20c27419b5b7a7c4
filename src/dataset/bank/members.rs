//! The members of an institution and of a branch, the row of an export with both, and the answers with them.
//!
//! From API version 2025-01-01 on a branch code returns an array, in older versions the first of the branches that
//! share it.

use crate::dataset::bank::record::EntryView;
use crate::dataset::member::shape::Shape::{OrNull, Pattern, Text};
use crate::dataset::member::{Digits, MemberValue, members};
use crate::json::{close_data, open_data, push_code, write_list};
use crate::text::codes::{ApiVersion, DataVersion};

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

/// The API version from which the branches of a code are an array.
pub const ARRAYS_SINCE: ApiVersion = ApiVersion::V2025_01_01;

/// Appends the institution and its branches by code; those that share a code are side by side.
pub fn write_branches<'s>(
    out: &mut Vec<u8>,
    api: ApiVersion,
    version: DataVersion,
    bank: EntryView<'s>,
    branches: impl Iterator<Item = EntryView<'s>>,
) {
    open_bank(out, api, version, bank);
    out.extend_from_slice(b",\"branches\":{");
    let has_arrays = api >= ARRAYS_SINCE;
    let mut last = None;
    for branch in branches {
        let is_shared = last == Some(branch.code());
        if is_shared && !has_arrays {
            continue;
        }
        match (last, is_shared) {
            (None, _) => {}
            (Some(_), true) => out.push(b','),
            (Some(_), false) => out.extend_from_slice(if has_arrays { b"]," } else { b"," }),
        }
        if !is_shared {
            out.push(b'"');
            push_code::<3>(out, branch.code().into());
            out.extend_from_slice(if has_arrays { b"\":[" } else { b"\":" });
        }
        Branch(branch).write(out, api);
        last = Some(branch.code());
    }
    if last.is_some() && has_arrays {
        out.push(b']');
    }
    out.extend_from_slice(b"}}");
    close_data(out);
}

/// Appends the answer with an institution and the branches of one code, of which there is one or more.
pub fn write_branch<'s>(
    out: &mut Vec<u8>,
    api: ApiVersion,
    version: DataVersion,
    bank: EntryView<'s>,
    branches: impl Iterator<Item = EntryView<'s>>,
) {
    open_bank(out, api, version, bank);
    out.extend_from_slice(b",\"branch\":");
    if api >= ARRAYS_SINCE {
        write_list(out, branches, |out, branch| Branch(branch).write(out, api));
    } else {
        branches.take(1).for_each(|branch| Branch(branch).write(out, api));
    }
    out.push(b'}');
    close_data(out);
}

fn open_bank(out: &mut Vec<u8>, api: ApiVersion, version: DataVersion, bank: EntryView<'_>) {
    open_data(out, version);
    out.extend_from_slice(b"{\"bank\":");
    Institution(bank).write(out, api);
}
