//! daicho's own search, called as for a request: from the text of `q` on.

use std::collections::HashMap;
use std::hint::black_box;

use daicho::dataset::corporate::CorporateData;
use daicho::dataset::corporate::search::{CorporateSearch, FacetPaths};
use daicho::dataset::corporate::syntax::CorporateQuery;
use daicho::index::attributes::Attribute;
use daicho::query::SearchResults;
use daicho::query::syntax::{CodeFacet, CodePath, FacetPath};

use super::question::{Answer, Asked, Engine};
use super::rows::KINDS;

/// The search over a snapshot.
pub struct DaichoSearch<'d> {
    data: &'d CorporateData,
    area: FacetPaths,
    all: FacetPaths,
    /// Index of each facet value in an [`Answer`], by path.
    values: HashMap<(&'static str, String), usize>,
}

impl DaichoSearch<'_> {
    /// The search of a snapshot.
    pub fn of(data: &CorporateData) -> DaichoSearch<'_> {
        let area = Some(FacetPath::parse("/").expect("the root"));
        let codes = Attribute::ALL.map(|facet| CodePath { facet, code: None }).into();
        let mut values = HashMap::from([(("area", "/海外など".to_owned()), 99)]);
        for (place, _) in data.places().expect("a sound snapshot") {
            if let Some(code) = place.prefecture_code() {
                values.insert(("area", format!("/{}", place.prefecture())), usize::from(code));
            }
        }
        for facet in Attribute::ALL {
            for (code, word) in facet.words() {
                let kind = KINDS.iter().position(|kind| facet == Attribute::Kind && kind == code);
                let value = kind.unwrap_or(usize::from(*code));
                values.insert((facet.name(), format!("/{word}")), value);
            }
        }
        let areas = FacetPaths { area: area.clone(), codes: Vec::new() };
        DaichoSearch { data, area: areas, all: FacetPaths { area, codes }, values }
    }

    /// The result of a query, with the first `limit` rows.
    pub fn find(&self, asked: &Asked, all_facets: bool, limit: usize) -> SearchResults {
        let q = CorporateQuery::parse(&asked.written).expect("a question of this bench");
        let facets = if all_facets { &self.all } else { &self.area };
        let search = CorporateSearch { facets: Some(facets), ..CorporateSearch::new(&q, 0, limit) };
        self.data.search(&search).expect("a sound snapshot")
    }
}

impl Engine for DaichoSearch<'_> {
    fn name(&self) -> &'static str {
        "daicho"
    }

    fn ask(&self, asked: &Asked, all_facets: bool) -> Answer {
        let found = self.find(asked, all_facets, 100);
        let mut answer = Answer::none(all_facets);
        (answer.count, answer.rows) = (found.count, found.rows.len());
        for ((facet, children), counts) in found.facets.into_iter().zip(&mut answer.facets) {
            for (path, count) in children {
                let value = self.values.get(&(facet, path.clone()));
                let value = *value.unwrap_or_else(|| panic!("{facet} has {path}"));
                counts[value] = count as u32;
            }
        }
        answer
    }

    fn run(&self, asked: &Asked, all_facets: bool) {
        black_box(self.find(asked, all_facets, 100));
    }
}
