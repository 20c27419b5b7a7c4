//! Postal records, in the order of their areas.

use std::sync::Arc;

use super::columns::push_code;
use crate::dataset::postal::PostalData;
use crate::dataset::postal::syntax::PostalQuery;
use crate::export::Getter::{Flag, Formatted, Integer, IntegerOrNull, Text, TextOrNull};
use crate::export::{
    Change, ChangeSource, ChangeVisitor, ExportError, Field, RecordVisitor, Source, field,
};
use crate::query::RowSet;
use crate::record::postal::{PostalView, UpdateStatus};

pub struct Postal {
    data: Arc<PostalData>,
    /// The rows that a query finds; `None` for all.
    rows: Option<RowSet>,
}

impl Postal {
    pub fn new(data: Arc<PostalData>, q: Option<&str>) -> Result<Postal, ExportError> {
        let q = q.map(PostalQuery::parse).transpose()?;
        let rows = q.map(|q| data.matching_rows(&q)).transpose()?;
        Ok(Postal { data, rows })
    }
}

#[rustfmt::skip] // One column a line.
const FIELDS: &[Field<Postal>] = &[
    field("jisx0402", Formatted(|it, out| push_code::<5>(out, it.city().jisx0402()))),
    field("old_code", Text(|it| it.old_code().text)),
    field("postal_code", Formatted(|it, out| push_code::<7>(out, it.postal_code()))),
    field("prefecture", Text(|it| it.city().prefecture().name.text)),
    field("prefecture_kana", Text(|it| it.city().prefecture().kana.text)),
    field("prefecture_roman", Text(|it| it.city().prefecture().roman.text)),
    field("city", Text(|it| it.city().city().name.text)),
    field("city_kana", Text(|it| it.city().city().kana.text)),
    field("city_roman", Text(|it| it.city().city().roman.text)),
    field("county", Text(|it| it.city().county().name.text)),
    field("county_kana", Text(|it| it.city().county().kana.text)),
    field("county_roman", Text(|it| it.city().county().roman.text)),
    field("city_without_county_and_ward", Text(|it| it.city().city_without_county_and_ward().name.text)),
    field("city_without_county_and_ward_kana", Text(|it| it.city().city_without_county_and_ward().kana.text)),
    field("city_without_county_and_ward_roman", Text(|it| it.city().city_without_county_and_ward().roman.text)),
    field("city_ward", Text(|it| it.city().city_ward().name.text)),
    field("city_ward_kana", Text(|it| it.city().city_ward().kana.text)),
    field("city_ward_roman", Text(|it| it.city().city_ward().roman.text)),
    field("town", Text(|it| it.town().name.text)),
    field("town_kana", Text(|it| it.town().kana.text)),
    field("town_roman", Text(|it| it.town().roman.text)),
    field("town_raw", Text(|it| it.town_raw().text)),
    field("town_kana_raw", Text(|it| it.town_kana_raw().text)),
    field("koaza", Text(|it| it.koaza().text)),
    field("kyoto_street", Text(|it| it.kyoto_street().text)),
    field("building", Text(|it| it.building().text)),
    field("floor", Text(|it| it.floor().text)),
    field("town_partial", Flag(|it| it.flags().partial)),
    field("town_addressed_koaza", Flag(|it| it.flags().addressed_koaza)),
    field("town_multi", Flag(|it| it.flags().multi)),
    field("town_chome", Flag(|it| it.flags().chome)),
    field("town_jukyohyoji", Flag(|it| it.flags().jukyohyoji)),
    field("update_status", Integer(|it| it.update_status() as i64)),
    field("update_reason", Integer(|it| it.update_reason() as i64)),
    field("corporation_name", TextOrNull(|it| Some(it.corporation()?.name().text))),
    field("corporation_name_kana", TextOrNull(|it| Some(it.corporation()?.name_kana().text))),
    field("corporation_block_lot", TextOrNull(|it| Some(it.corporation()?.block_lot().text))),
    field("corporation_block_lot_num", TextOrNull(|it| Some(it.corporation()?.block_lot_num()?.text))),
    field("corporation_post_office", TextOrNull(|it| Some(it.corporation()?.post_office().text))),
    field("corporation_code_type", IntegerOrNull(|it| Some(it.corporation()?.post_office_box().into()))),
];

impl Source for Postal {
    type Record<'s> = PostalView<'s>;

    const NAME: &'static str = "postal";
    const KEY: &'static [&'static str] = &["postal_code"];
    const FIELDS: &'static [&'static [Field<Postal>]] = &[FIELDS];

    fn count(&self) -> Result<u64, ExportError> {
        match &self.rows {
            Some(rows) => Ok(rows.count()),
            None => Ok(self.data.records()?.len() as u64),
        }
    }

    fn for_each(&self, visit: RecordVisitor<'_, Postal>) -> Result<(), ExportError> {
        for (row, record) in self.data.records()?.enumerate() {
            if self.rows.as_ref().is_none_or(|rows| rows.contains(row)) {
                visit(&record)?;
            }
        }
        Ok(())
    }
}

impl ChangeSource for Postal {
    const STORES_CHANGES: bool = true;

    /// As in the API, an amended row counts as one removed and one added.
    fn for_each_change(
        &self,
        _before: Option<&Postal>,
        _progress: &mut dyn FnMut(u64),
        visit: ChangeVisitor<'_, Postal>,
    ) -> Result<(), ExportError> {
        for record in self.data.updates()? {
            let change = match record.update_status() {
                UpdateStatus::Abolished => Change::Abolished,
                UpdateStatus::Changed | UpdateStatus::Unchanged => Change::Added,
            };
            visit(change, &record)?;
        }
        Ok(())
    }
}
