//! `Daicho-Notice`: names parameters of a request that have no effect, and reports [old data](crate::api::data).
//!
//! Unknown parameters are ignored, because existing clients send extra ones, so a typing error would go unnoticed.
//! The header names such parameters and the nearest name that the endpoint has. Names are written in ASCII,
//! truncated and limited in number, whatever a client sends.

use std::borrow::Cow;

use hyper::header::HeaderValue;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::params::{API_VERSION_PARAMETER, KEY_PARAMETER, META_PARAMETER};
use super::reply::join_notices;
use crate::api::endpoint::{Endpoint, Handler};
use crate::api::gaps::Gaps;
use crate::dataset::corporate::CorporateData;
use crate::snapshot::Dataset as _;
use crate::text::codes::ApiVersion;
use crate::text::percent::{PlusSign, decode};

/// Most parameters that are named; the rest are counted.
const NAMED_MAX: usize = 3;

/// Longest name, in characters; longer ones are truncated.
const NAME_LENGTH_MAX: usize = 24;

/// The notice of a key in the URL that a key in the header overrides.
const KEY_WITHOUT_EFFECT: &str = "parameter key has no effect beside the header Authorization";

const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'-').remove(b'.');

/// The notice of a query string; `None` if all of it has an effect. `has_key_header`: the key came in a header.
pub fn notice(query: &str, endpoint: &Endpoint, has_key_header: bool) -> Option<HeaderValue> {
    let key = endpoint.needs.filter(|_| !has_key_header).map(|_| KEY_PARAMETER);
    let meta = endpoint.has_meta().then_some(META_PARAMETER);
    let common = [API_VERSION_PARAMETER].into_iter().chain(key).chain(meta);
    let known: Vec<&str> = endpoint.query_parameters().chain(common).collect();
    let mut unknown: Vec<Cow<'_, str>> = Vec::new();
    let mut more = 0;
    for pair in query.split('&') {
        let name = pair.split_once('=').map_or(pair, |(name, _)| name);
        let name = decode(name, PlusSign::Space).unwrap_or(Cow::Borrowed(name));
        if name.is_empty() || known.contains(&&*name) || unknown.contains(&name) {
            continue;
        }
        match unknown.len() < NAMED_MAX {
            true => unknown.push(name),
            false => more += 1,
        }
    }
    let describe = |name: &Cow<'_, str>| match &**name {
        KEY_PARAMETER if endpoint.needs.is_some() => KEY_WITHOUT_EFFECT.to_owned(),
        name => sentence(name, &known),
    };
    let mut sentences: Vec<String> = unknown.iter().map(describe).collect();
    if more > 0 {
        sentences.push(format!("and {more} more"));
    }
    HeaderValue::try_from(sentences.join("; ")).ok().filter(|text| !text.is_empty())
}

/// The notice of an answer with numbers of invoice issuers from data without a register.
pub const NO_REGISTER: HeaderValue = HeaderValue::from_static(
    "no register of invoice issuers is loaded: qualified_invoice_issuer_number is no registration",
);

/// What the data lack that answers of this endpoint suggest. A search that finds nothing in the data of some
/// prefectures does not say that there is nothing.
pub fn gap_notices<'d>(
    gaps: &'d Gaps,
    endpoint: &Endpoint,
    api: ApiVersion,
) -> impl Iterator<Item = &'d HeaderValue> {
    static WITHOUT: HeaderValue = NO_REGISTER;
    let has_numbers = endpoint.names_issuers && api >= ApiVersion::V2024_01_01;
    let without = (gaps.has_no_register && has_numbers).then_some(&WITHOUT);
    // A look-up by number says so in its 404.
    let is_search = matches!(endpoint.handler, Handler::Search(_) | Handler::Budgeted(_))
        && !endpoint.path.contains('{');
    let is_corporate = endpoint.datasets.contains(&CorporateData::KIND);
    let coverage = gaps.coverage.as_ref().filter(|_| is_search && is_corporate);
    without.into_iter().chain(coverage.map(|(_, notice)| notice))
}

/// The header `Daicho-Sample`: which data of this endpoint are made up.
pub fn sample_notice(gaps: &Gaps, endpoint: &Endpoint) -> Option<HeaderValue> {
    let samples = gaps.samples.iter().filter(|(kind, _)| endpoint.datasets.contains(kind));
    samples.fold(None, |before, (_, next)| Some(join_notices(before, next)))
}

fn sentence(name: &str, known: &[&str]) -> String {
    let shown: String = name.chars().take(NAME_LENGTH_MAX).collect();
    let cut = if shown.len() < name.len() { "..." } else { "" };
    let shown = utf8_percent_encode(&shown, ENCODED);
    let nearest = nearest(name, known);
    let nearest = nearest.map(|nearest| format!(", the nearest is {nearest}")).unwrap_or_default();
    format!("unknown parameter {shown}{cut} has no effect{nearest}")
}

