//! Banks with their branches: one row per branch, and one for an institution without branches.

use std::sync::Arc;

use crate::dataset::bank::BankData;
use crate::dataset::bank::members::{BANK_ROW, BankRow};
use crate::dataset::member::{MemberValue, columns};
use crate::export::{Cells, Column, ComparableSource, ExportError, RecordVisitor, Source};
use crate::text::codes::BankCode;

pub struct Bank {
    data: Arc<BankData>,
}

impl Bank {
    pub fn new(data: Arc<BankData>) -> Bank {
        Bank { data }
    }
}

impl Source for Bank {
    type Record<'s> = BankRow<'s>;

    const NAME: &'static str = "bank";
    const KEY: &'static [&'static str] = &["bank_code", "branch_code"];

    fn columns() -> Vec<Option<Column>> {
        columns(&BANK_ROW)
    }

    fn fill(row: &BankRow<'_>, cells: &mut Cells<'_>) {
        row.fill(cells);
    }

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
