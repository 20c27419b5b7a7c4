//! Corporations, in the order of their areas, including closed ones and those hidden from searches.

use std::sync::Arc;

use super::columns::{
    non_empty, push_code_or_null, push_number, push_number_or_null, push_part, push_reading,
};
use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::record::CorporateView;
use crate::dataset::corporate::syntax::CorporateQuery;
use crate::dataset::invoice::InvoiceData;
use crate::export::Getter::{
    Date, DateOrNull, Formatted, FormattedOrNull, Integer, IntegerOrNull, Text, TextOrNull,
};
use crate::export::{ComparableSource, ExportError, Field, RecordVisitor, Source, field};
use crate::json::CorporateForm;
use crate::query::RowSet;
use crate::query::syntax::Grouping;
use crate::text::prefecture;

pub struct Corporate {
    data: Arc<CorporateData>,
    /// The register that decides who is a qualified invoice issuer. Without it, the corporate records decide.
    register: Option<Arc<InvoiceData>>,
    /// The rows that the query finds; `None` for all.
    rows: Option<RowSet>,
}

impl Corporate {
    pub fn new(
        data: Arc<CorporateData>,
        register: Option<Arc<InvoiceData>>,
        q: Option<&str>,
    ) -> Result<Corporate, ExportError> {
        let rows = q.map(|q| matching_rows(&data, q)).transpose()?;
        Ok(Corporate { data, register, rows })
    }

    fn corporation<'s>(&'s self, view: CorporateView<'s>) -> Result<Corporation<'s>, ExportError> {
        let register = self.register.as_deref();
        let form = CorporateForm { register, ..CorporateForm::newest(self.data.version()) };
        Ok(Corporation { view, is_issuer: form.is_issuer(&view)? })
    }
}

pub(super) fn matching_rows(data: &CorporateData, q: &str) -> Result<RowSet, ExportError> {
    let q = CorporateQuery::parse_with(q, Grouping::Allowed)?;
    Ok(data.matching_rows(&q)?)
}

pub struct Corporation<'s> {
    view: CorporateView<'s>,
    is_issuer: bool,
}

impl<'s> std::ops::Deref for Corporation<'s> {
    type Target = CorporateView<'s>;

    fn deref(&self) -> &CorporateView<'s> {
        &self.view
    }
}

#[rustfmt::skip] // One column a line.
const FIELDS: &[Field<Corporate>] = &[
    field("published_date", Date(|it| it.published.date())),
    field("sequence_number", Integer(|it| it.sequence_number().into())),
    field("corporate_number", Formatted(|it, out| push_number(out, it.number()))),
    field("process", Integer(|it| it.process().into())),
    field("correct", Integer(|it| it.correct().into())),
    field("update_date", Date(|it| it.update_date())),
    field("change_date", Date(|it| it.change_date())),
    field("name", Text(|it| it.name().text)),
    field("name_image_id", FormattedOrNull(|it, out| push_code_or_null::<8>(out, it.name_image()))),
    field("kind", Integer(|it| it.kind().into())),
    field("address_postal_code", FormattedOrNull(|it, out| push_code_or_null::<7>(out, it.post_code()))),
    field("address_jisx0402", FormattedOrNull(|it, out| push_code_or_null::<5>(out, it.place().jisx0402()))),
    field("address_prefecture", TextOrNull(|it| non_empty(it.place().prefecture()))),
    field("address_prefecture_roman", TextOrNull(|it| prefecture_roman(it))),
    field("address_city", TextOrNull(|it| non_empty(it.place().city()))),
    field("address_street_number", Text(|it| it.street().text)),
    field("address_town", FormattedOrNull(|it, out| push_part(out, it.parts()[0]))),
    field("address_kyoto_street", FormattedOrNull(|it, out| push_part(out, it.parts()[1]))),
    field("address_block_lot_num", FormattedOrNull(|it, out| push_part(out, it.parts()[2]))),
    field("address_building", FormattedOrNull(|it, out| push_part(out, it.parts()[3]))),
    field("address_floor_room", FormattedOrNull(|it, out| push_part(out, it.parts()[4]))),
    field("address_image_id", FormattedOrNull(|it, out| push_code_or_null::<8>(out, it.address_image()))),
    field("address_outside", Text(|it| it.outside().text)),
    field("address_outside_image_id", FormattedOrNull(|it, out| push_code_or_null::<8>(out, it.outside_image()))),
    field("close_date", DateOrNull(|it| it.close_date().unwrap_or_default())),
    field("close_cause", IntegerOrNull(|it| it.close_cause().map(i64::from))),
    field("successor_corporate_number", FormattedOrNull(|it, out| push_number_or_null(out, it.successor()))),
    field("change_cause", Text(|it| it.change_cause().text)),
    field("assignment_date", Date(|it| it.assignment_date())),
    field("en_name", Text(|it| it.en_name().text)),
    field("en_address_line", TextOrNull(|it| non_empty(it.en_city().text))),
    field("en_address_outside", TextOrNull(|it| non_empty(it.en_outside().text))),
    field("furigana", Formatted(|it, out| push_reading(out, it.furigana()))),
    field("hihyoji", Integer(|it| it.hihyoji().into())),
    field("qualified_invoice_issuer_number", FormattedOrNull(|it, out| issuer_number(it, out))),
];

/// As the source writes it in English, else in Roman letters.
fn prefecture_roman<'r>(record: &'r Corporation<'_>) -> Option<&'r str> {
    let known = || prefecture::roman(record.place().prefecture_code()?);
    non_empty(record.en_prefecture().text).or_else(known)
}

fn issuer_number(record: &Corporation<'_>, out: &mut String) -> Option<()> {
    record.is_issuer.then(|| {
        out.push('T');
        push_number(out, record.number());
    })
}

impl Source for Corporate {
    type Record<'s> = Corporation<'s>;

    const NAME: &'static str = "corporate";
    const KEY: &'static [&'static str] = &["corporate_number"];
    const FIELDS: &'static [&'static [Field<Corporate>]] = &[FIELDS];

    fn count(&self) -> Result<u64, ExportError> {
        match &self.rows {
            Some(rows) => Ok(rows.count()),
            None => Ok(self.data.row_count()? as u64),
        }
    }

    fn for_each(&self, visit: RecordVisitor<'_, Corporate>) -> Result<(), ExportError> {
        for row in 0..self.data.row_count()? as u32 {
            if self.rows.as_ref().is_none_or(|rows| rows.contains(row as usize)) {
                visit(&self.corporation(self.data.record(row)?)?)?;
            }
        }
        Ok(())
    }
}

impl ComparableSource for Corporate {
    /// The first two say where the record is in its source file; the last comes from another register.
    const VOLATILE_COLUMNS: &'static [&'static str] =
        &["published_date", "sequence_number", "qualified_invoice_issuer_number"];

    fn find_same<'s>(
        &'s self,
        other: &Corporation<'_>,
    ) -> Result<Option<Corporation<'s>>, ExportError> {
        let view = self.data.lookup(other.number())?;
        view.map(|view| self.corporation(view)).transpose()
    }

    fn has_ended(record: &Corporation<'_>) -> bool {
        record.is_closed()
    }
}
