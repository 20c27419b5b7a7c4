//! Adds the nearest place of each row to a table with coordinates.

use std::sync::Arc;

use super::chunk::Tally;
use super::located::{Located, read_location};
use super::review_file::ReviewRow;
use super::row_writer::{RowFinder, RowJob, TableRow};
use super::table::Table;
use crate::dataset::postal::PostalData;
use crate::dataset::postal::reverse::{NearTown, NoPlace};
use crate::json;
use crate::snapshot::OpenError;

/// The added columns.
pub const NEAR_COLUMNS: [&str; 8] =
    ["match", "jisx0402", "prefecture", "city", "town", "postal_codes", "level", "distance"];

/// Finds the places of a table with two columns: latitude and longitude.
#[derive(Clone)]
pub struct NearJob {
    pub data: Arc<PostalData>,
}

impl RowJob for NearJob {
    fn finder<'a>(&'a self, _table: &'a Table) -> impl RowFinder + 'a {
        NearFinder { data: &self.data, values: Default::default(), town: None, buffer: Vec::new() }
    }
}

struct NearFinder<'a> {
    data: &'a PostalData,
    values: [String; NEAR_COLUMNS.len()],
    town: Option<NearTown<'a>>,
    buffer: Vec<u8>,
}

impl RowFinder for NearFinder<'_> {
    fn find(
        &mut self,
        row: &TableRow<'_>,
        tally: &mut Tally,
        _review: &mut Vec<ReviewRow>,
    ) -> Result<(), Arc<OpenError>> {
        let (state, town) = match self.nearest(row)? {
            Ok(town) => (Located::Found, Some(town)),
            Err(state) => (state, None),
        };
        tally.located[state as usize] += 1;
        self.values = values(state, town.as_ref());
        self.town = town;
        Ok(())
    }

    fn for_each_field(&self, push: impl FnMut(&str)) {
        self.values.iter().map(String::as_str).for_each(push);
    }

    /// The codes are a list, the distance is a number, and what the row has not is null.
    fn push_members(&self, out: &mut Vec<u8>) {
        let town = self.town.as_ref();
        for (name, value) in NEAR_COLUMNS.iter().zip(&self.values) {
            json::put(out, &[",\"", name, "\":"]);
            match *name {
                "postal_codes" => {
                    let codes = town.map(codes).unwrap_or_default();
                    json::write_list(out, codes.iter(), |out, code| json::push_string(out, code));
                }
                "distance" => json::push_number_or_null(out, town.map(NearTown::metres)),
                _ => json::push_or_null(out, Some(value.as_str()).filter(|it| !it.is_empty())),
            }
        }
    }
}

impl<'a> NearFinder<'a> {
    /// The nearest place of a row, or why it has none.
    fn nearest(
        &mut self,
        row: &TableRow<'_>,
    ) -> Result<Result<NearTown<'a>, Located>, Arc<OpenError>> {
        let mut text = |at: usize| row.text(row.table.columns[at], &mut self.buffer);
        let location = match read_location(&text(0), &text(1)) {
            Ok(location) => location,
            Err(state) => return Ok(Err(state)),
        };
        let near = self.data.nearest(location, 1)?.unwrap_or_default();
        let town = near.first().map(|near| self.data.near_town(*near)).transpose()?;
        Ok(town.flatten().ok_or_else(|| NoPlace::of(location).into()))
    }
}

/// The values of the added columns.
fn values(state: Located, town: Option<&NearTown<'_>>) -> [String; NEAR_COLUMNS.len()] {
    let of = |value: &dyn Fn(&NearTown<'_>) -> String| town.map(value).unwrap_or_default();
    [
        state.name().to_owned(),
        of(&|it| format!("{:05}", it.city.jisx0402())),
        of(&|it| it.city.prefecture().name.text.to_owned()),
        of(&|it| it.city.city().name.text.to_owned()),
        of(&|it| it.town_with_part()),
        of(&|it| codes(it).join(" ")),
        of(&|it| it.level().name().to_owned()),
        of(&|it| it.metres().to_string()),
    ]
}

fn codes(town: &NearTown<'_>) -> Vec<String> {
    town.codes.iter().map(|code| format!("{code:07}")).collect()
}
