//! Which of the rows found match by a former name, so that an answer can mark them: those that a keyword of
//! `former_name` finds, and in a loose search those whose former name or alias is the typed one and whose present name is
//! not.

use super::evaluate::{CorporateSearch, SearchMode};
use super::keyword_form::former_name_keyword;
use super::words::searches_names;
use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::syntax::CorporateField;
use crate::dataset::former_name::{FoundBy, OtherName};
use crate::snapshot::Result;
use crate::text::codes::DataVersion;
use crate::text::loose_name::loose_key;

/// The keywords of a query in the form that is compared with former names; none by default.
#[derive(Default)]
pub struct FormerNameMatches {
    /// Those of `former_name`.
    former: Vec<String>,
    /// Those that search present names, in a loose search.
    loose: Vec<String>,
    mode: SearchMode,
    /// Whether the query asks for former names, be it to exclude them.
    is_needed: bool,
}

/// A row that a search found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundRow {
    pub row: u32,
    /// The index of the former name by which it was found, if it was.
    pub former_name: Option<u32>,
    /// The index of the alias by which it was found, if it was.
    pub alias: Option<u32>,
}

impl FoundRow {
    /// The name by which it was found, if it is not the present one.
    pub fn found_by<'s>(&self, data: &'s CorporateData) -> Result<FoundBy<'s>> {
        let alias = self.alias.and_then(|index| data.aliases().get(index));
        let former = data.former_name(self.former_name)?.map(OtherName::Former);
        Ok(FoundBy(former.or(alias.map(|alias| OtherName::Alias(&alias.name)))))
    }
}

/// A query asks for former names, or excludes one, and the data know none. Full files have no former names, so that nothing
/// found would not mean that no corporation had the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected data with former names; found {0}, which was built from full files alone. They have the newest name of \
     each corporation only: build with the differences too (daicho build corporate --diff)"
)]
pub struct NoFormerNames(DataVersion);

impl FormerNameMatches {
    pub fn of(search: &CorporateSearch<'_>) -> FormerNameMatches {
        let keywords = |is_wanted: fn(Option<CorporateField>) -> bool| {
            let mut keywords = Vec::new();
            search.q.collect_keywords(is_wanted, &mut keywords);
            let keywords = keywords.into_iter().map(|it| former_name_keyword(it, search.mode));
            keywords.filter(|keyword| !keyword.is_empty()).collect::<Vec<String>>()
        };
        let former = keywords(|field| field == Some(CorporateField::FormerName));
        let is_loose = search.mode == SearchMode::Loose;
        let loose = if is_loose { keywords(searches_names) } else { Vec::new() };
        let is_needed = search.q.asks_for(CorporateField::FormerName);
        FormerNameMatches { former, loose, mode: search.mode, is_needed }
    }

    /// Why these data cannot answer the query, if they cannot. Without former names nobody knows whom to exclude either:
    /// the rest would have corporations with the name.
    pub fn unanswerable(&self, data: &CorporateData) -> Result<Option<NoFormerNames>> {
        let is_unknown = self.is_needed && data.former_names()?.is_none();
        Ok(is_unknown.then(|| NoFormerNames(data.version())))
    }

    /// A row that the search found, with the newest former name by which it matches.
    pub fn found(&self, data: &CorporateData, row: u32) -> Result<FoundRow> {
        let former_name = self.former_name(data, row)?;
        let alias = if former_name.is_none() { self.alias(data, row)? } else { None };
        Ok(FoundRow { row, former_name, alias })
    }

    fn alias(&self, data: &CorporateData, row: u32) -> Result<Option<u32>> {
        if self.loose.is_empty() || data.aliases().is_empty() {
            return Ok(None);
        }
        let present = loose_key(&data.record(row)?.name().to_string());
        let typed: Vec<&String> =
            self.loose.iter().filter(|typed| !present.starts_with(typed.as_str())).collect();
        let mut aliases = data.aliases().of_row(row);
        let found = aliases.find(|(_, it)| typed.iter().any(|typed| it.begins_with(typed)));
        Ok(found.map(|(index, _)| index))
    }

    fn former_name(&self, data: &CorporateData, row: u32) -> Result<Option<u32>> {
        if self.former.is_empty() && self.loose.is_empty() {
            return Ok(None);
        }
        let Some(names) = data.former_names()? else { return Ok(None) };
        let newest_first =
            || names.indexes_of_row(row).rev().filter_map(|index| Some((index, names.get(index)?)));
        let asked = newest_first()
            .find(|(_, name)| self.former.iter().any(|keyword| name.matches(keyword, self.mode)));
        if asked.is_some() || self.loose.is_empty() || newest_first().next().is_none() {
            return Ok(asked.map(|(index, _)| index));
        }
        let present = loose_key(&data.record(row)?.name().to_string());
        let begins_present = |typed: &&String| present.starts_with(typed.as_str());
        let typed: Vec<&String> = self.loose.iter().filter(|it| !begins_present(it)).collect();
        let is_typed = |key: String| typed.iter().any(|typed| key.starts_with(typed.as_str()));
        Ok(newest_first().find(|(_, name)| is_typed(loose_key(&name.name))).map(|(index, _)| index))
    }
}
