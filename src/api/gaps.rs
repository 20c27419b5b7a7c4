//! What the newest data lack although their answers suggest it, found when the data are loaded.

use hyper::header::HeaderValue;

use crate::dataset::corporate::coverage::Coverage;
use crate::dataset::{AnyVersions, Catalog};
use crate::snapshot::DatasetKind;

/// What the newest data lack although their answers suggest it.
#[derive(Debug, Default)]
pub struct Gaps {
    /// No register of invoice issuers is loaded, and the corporate data were built without one.
    pub has_no_register: bool,
    /// The datasets whose newest data are made up, each with its notice.
    pub samples: Vec<(DatasetKind, HeaderValue)>,
    /// The corporate data are not of the whole country: which prefectures they have, and the notice of it.
    pub coverage: Option<(Coverage, HeaderValue)>,
}

impl Gaps {
    pub fn of(catalog: &Catalog) -> Gaps {
        let samples = samples(catalog);
        let Some(corporate) = catalog.corporate().latest() else {
            return Gaps { samples, ..Gaps::default() };
        };
        // Damage of these sections is reported where they are read.
        let has_register =
            catalog.invoice().latest().is_some() || corporate.has_register().unwrap_or_default();
        let coverage = corporate.coverage().ok().flatten().and_then(|coverage| {
            let notice = format!("the corporate data are of {} only", coverage.roman());
            Some((coverage, HeaderValue::try_from(notice).ok()?))
        });
        Gaps { has_no_register: !has_register, samples, coverage }
    }
}

fn samples(catalog: &Catalog) -> Vec<(DatasetKind, HeaderValue)> {
    let sample = |versions: &dyn AnyVersions| {
        let kind = versions.facts().kind;
        versions.newest().filter(|file| file.is_sample())?;
        let notice = format!("the {kind} data are made up, for trials of the program");
        Some((kind, HeaderValue::try_from(notice).ok()?))
    };
    catalog.datasets().into_iter().filter_map(sample).collect()
}
