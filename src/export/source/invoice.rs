//! Qualified invoice issuers, by number; individuals last.
//!
//! As in the API, a query searches the corporations of the newest register: it finds issuers that are registered on
//! the day of the version, and no individuals.

use std::sync::Arc;

use super::address::address_fields;
use super::corporate::found;
use super::words::push_reading;
use crate::export::change::Compared;
use crate::export::error::ExportError;
use crate::export::field::Get::{Date, DateOrNull, Integer, IntegerOrNull, Text, Written};
use crate::export::field::{Field, Source, Take, field};
use crate::query::{CorporateData, InvoiceData, RowSet};
use crate::record::address::AddressView;
use crate::record::invoice::InvoiceView;

pub struct Invoice {
    data: Arc<InvoiceData>,
    /// The corporations that a query finds, all of them registered; `None` for every issuer.
    found: Option<(Arc<CorporateData>, RowSet)>,
}

impl Invoice {
    pub fn of(data: Arc<InvoiceData>) -> Invoice {
        Invoice { data, found: None }
    }

    /// The issuers among these corporations that a query finds.
    pub fn among(
        data: Arc<InvoiceData>,
        corporations: Arc<CorporateData>,
        q: &str,
    ) -> Result<Invoice, ExportError> {
        let mut rows = found(&corporations, q)?;
        rows.and(&data.registered_rows(&corporations)?);
        Ok(Invoice { data, found: Some((corporations, rows)) })
    }

    fn is_wanted(&self, view: &InvoiceView<'_>) -> Result<bool, ExportError> {
        let Some((corporations, rows)) = &self.found else { return Ok(true) };
        let row = corporations.row_of(view.number().corporate())?;
        Ok(row.is_some_and(|row| rows.contains(row as usize)))
    }
}

fn address<'s>(view: &InvoiceView<'s>, at: usize) -> Option<AddressView<'s>> {
    view.addresses()[at]
}

#[rustfmt::skip] // One column a line.
const FIRST: &[Field<Invoice>] = &[
    field("published_date", Date(|it| it.published_date())),
    field("sequence_number", Integer(|it| it.sequence_number().into())),
    field("qualified_invoice_issuer_number", Written(|it, out| push_number(it, out))),
    field("process", Integer(|it| it.registration().process.into())),
    field("correct", Integer(|it| it.correct().into())),
    field("kind", IntegerOrNull(|it| it.kind().map(i64::from))),
    field("country", IntegerOrNull(|it| it.country().map(i64::from))),
    field("latest", Integer(|it| it.registration().latest.into())),
    field("registration_date", DateOrNull(|it| it.registration().registration_date)),
    field("update_date", DateOrNull(|it| it.update_date())),
    field("disposal_date", DateOrNull(|it| it.registration().disposal_date)),
    field("expire_date", DateOrNull(|it| it.registration().expire_date)),
];

const OFFICE: &[Field<Invoice>] = address_fields!("address_", it => address(it, 0));
const REQUESTED: &[Field<Invoice>] = address_fields!("address_request_", it => address(it, 1));
const INSIDE: &[Field<Invoice>] = address_fields!("address_inside_", it => address(it, 2));

#[rustfmt::skip] // One column a line.
const NAMES: &[Field<Invoice>] = &[
    field("kana", Written(|it, out| push_reading(out, it.kana()))),
    field("name", Text(|it| it.name().text)),
    field("trade_name", Text(|it| it.trade_name().text)),
    field("popular_name_previous_name", Text(|it| it.popular_name().text)),
];

fn push_number(view: &InvoiceView<'_>, out: &mut String) {
    use std::fmt::Write as _;
    write!(out, "{}", view.number()).expect("a string takes it");
}

impl Source for Invoice {
    type Record<'s> = InvoiceView<'s>;

    const NAME: &'static str = "invoice";
    const KEY: &'static [&'static str] = &["qualified_invoice_issuer_number"];
    const FIELDS: &'static [&'static [Field<Invoice>]] = &[FIRST, OFFICE, REQUESTED, INSIDE, NAMES];

    fn count(&self) -> Result<u64, ExportError> {
        match &self.found {
            Some((_, rows)) => Ok(rows.count()),
            None => {
                let counts = self.data.counts()?;
                Ok((counts.others + counts.individuals) as u64)
            }
        }
    }

    fn each(&self, take: Take<'_, Invoice>) -> Result<(), ExportError> {
        for view in self.data.records()? {
            let view = view?;
            if self.is_wanted(&view)? {
                take(&view)?;
            }
        }
        Ok(())
    }
}

impl Compared for Invoice {
    /// Positions in files.
    const RESTLESS: &'static [&'static str] = &["published_date", "sequence_number"];

    fn same<'s>(&'s self, other: &InvoiceView<'_>) -> Result<Option<InvoiceView<'s>>, ExportError> {
        Ok(self.data.lookup(other.number())?)
    }

    fn is_over(view: &InvoiceView<'_>) -> bool {
        view.registration().is_ended()
    }
}
