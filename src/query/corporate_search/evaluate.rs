//! A query to the rows that match, and those to an answer.

use std::sync::Arc;

use super::facets::Facets;
use super::order::Names;
use super::rows::{Rows, Table};
use super::{CorporateFound, CorporateSearch, Mode, Searchable};
use crate::index::name_order::NameOrder;
use crate::index::row_set::RowSet;
use crate::index::substring::Matches;
use crate::query::corporate::CorporateData;
use crate::query::syntax::{
    Clause, Conjunction, Corporate, CorporateExpression, CorporateField, CorporateFilter, Term,
    What,
};
use crate::snapshot::{Dataset, Fault, OpenError};

/// One query being answered.
pub struct Evaluation<'s> {
    pub(super) data: &'s CorporateData,
    pub(super) searchable: &'s Searchable,
    pub(super) mode: Mode,
    pub(super) table: Table<'s>,
}

/// The rows that a query found; none of them is left out of searches.
pub enum Found<'s> {
    /// A list.
    Matches(Matches<'s>),
    /// A bit a row.
    Set(RowSet),
}

impl Found<'_> {
    /// How many there are.
    pub fn count(&self) -> u64 {
        match self {
            Found::Matches(matches) => matches.count() as u64,
            Found::Set(set) => set.count(),
        }
    }
}

impl<'s> Evaluation<'s> {
    /// Begins to answer.
    pub fn begin(data: &'s CorporateData, mode: Mode) -> Result<Evaluation<'s>, Arc<OpenError>> {
        let searchable = data.searchable()?;
        let table = Table { rows: data.row_count()?, codes: searchable.codes() };
        Ok(Evaluation { data, searchable, mode, table })
    }

    /// The rows that match.
    pub fn query(&self, q: &CorporateExpression) -> Result<Found<'s>, Arc<OpenError>> {
        Ok(match self.rows(q)? {
            Rows::Matches(matches) => Found::Matches(matches),
            other => {
                let mut set = other.into_set(self.table).map_err(refuse(self))?;
                // Ranges and codes have them; what texts find never does.
                for row in self.table.codes.0.hidden() {
                    set.remove(row as usize);
                }
                Found::Set(set)
            }
        })
    }

    /// The rows of a query or group; a group is bounded in depth by the parser.
    fn rows(&self, q: &CorporateExpression) -> Result<Rows<'s>, Arc<OpenError>> {
        let (restricting, finding): (Vec<_>, Vec<_>) =
            q.clauses.iter().partition(|clause| clause.restricts());
        let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
        if !finding.is_empty() {
            wanted.push(self.union(finding.into_iter())?);
        }
        for clause in restricting {
            match clause.conjunctions.as_slice() {
                [Conjunction { terms }] => self.sort_out(terms, &mut wanted, &mut unwanted)?,
                _ => wanted.push(self.union([clause].into_iter())?),
            }
        }
        self.table.intersection(wanted, &unwanted).map_err(refuse(self))
    }

    fn union<'q>(
        &self,
        clauses: impl Iterator<Item = &'q Clause<Corporate>>,
    ) -> Result<Rows<'s>, Arc<OpenError>> {
        let mut parts = Vec::new();
        for Conjunction { terms } in clauses.flat_map(|clause| &clause.conjunctions) {
            let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
            self.sort_out(terms, &mut wanted, &mut unwanted)?;
            parts.push(self.table.intersection(wanted, &unwanted).map_err(refuse(self))?);
        }
        self.table.union(parts).map_err(refuse(self))
    }

    fn sort_out(
        &self,
        terms: &[Term<Corporate>],
        wanted: &mut Vec<Rows<'s>>,
        unwanted: &mut Vec<Rows<'s>>,
    ) -> Result<(), Arc<OpenError>> {
        for term in terms {
            let rows = match &term.what {
                What::Keyword { field, text } => self.keyword(*field, text)?,
                What::Filter(CorporateFilter::Area(path)) => {
                    Rows::Ranges(self.searchable.areas.rows(path))
                }
                What::Filter(CorporateFilter::Code(path)) => Rows::Code(*path),
                What::Group(query) => self.rows(query)?,
            };
            if term.excluded { unwanted.push(rows) } else { wanted.push(rows) }
        }
        Ok(())
    }

    /// The names in their order.
    pub(super) fn order(&self) -> NameOrder<'s> {
        self.searchable.order()
    }

    /// Gives the name of a row to the order.
    pub(super) fn names(&self) -> impl FnMut(u32) -> Result<&'s str, Fault> + use<'s> {
        let data = self.data;
        move |row| data.name(row)
    }

    /// Counts, orders and cuts what was found.
    pub fn answer(
        &self,
        found: Found<'s>,
        search: &CorporateSearch<'_>,
    ) -> Result<CorporateFound, Arc<OpenError>> {
        let count = found.count();
        let facets = match search.facets {
            Some(asked) => {
                Facets { evaluation: self, found: &found }.count(asked).map_err(refuse(self))?
            }
            None => Vec::new(),
        };
        let mut names = Vec::new();
        name_keywords(search.q, &mut names);
        // One group may be the only term and have several.
        let mut terms = search.q.terms();
        let first = terms.next().map(|term| &term.what);
        let keyword = matches!(first, Some(What::Keyword { .. }));
        let alone = names.len() == 1 && keyword && terms.next().is_none();
        let names = Names::of(self, &names)?;
        let rows = names.window(found, alone, search.offset, search.limit)?;
        Ok(CorporateFound { rows, count, facets })
    }
}

/// What a damaged section is to whoever asked.
pub(super) fn refuse(evaluation: &Evaluation<'_>) -> impl FnOnce(Fault) -> Arc<OpenError> {
    let file = evaluation.data.file();
    move |fault| Arc::new(file.refuse(fault))
}

/// The keywords that are to be found in names.
fn name_keywords<'q>(q: &'q CorporateExpression, out: &mut Vec<&'q str>) {
    for term in q.terms().filter(|term| !term.excluded) {
        match &term.what {
            What::Keyword { field: None | Some(CorporateField::Name), text } => out.push(text),
            What::Group(query) => name_keywords(query, out),
            What::Keyword { .. } | What::Filter(_) => {}
        }
    }
}
