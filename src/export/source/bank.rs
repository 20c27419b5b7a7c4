//! Banks with their branches: a row a branch, and one for an institution without any.

use std::sync::Arc;

use super::words::{push_code, push_code_or_null};
use crate::export::error::ExportError;
use crate::export::field::Get::{Text, TextOrNull, Written, WrittenOrNull};
use crate::export::field::{Field, Source, Take, field};
use crate::query::BankData;
use crate::record::bank::EntryView;

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
            for branch in view.branches() {
                take(&BankRow { bank, branch: Some(branch) })?;
            }
            if view.branches().len() == 0 {
                take(&BankRow { bank, branch: None })?;
            }
        }
        Ok(())
    }
}
