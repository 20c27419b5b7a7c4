//! Banks with their branches: one row per branch, and one for an institution without branches.

use std::sync::Arc;

use super::columns::{push_code, push_code_or_null};
use crate::dataset::bank::BankData;
use crate::dataset::bank::record::EntryView;
use crate::export::Getter::{Formatted, FormattedOrNull, Text, TextOrNull};
use crate::export::{ComparableSource, ExportError, Field, RecordVisitor, Source, field};
use crate::text::codes::BankCode;

pub struct Bank {
    data: Arc<BankData>,
}

impl Bank {
    pub fn new(data: Arc<BankData>) -> Bank {
        Bank { data }
    }
}

/// A branch with its bank, or a bank without branches.
pub struct BankRow<'s> {
    bank: EntryView<'s>,
    branch: Option<EntryView<'s>>,
    /// How many branches of the bank with the same code come before this one; code and ordinal identify a branch.
    ordinal: usize,
}

#[rustfmt::skip] // One column a line.
const FIELDS: &[Field<Bank>] = &[
    field("bank_code", Formatted(|it, out| push_code::<4>(out, it.bank.code().into()))),
    field("bank_name", Text(|it| it.bank.name().text)),
    field("bank_katakana", Text(|it| it.bank.katakana().text)),
    field("bank_hiragana", Text(|it| it.bank.hiragana().text)),
    field("bank_romaji", Text(|it| it.bank.romaji().text)),
    field("branch_code", FormattedOrNull(|it, out| push_code_or_null::<3>(out, Some(it.branch?.code().into())))),
    field("branch_name", TextOrNull(|it| Some(it.branch?.name().text))),
    field("branch_katakana", TextOrNull(|it| Some(it.branch?.katakana().text))),
    field("branch_hiragana", TextOrNull(|it| Some(it.branch?.hiragana().text))),
    field("branch_romaji", TextOrNull(|it| Some(it.branch?.romaji().text))),
];

impl Source for Bank {
    type Record<'s> = BankRow<'s>;

    const NAME: &'static str = "bank";
    const KEY: &'static [&'static str] = &["bank_code", "branch_code"];
    const FIELDS: &'static [&'static [Field<Bank>]] = &[FIELDS];

    fn count(&self) -> Result<u64, ExportError> {
        let rows = self.data.banks()?.map(|bank| bank.branches().len().max(1) as u64);
        Ok(rows.sum())
    }

    fn for_each(&self, visit: RecordVisitor<'_, Bank>) -> Result<(), ExportError> {
        for view in self.data.banks()? {
            let bank = view.entry();
            let (mut last, mut ordinal) = (None, 0);
            for branch in view.branches() {
                ordinal = if last == Some(branch.code()) { ordinal + 1 } else { 0 };
                last = Some(branch.code());
                visit(&BankRow { bank, branch: Some(branch), ordinal })?;
            }
            if last.is_none() {
                visit(&BankRow { bank, branch: None, ordinal })?;
            }
        }
        Ok(())
    }
}

impl ComparableSource for Bank {
    const VOLATILE_COLUMNS: &'static [&'static str] = &[];

    fn find_same<'s>(&'s self, other: &BankRow<'_>) -> Result<Option<BankRow<'s>>, ExportError> {
        let code = BankCode::parse(&format!("{:04}", other.bank.code())).ok();
        let Some(view) = code.map(|code| self.data.bank(code)).transpose()?.flatten() else {
            return Ok(None);
        };
        let (bank, ordinal) = (view.entry(), other.ordinal);
        let mut branches = view.branches();
        Ok(match other.branch {
            Some(wanted) => {
                let mut same_code = branches.filter(|branch| branch.code() == wanted.code());
                let branch = same_code.nth(ordinal);
                branch.map(|branch| BankRow { bank, branch: Some(branch), ordinal })
            }
            None => branches.next().is_none().then_some(BankRow { bank, branch: None, ordinal }),
        })
    }

    fn has_ended(_row: &BankRow<'_>) -> bool {
        false
    }
}
