//! The codes of corporations: which rows have one, and how many of some rows have each.

use std::sync::Arc;

use super::areas::most_first;
use super::evaluate::Found;
use crate::index::row_set::RowSet;
use crate::query::corporate::CorporateData;
use crate::query::syntax::{CodeFacet, CodePath};
use crate::record::corporate::CorporateView;
use crate::snapshot::OpenError;

/// The codes of every row.
#[derive(Debug, Default)]
pub struct Codes {
    rows: Vec<[u16; 3]>,
    hidden: Vec<u32>,
}

impl Codes {
    pub fn read(data: &CorporateData) -> Result<Codes, Arc<OpenError>> {
        let mut codes = Codes::default();
        data.each(|view| {
            if view.hihyoji() {
                codes.hidden.push(codes.rows.len() as u32);
            }
            codes.rows.push(CodeFacet::ALL.map(|facet| code(view, facet)));
        })?;
        Ok(codes)
    }

    /// The rows that are left out of searches, ascending.
    pub fn hidden(&self) -> &[u32] {
        &self.hidden
    }

    /// Whether a row is one of a path's.
    pub fn has(&self, path: CodePath, row: u32) -> bool {
        let code = self.rows.get(row as usize).map(|codes| codes[path.facet as usize]);
        path.code.is_none_or(|wanted| code == Some(wanted))
    }

    /// Adds the rows of a path to a set.
    pub fn add_to(&self, path: CodePath, set: &mut RowSet) {
        for row in 0..self.rows.len() {
            if self.has(path, row as u32) {
                set.insert(row);
            }
        }
    }

    /// The words of a facet with their counts.
    pub fn facets(&self, facet: CodeFacet, found: &Found<'_>) -> Vec<(String, u64)> {
        let mut counts = vec![0; facet.words().len()];
        let mut take = |row: u32| {
            let code = self.rows[row as usize][facet as usize];
            if let Some(at) = facet.words().iter().position(|(known, _)| *known == code) {
                counts[at] += 1;
            }
        };
        match found {
            Found::Matches(matches) => matches.rows().for_each(take),
            Found::Set(set) => set.for_each(|row| take(row as u32)),
        }
        let words = facet.words().iter().map(|(_, word)| ["/", word].concat());
        most_first(words.zip(counts).collect())
    }
}

/// A code of a corporation.
fn code(view: CorporateView<'_>, facet: CodeFacet) -> u16 {
    match facet {
        CodeFacet::Kind => view.kind(),
        CodeFacet::Process => view.process().into(),
        CodeFacet::CloseCause => view.close_cause().unwrap_or_default().into(),
    }
}