/// The known name that was probably meant: up to a third of its letters may be wrong, missing, added or swapped
/// with their neighbour.
fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let name = name.to_ascii_lowercase();
    let length = name.chars().count();
    if length > NAME_LENGTH_MAX {
        return None;
    }
    let distances = known.iter().map(|known| (strsim::osa_distance(&name, known), *known));
    let near = distances.filter(|(distance, known)| distance * 3 <= length.max(known.len()));
    near.min_by_key(|(distance, _)| *distance).map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use hyper::Method;
    use proptest::prelude::*;

    use super::*;
    use crate::api::pipeline::router::route;

    fn notice_for(path: &str, query: &str) -> Option<String> {
        notice_with(path, query, true)
    }

    fn notice_with(path: &str, query: &str, has_key_header: bool) -> Option<String> {
        let endpoint = route(&Method::GET, path).expect("an endpoint").endpoint;
        let found = notice(query, endpoint, has_key_header);
        found.map(|value| value.to_str().expect("ASCII").to_owned())
    }

    #[test]
    fn an_unknown_parameter_is_named_with_the_nearest_known_one() {
        #[track_caller]
        fn check(path: &str, query: &str, expected: &[(&str, &str)]) {
            let sentences = expected.iter().map(|(name, nearest)| {
                let nearest = match *nearest {
                    "" => String::new(),
                    nearest => format!(", the nearest is {nearest}"),
                };
                format!("unknown parameter {name} has no effect{nearest}")
            });
            let expected = sentences.collect::<Vec<_>>().join("; ");
            assert_eq!(
                notice_for(path, query),
                (!expected.is_empty()).then_some(expected),
                "{query}"
            );
        }
        let lookup = "/v1/postalcode/1000001";
        check(lookup, "", &[]);
        check(lookup, "version=2026-05-29&api_version=2026-08-01", &[]);
        check(lookup, "&&=&=x&version=", &[]);
        check(lookup, "v%65rsion=x", &[]);
        check(lookup, "verison=2026-05-29", &[("verison", "version")]);
        check(lookup, "Version=x", &[("Version", "version")]);
        check(lookup, "versions", &[("versions", "version")]);
        check(lookup, "apiversion=x", &[("apiversion", "api_version")]);
        check(lookup, "callback=x&_=1", &[("callback", ""), ("_", "")]);
        // Path parameters and parameters of other endpoints are unknown in the query.
        check(lookup, "code=1000001&limit=5", &[("code", ""), ("limit", "")]);
        let search = "/v1/postalcode";
        check(search, "t=x&q=x&facet=/&offset=0&limit=1&version=x", &[]);
        check(search, "limt=5&ofset=1", &[("limt", "limit"), ("ofset", "offset")]);
        check(search, "facets=/&p=x", &[("facets", "facet"), ("p", "")]);
        check("/v1/houjinbangou", "facet-area=/", &[("facet-area", "facet_area")]);
        check("/v1/holidays", "yaer=2026&form=x", &[("yaer", "year"), ("form", "from")]);
        check("/v1/whoami", "verison=x", &[("verison", "")]);
        // A repeated name is reported once.
        check(lookup, "x=1&x=2&%78=3", &[("x", "")]);
    }

    #[test]
    fn a_key_parameter_is_reported_if_it_has_no_effect() {
        let lookup = "/v1/postalcode/1000001";
        assert_eq!(notice_with(lookup, "key=x", false), None);
        assert_eq!(notice_with(lookup, "key=x", true).as_deref(), Some(KEY_WITHOUT_EFFECT));
        let mistyped = "unknown parameter kye has no effect, the nearest is key";
        assert_eq!(notice_with(lookup, "kye=x", false).as_deref(), Some(mistyped));
        let no_key = "unknown parameter key has no effect";
        assert_eq!(notice_with("/healthz", "key=x", false).as_deref(), Some(no_key));
    }

    #[test]
    fn reported_names_are_ascii_short_and_few() {
        let found = notice_for("/v1/whoami", "%E7%89%88=1").expect("a notice");
        assert_eq!(found, "unknown parameter %E7%89%88 has no effect");
        let found = notice_for("/v1/whoami", "a%0D%0ASet-Cookie:+x=1").expect("a notice");
        assert_eq!(found, "unknown parameter a%0D%0ASet-Cookie%3A%20x has no effect");
        // A name that cannot be decoded is reported as it was sent.
        let found = notice_for("/v1/whoami", "%zz=1").expect("a notice");
        assert_eq!(found, "unknown parameter %25zz has no effect");
        let found = notice_for("/v1/whoami", &"x".repeat(8000)).expect("a notice");
        assert_eq!(found, format!("unknown parameter {}... has no effect", "x".repeat(24)));
        let found = notice_for("/v1/whoami", "a&b&c&d&e").expect("a notice");
        assert!(found.ends_with("parameter c has no effect; and 2 more"), "{found}");
    }

    proptest! {
        #[test]
        fn any_query_gives_a_bounded_header(query in "[%&=+a-fzé版0-9\u{0}\u{7f}]{0,200}") {
            if let Some(found) = notice_for("/v1/postalcode", &query) {
                prop_assert!(found.len() < 1000 && found.bytes().all(|byte| (0x20..0x7f).contains(&byte)));
            }
        }
    }
}
