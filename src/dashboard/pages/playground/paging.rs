//! The position of the shown page, and the links to the pages before and after it.

use serde_json::Value;

use super::api_request::{ApiRequest, SearchKind, playground_url};
use super::readable::readable;
use crate::dashboard::prelude::*;

/// The position of a page among all records that were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PagePosition {
    offset: u64,
    shown: u64,
    limit: u64,
    count: u64,
}

impl PagePosition {
    /// `None` for an answer without pages.
    fn from_json(json: &Value) -> Option<PagePosition> {
        let shown = json["data"].as_array()?.len() as u64;
        let number = |name: &str| json[name].as_u64();
        let position = PagePosition {
            offset: number("offset")?,
            shown,
            limit: number("limit")?.max(1),
            count: number("count")?,
        };
        (position.offset > 0 || position.shown < position.count).then_some(position)
    }

    fn previous(self) -> Option<u64> {
        (self.offset > 0).then(|| self.offset.min(self.count).saturating_sub(self.limit))
    }

    fn next(self) -> Option<u64> {
        let next = self.offset.saturating_add(self.shown);
        (self.shown > 0 && next < self.count).then_some(next)
    }
}

/// Links to the pages before and after the one in `json`, which is the answer to `api_request`. The link to a page of a
/// typed request has that request with another offset as its text.
pub fn page_links(
    words: &Words,
    json: &Value,
    kind: SearchKind,
    text: &str,
    api_request: &ApiRequest,
) -> Markup {
    let Some(position) = PagePosition::from_json(json) else { return Markup::default() };
    let url = |offset| match kind {
        SearchKind::Target => {
            let target = api_request.clone().with_offset(offset).target();
            playground_url(kind, &readable(&target), 0)
        }
        kind => playground_url(kind, text, offset),
    };
    html! {
        nav.pages aria-label=(words.pages) {
            @if let Some(offset) = position.previous() {
                a rel="prev" href=(url(offset)) { "← " (words.previous_page) }
            }
            @if position.shown > 0 {
                span.hint {
                    (grouped(position.offset + 1)) "–" (grouped(position.offset + position.shown)) " / "
                    (grouped(position.count))
                }
            }
            @if let Some(offset) = position.next() {
                a rel="next" href=(url(offset)) { (words.next_page) " →" }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::dashboard::words::ENGLISH;

    fn answer(offset: u64, shown: usize, count: u64) -> Value {
        json!({"data": vec![0; shown], "offset": offset, "limit": 20, "count": count})
    }

    #[test]
    fn pages_have_the_offsets_of_their_neighbours() {
        #[track_caller]
        fn check(json: Value, expected: Option<(Option<u64>, Option<u64>)>) {
            let found = PagePosition::from_json(&json)
                .map(|position| (position.previous(), position.next()));
            assert_eq!(found, expected, "{json}");
        }
        check(answer(0, 3, 3), None);
        check(answer(0, 20, 45), Some((None, Some(20))));
        check(answer(20, 20, 45), Some((Some(0), Some(40))));
        check(answer(40, 5, 45), Some((Some(20), None)));
        check(answer(30, 15, 45), Some((Some(10), None)));
        // An offset past the last record.
        check(answer(1000, 0, 45), Some((Some(25), None)));
        check(answer(u64::MAX, 0, 0), Some((Some(0), None)));
        check(json!({"data": {}}), None);
        check(json!({"data": [1, 2], "offset": -1}), None);
    }

    #[test]
    fn a_typed_request_keeps_its_form() {
        let api_request = ApiRequest::new(SearchKind::Target, "/v1/postalcode/?q=千代田");
        let page = page_links(&ENGLISH, &answer(20, 20, 45), SearchKind::Target, "x", &api_request)
            .into_string();
        assert!(page.contains("21–40 / 45"), "{page}");
        let next = "?text=%2Fv1%2Fpostalcode%2F%3Fq%3D%E5%8D%83%E4%BB%A3%E7%94%B0%26offset%3D40&amp;kind=guess";
        assert!(page.contains(next), "{page}");
        let page =
            page_links(&ENGLISH, &answer(0, 20, 45), SearchKind::PostalQuery, "a&b", &api_request)
                .into_string();
        assert!(page.contains("?text=a%26b&amp;kind=query&amp;offset=20"), "{page}");
        assert!(!page.contains("rel=\"prev\""), "{page}");
    }
}
