//! The paths that the server has: under which labels their requests are counted, and which first parts are taken.

use crate::api::pipeline::router::labels;
use crate::api::table::TABLE;
use crate::compat;
use crate::dashboard;
use crate::docs;
use crate::forms;
#[cfg(feature = "mcp")]
use crate::mcp;
use crate::server::metrics::Label;

/// Labels for requests outside the API, counted after the labels of the endpoints.
const LABELS: &[&str] = &[
    dashboard::LABEL,
    docs::LABEL,
    forms::LABEL,
    #[cfg(feature = "mcp")]
    mcp::http::LABEL,
];

/// The texts of all labels, in order: the labels of the API, those of foreign protocols, then [`LABELS`].
pub fn all_labels() -> Vec<&'static str> {
    [labels(), compat::endpoint_labels(), LABELS.to_vec()].concat()
}

/// The label with a text of [`LABELS`].
pub fn label(text: &str) -> Label {
    let position = LABELS.iter().position(|label| *label == text);
    let before = labels().len() + compat::endpoint_labels().len();
    Label(before + position.expect("callers pass a text of the list"))
}

/// A path of this server that begins with the same part as `base`; `None` if there is none, or `base` is empty.
pub fn own_path_below(base: &str, compat: compat::Enabled) -> Option<&'static str> {
    let first = |path: &str| path.split('/').nth(1).map(str::to_owned);
    let api = TABLE.iter().map(|endpoint| endpoint.path);
    let own = api.chain(compat.paths()).chain(LABELS.iter().copied()).chain(forms::PAGES);
    first(base).and_then(|base| own.into_iter().find(|own| first(own).as_ref() == Some(&base)))
}
