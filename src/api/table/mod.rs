//! Every endpoint of the API, a file for each resource. If two paths match, the one with a literal segment wins
//! over the one with a parameter.
//!
//! An entry is the only source about an endpoint for routing, rights, metrics and documentation.

mod bank;
mod calendar;
mod corporate;
mod invoice;
mod matching;
pub mod parameters;
mod postal;
mod radar;
mod reverse;
mod school;
pub mod server;
mod suggest;

pub use server::METRICS;

use super::endpoint::Endpoint;
use super::words::{Words, words};

/// The beginning of every path that needs a key. No other room has paths below it.
pub const ROOT: &str = "/v1/";

/// The endpoints of one kind of data.
#[derive(Debug)]
pub struct Resource {
    /// Language-independent; part of URLs in the documentation.
    pub name: &'static str,
    pub title: Words,
    pub endpoints: &'static [Endpoint],
}

const fn resource(name: &'static str, title: Words, endpoints: &'static [Endpoint]) -> Resource {
    Resource { name, title, endpoints }
}

/// The resources in the order of the documentation.
pub const RESOURCES: &[Resource] = &[
    resource("postal", words("Postal codes and addresses", "郵便番号と住所"), postal::ENDPOINTS),
    resource("reverse", words("Places near a location", "座標からの検索"), reverse::ENDPOINTS),
    resource("bank", words("Banks", "金融機関"), bank::ENDPOINTS),
    resource("corporate", words("Corporations", "法人"), corporate::ENDPOINTS),
    resource(
        "invoice",
        words("Qualified invoice issuers", "適格請求書発行事業者"),
        invoice::ENDPOINTS,
    ),
    resource("match", words("Matching", "照合"), matching::ENDPOINTS),
    resource("school", words("Schools", "学校"), school::ENDPOINTS),
    resource("suggest", words("Suggestions while typing", "入力補完"), SUGGESTIONS),
    resource("calendar", words("Holidays and business days", "祝日と営業日"), calendar::ENDPOINTS),
    resource("server", words("The server", "サーバー"), server::ENDPOINTS),
];

const SUGGESTIONS: &[Endpoint] = &[
    suggest::ADDRESS,
    corporate::SUGGESTIONS,
    bank::SUGGESTIONS,
    bank::BRANCH_SUGGESTIONS,
    school::SUGGESTIONS,
];

pub static TABLE: &[Endpoint] = &all_endpoints::<{ endpoint_count() }>();

const fn endpoint_count() -> usize {
    let (mut count, mut index) = (0, 0);
    while index < RESOURCES.len() {
        count += RESOURCES[index].endpoints.len();
        index += 1;
    }
    count
}

/// The entries of all resources; `N` is their [`endpoint_count`].
const fn all_endpoints<const N: usize>() -> [Endpoint; N] {
    let mut all = [Endpoint::GET; N];
    let (mut resource, mut index, mut next) = (0, 0, 0);
    while resource < RESOURCES.len() {
        let endpoints = RESOURCES[resource].endpoints;
        if index < endpoints.len() {
            all[next] = endpoints[index];
            next += 1;
            index += 1;
        } else {
            resource += 1;
            index = 0;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::api::endpoint::Parameter;

    #[test]
    fn every_endpoint_is_described_with_the_parameters_of_its_path() {
        let mut labels = HashSet::new();
        for endpoint in TABLE {
            let Endpoint { path, label, summary, parameters, answer, .. } = endpoint;
            assert!(labels.insert(label.unwrap_or(path)), "{path} occurs twice");
            for Words { en, ja } in [summary, answer] {
                assert!(!en.is_empty() && !ja.is_empty(), "{path} lacks a text");
            }
            assert!(!endpoint.example.is_empty(), "{path} has no example");
            for (_, name) in endpoint.path_parameters() {
                assert!(parameters.iter().any(|known| known.name == name), "{path}: {name}");
            }
            for Parameter { name, meaning, example, .. } in *parameters {
                let texts = [meaning.en, meaning.ja, example];
                assert!(texts.iter().all(|text| !text.is_empty()), "{path}: {name}");
            }
        }
    }
}
