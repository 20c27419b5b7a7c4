//! The parameters that all searches by query share: corporations, invoice issuers and schools.

use std::borrow::Cow;

use super::error::{ApiError, Code};
use super::params::{Params, excerpt};
use crate::json::QueryOutcome;
use crate::query::SearchResults;
use crate::query::syntax::{CodeFacet, CodePath, FacetPaths, Grouping, Query, Vocabulary};

pub struct QueryParams<'r, V: Vocabulary, F> {
    pub text: Cow<'r, str>,
    pub expression: Query<V>,
    pub facets: FacetPaths<F>,
    pub offset: u64,
    pub limit: usize,
}

impl<'r, V: Vocabulary, F: CodeFacet> QueryParams<'r, V, F> {
    /// `facet_names` are the facets that are codes, with their parameters.
    pub fn parse(
        params: &Params<'r>,
        grouping: Grouping,
        facet_names: &[(F, &'static str)],
    ) -> Result<QueryParams<'r, V, F>, ApiError> {
        let text = params.non_empty("q")?.ok_or_else(|| {
            ApiError::in_parameter("q", Code::MissingQuery, "expected q (a query); found none")
        })?;
        let expression = expression("q", &text, grouping)?;
        let area = params.area("facet_area")?;
        let mut codes = Vec::new();
        for (facet, name) in facet_names {
            let Some(path) = params.non_empty(name)? else { continue };
            codes.push(CodePath::parse(*facet, &path).map_err(|expected| {
                let detail = format!("expected {expected}; found {:?}", excerpt(&path));
                ApiError::in_parameter(*name, Code::InvalidFacet, detail)
            })?);
        }
        let (offset, limit) = params.page()?;
        Ok(QueryParams { text, expression, facets: FacetPaths { area, codes }, offset, limit })
    }

    pub fn outcome<'a>(&'a self, found: &'a SearchResults) -> QueryOutcome<'a> {
        QueryOutcome { q: &self.text, found, offset: self.offset, limit: self.limit }
    }
}

/// Parses a query from `parameter`.
pub fn expression<V: Vocabulary>(
    parameter: impl Into<Cow<'static, str>>,
    q: &str,
    grouping: Grouping,
) -> Result<Query<V>, ApiError> {
    Query::parse_with(q, grouping)
        .map_err(|error| ApiError::in_parameter(parameter, Code::InvalidQuery, error.to_string()))
}
