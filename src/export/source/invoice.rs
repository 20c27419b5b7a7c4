//! Qualified invoice issuers, by number; individuals last. As in the API, a query searches the corporations of the newest register: it finds issuers that are registered on
//! the day of the version, and no individuals.

use std::sync::Arc;

use super::columns::{address_fields, push_reading};
use super::corporate::matching_rows;
use crate::dataset::corporate::CorporateData;
use crate::dataset::invoice::InvoiceData;
use crate::dataset::invoice::record::InvoiceView;
use crate::export::Getter::{Date, DateOrNull, Formatted, Integer, IntegerOrNull, Text};
use crate::export::{ComparableSource, ExportError, Field, RecordVisitor, Source, field};
use crate::query::RowSet;
use crate::record::address::AddressView;

pub struct Invoice {
    data: Arc<InvoiceData>,
    /// The corporations and which of their rows are issuers that the query finds; `None` for every issuer.
    matching: Option<(Arc<CorporateData>, RowSet)>,
}

impl Invoice {
    pub fn new(data: Arc<InvoiceData>) -> Invoice {
        Invoice { data, matching: None }
    }

    /// Only the issuers that the query finds among these corporations.
    pub fn with_query(
        data: Arc<InvoiceData>,
        corporations: Arc<CorporateData>,
        q: &str,
    ) -> Result<Invoice, ExportError> {
        let mut rows = matching_rows(&corporations, q)?;
        rows.and(&data.registered_rows(&corporations)?);
        Ok(Invoice { data, matching: Some((corporations, rows)) })
    }

    fn is_selected(&self, view: &InvoiceView<'_>) -> Result<bool, ExportError> {
        let Some((corporations, rows)) = &self.matching else { return Ok(true) };
        let row = corporations.row_of(view.number().corporate())?;
        Ok(row.is_some_and(|row| rows.contains(row as usize)))
    }
}

fn address<'s>(view: &InvoiceView<'s>, index: usize) -> Option<AddressView<'s>> {
    view.addresses[index]
}

#[rustfmt::skip] // One column a line.
const REGISTRATION: &[Field<Invoice>] = &[
    field("published_date", Date(|it| it.published_date())),
    field("sequence_number", Integer(|it| it.sequence_number().into())),
    field("qualified_invoice_issuer_number", Formatted(|it, out| push_number(it, out))),
    field("process", Integer(|it| it.registration.process.into())),
    field("correct", Integer(|it| it.correct().into())),
    field("kind", IntegerOrNull(|it| it.kind().map(i64::from))),
    field("country", IntegerOrNull(|it| it.country().map(i64::from))),
    field("latest", Integer(|it| it.registration.latest.into())),
    field("registration_date", DateOrNull(|it| it.registration.registration_date)),
    field("update_date", DateOrNull(|it| it.update_date())),
    field("disposal_date", DateOrNull(|it| it.registration.disposal_date)),
    field("expire_date", DateOrNull(|it| it.registration.expire_date)),
];

const OFFICE_ADDRESS: &[Field<Invoice>] = address_fields!("address_", it => address(it, 0));
const REQUESTED_ADDRESS: &[Field<Invoice>] =
    address_fields!("address_request_", it => address(it, 1));
const DOMESTIC_ADDRESS: &[Field<Invoice>] =
    address_fields!("address_inside_", it => address(it, 2));

#[rustfmt::skip] // One column a line.
const NAMES: &[Field<Invoice>] = &[
    field("kana", Formatted(|it, out| push_reading(out, it.kana()))),
    field("name", Text(|it| it.name().text)),
    field("trade_name", Text(|it| it.trade_name().text)),
    field("popular_name_previous_name", Text(|it| it.popular_name().text)),
];

fn push_number(view: &InvoiceView<'_>, out: &mut String) {
    use std::fmt::Write as _;
    write!(out, "{}", view.number()).expect("writing to a string cannot fail");
}

impl Source for Invoice {
    type Record<'s> = InvoiceView<'s>;

    const NAME: &'static str = "invoice";
    const KEY: &'static [&'static str] = &["qualified_invoice_issuer_number"];
    const FIELDS: &'static [&'static [Field<Invoice>]] =
        &[REGISTRATION, OFFICE_ADDRESS, REQUESTED_ADDRESS, DOMESTIC_ADDRESS, NAMES];

    fn count(&self) -> Result<u64, ExportError> {
        match &self.matching {
            Some((_, rows)) => Ok(rows.count()),
            None => {
                let counts = self.data.counts()?;
                Ok((counts.others + counts.individuals) as u64)
            }
        }
    }

    fn for_each(&self, visit: RecordVisitor<'_, Invoice>) -> Result<(), ExportError> {
        for view in self.data.records()? {
            let view = view?;
            if self.is_selected(&view)? {
                visit(&view)?;
            }
        }
        Ok(())
    }
}

impl ComparableSource for Invoice {
    /// These say where the record is in its source file.
    const VOLATILE_COLUMNS: &'static [&'static str] = &["published_date", "sequence_number"];

    fn find_same<'s>(
        &'s self,
        other: &InvoiceView<'_>,
    ) -> Result<Option<InvoiceView<'s>>, ExportError> {
        Ok(self.data.lookup(other.number())?)
    }

    fn has_ended(view: &InvoiceView<'_>) -> bool {
        view.registration.is_ended()
    }
}
