//! Which of the rows found match by a former name, so that an answer can mark them: those that a keyword of
//! `former_name` finds, and in a loose search those whose former name is the typed one and whose present name is not.

use super::evaluate::{CorporateSearch, SearchMode};
use super::keyword_form::former_name_keyword;
use super::words::searches_names;
use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::syntax::CorporateField;
use crate::snapshot::Result;
use crate::text::loose_name::loose_key;

/// The keywords of a query in the form that is compared with former names; none by default.
#[derive(Default)]
pub struct FormerNameMatches {
    /// Those of `former_name`.
    former: Vec<String>,
    /// Those that search present names, in a loose search.
    loose: Vec<String>,
    mode: SearchMode,
}

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
        FormerNameMatches { former, loose, mode: search.mode }
    }

    /// Whether the query asks for former names.
    pub fn is_asked(&self) -> bool {
        !self.former.is_empty()
    }

    /// Whether a row matches by a former name.
    pub fn has(&self, data: &CorporateData, row: u32) -> Result<bool> {
        if self.former.is_empty() && self.loose.is_empty() {
            return Ok(false);
        }
        let Some(names) = data.former_names()? else { return Ok(false) };
        let is_asked =
            names.of_row(row).any(|name| self.former.iter().any(|it| name.matches(it, self.mode)));
        let former: Vec<String> = names.of_row(row).map(|it| loose_key(&it.name)).collect();
        if is_asked || former.is_empty() || self.loose.is_empty() {
            return Ok(is_asked);
        }
        let present = loose_key(data.record(row)?.name().text);
        let is_former = |typed: &String| {
            !present.starts_with(typed.as_str())
                && former.iter().any(|it| it.starts_with(typed.as_str()))
        };
        Ok(self.loose.iter().any(is_former))
    }
}
