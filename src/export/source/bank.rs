//! Banks with their branches: one row per branch, and one for an institution without branches.

use std::sync::Arc;

use super::words::{push_code, push_code_or_null};
use crate::export::change::Compared;
use crate::export::error::ExportError;
use crate::export::field::Get::{Text, TextOrNull, Written, WrittenOrNull};
use crate::export::field::{Field, Source, Take, field};
use crate::query::BankData;
use crate::record::bank::EntryView;
use crate::text::codes::BankCode;

pub struct Bank {
    data: Arc<BankData>,
}

impl Bank {
    pub fn of(data: Arc<BankData>) -> Bank {
        Bank { data }
    }
}

pub struct BankRow<'s> {
    bank: EntryView<'s>,
    branch: Option<EntryView<'s>>,
    /// How many branches with the same code come before it.
    rank: usize,
}

#[rustfmt::skip] // One column a line.
const FIELDS: &[Field<Bank>] = &[
    field("bank_code", Written(|it, out| push_code::<4>(out, it.bank.code().into()))),
    field("bank_name", Text(|it| it.bank.name().text)),
    field("bank_katakana", Text(|it| it.bank.katakana().text)),
    field("bank_hiragana", Text(|it| it.bank.hiragana().text)),
    field("bank_romaji", Text(|it| it.bank.romaji().text)),
    field("branch_code", WrittenOrNull(|it, out| push_code_or_null::<3>(out, Some(it.branch?.code().into())))),
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

    fn each(&self, take: Take<'_, Bank>) -> Result<(), ExportError> {
        for view in self.data.banks()? {
            let bank = view.entry();
            let (mut last, mut rank) = (None, 0);
            for branch in view.branches() {
                rank = if last == Some(branch.code()) { rank + 1 } else { 0 };
                last = Some(branch.code());
                take(&BankRow { bank, branch: Some(branch), rank })?;
            }
            if last.is_none() {
                take(&BankRow { bank, branch: None, rank })?;
            }
        }
        Ok(())
    }
}

impl Compared for Bank {
    const RESTLESS: &'static [&'static str] = &[];

    fn same<'s>(&'s self, other: &BankRow<'_>) -> Result<Option<BankRow<'s>>, ExportError> {
        let code = BankCode::parse(&format!("{:04}", other.bank.code())).ok();
        let Some(view) = code.map(|code| self.data.bank(code)).transpose()?.flatten() else {
            return Ok(None);
        };
        let (bank, rank) = (view.entry(), other.rank);
        let mut branches = view.branches();
        Ok(match other.branch {
            Some(wanted) => {
                let mut alike = branches.filter(|branch| branch.code() == wanted.code());
                let branch = alike.nth(rank);
                branch.map(|branch| BankRow { bank, branch: Some(branch), rank })
            }
            None => branches.next().is_none().then_some(BankRow { bank, branch: None, rank }),
        })
    }

    fn is_over(_row: &BankRow<'_>) -> bool {
        false
    }
}
