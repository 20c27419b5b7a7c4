//! The shown page of records, and the links to the pages before and after it.

use serde_json::Value;

use super::api_request::{ApiRequest, Kind};
use super::link::link;
use super::readable::readable;
use crate::dashboard::prelude::*;

/// The position of a page within all results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    offset: u64,
    shown: u64,
    limit: u64,
    count: u64,
}

impl Place {
    /// `None` for an answer without pages.
    fn of(json: &Value) -> Option<Place> {
        let shown = json["data"].as_array()?.len() as u64;
        let number = |name: &str| json[name].as_u64();
        let place = Place {
            offset: number("offset")?,
            shown,
            limit: number("limit")?.max(1),
            count: number("count")?,
        };
        (place.offset > 0 || place.shown < place.count).then_some(place)
    }

    fn previous(self) -> Option<u64> {
        (self.offset > 0).then(|| self.offset.min(self.count).saturating_sub(self.limit))
    }

    fn next(self) -> Option<u64> {
        let next = self.offset.saturating_add(self.shown);
        (self.shown > 0 && next < self.count).then_some(next)
    }
}

/// Links to the neighbouring pages. A typed request is repeated with its new offset.
pub fn pages(words: &Words, json: &Value, kind: Kind, text: &str, call: &ApiRequest) -> Markup {
    let Some(place) = Place::of(json) else { return Markup::default() };
    let to = |offset| match kind {
        Kind::Target => link(kind, &readable(&call.clone().at(offset).target()), 0),
        kind => link(kind, text, offset),
    };
    html! {
        nav.pages aria-label=(words.pages) {
            @if let Some(offset) = place.previous() {
                a rel="prev" href=(to(offset)) { "← " (words.previous_page) }
            }
            @if place.shown > 0 {
                span.hint {
                    (grouped(place.offset + 1)) "–" (grouped(place.offset + place.shown)) " / "
                    (grouped(place.count))
                }
            }
            @if let Some(offset) = place.next() {
                a rel="next" href=(to(offset)) { (words.next_page) " →" }
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
            let found = Place::of(&json).map(|place| (place.previous(), place.next()));
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
        let call = ApiRequest::of(Kind::Target, "/v1/postalcode/?q=千代田");
        let page = pages(&ENGLISH, &answer(20, 20, 45), Kind::Target, "x", &call).into_string();
        assert!(page.contains("21–40 / 45"), "{page}");
        let next = "?text=%2Fv1%2Fpostalcode%2F%3Fq%3D%E5%8D%83%E4%BB%A3%E7%94%B0%26offset%3D40&amp;kind=guess";
        assert!(page.contains(next), "{page}");
        let page =
            pages(&ENGLISH, &answer(0, 20, 45), Kind::PostalQuery, "a&b", &call).into_string();
        assert!(page.contains("?text=a%26b&amp;kind=query&amp;offset=20"), "{page}");
        assert!(!page.contains("rel=\"prev\""), "{page}");
    }
}
