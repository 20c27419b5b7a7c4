//! What operators can correct of the corporations: they give them names by which people know them, in `corporate.csv`. The
//! records themselves are as published.

use std::sync::Arc;

use super::CorporateData;
use super::aliases::{Alias, Aliases, key_of};
use crate::compile::Result;
use crate::dataset::correction::declared::{Action, CorrectedFile, Field, Need};
use crate::dataset::correction::row::{Correction, Edited, Standing};
use crate::language::words;
use crate::snapshot;
use crate::text::codes::CorporateNumber;
use crate::text::loose_name::TypedName;

const ALIAS: &[Action] = &[Action::Alias];

pub static CORPORATIONS: CorrectedFile = CorrectedFile {
    name: "corporate",
    record: words("corporation", "法人"),
    actions: ALIAS,
    key: &[Field {
        name: "corporate_number",
        meaning: words("the corporate number, thirteen digits", "法人番号（13桁）"),
        parse: number,
        need: Need::Always,
        set_by: ALIAS,
        example: "7010701007666",
    }],
    members: &[Field {
        name: ALIAS_COLUMN,
        meaning: words(
            "another name by which searches find the corporation, such as JAL",
            "検索で法人が見つかる別名（JALなど）",
        ),
        parse: alias,
        need: Need::Always,
        set_by: ALIAS,
        example: "JAL",
    }],
};

const ALIAS_COLUMN: &str = "alias";

fn number(text: &str) -> Result<String, &'static str> {
    let number = CorporateNumber::parse(text).ok().filter(|number| number.is_sound());
    let expected = "a corporate number of thirteen digits whose check digit is right";
    number.map(|number| number.to_string()).ok_or(expected)
}

fn alias(text: &str) -> Result<String, &'static str> {
    match TypedName::parse(text) {
        Some(_) => Ok(text.to_owned()),
        None => Err("a name of letters that searches compare"),
    }
}

/// The corporation that a row is about.
pub fn number_of(row: &Correction) -> Option<CorporateNumber> {
    (*row.file == CORPORATIONS).then(|| CorporateNumber::parse(&row.key[0]).ok()).flatten()
}

/// The data with the aliases of a day.
pub fn edited(
    data: &CorporateData,
    rows: &[Arc<Correction>],
) -> Result<Edited<'static, CorporateData>> {
    let (mut standings, mut entries) = (Vec::new(), Vec::new());
    for row in rows {
        let name = row.value(ALIAS_COLUMN).unwrap_or_default();
        let number = number_of(row);
        let found = number.map(|number| data.row_of(number)).transpose()?.flatten();
        standings.push(match found {
            None => unknown(data, row),
            Some(found) => match standing(data, found, name)? {
                Standing::Needed => {
                    entries.push(Alias::new(name, found));
                    Standing::Needed
                }
                caught_up => caught_up,
            },
        });
    }
    let with_aliases = data.with_aliases(Aliases::new(entries));
    Ok(Edited { standings, compile: Some(Box::new(move || Ok(with_aliases))) })
}

fn unknown(data: &CorporateData, row: &Correction) -> Standing {
    Standing::Wrong {
        column: CORPORATIONS.key[0].name,
        expected: format!("a number of the data of {}", data.version()),
        found: format!("{}, which no corporation has", row.key_text()),
    }
}

/// Whether a corporation already has the alias as its name.
fn standing(data: &CorporateData, row: u32, alias: &str) -> snapshot::Result<Standing> {
    let view = data.record(row)?;
    let published = &view.name().to_string();
    Ok(match key_of(published) == key_of(alias) {
        true => Standing::CaughtUp { found: format!("its name is {published}") },
        false => Standing::Needed,
    })
}
