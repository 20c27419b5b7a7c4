//! Every endpoint of the API, a file for each resource. Where two paths match, the one with a literal segment wins
//! over the one with a parameter.
//!
//! An entry is all that routing, rights, metrics and the documentation know of an endpoint.

mod bank;
mod calendar;
mod corporate;
mod invoice;
pub mod parameters;
mod postal;
mod school;
mod server;

pub use server::METRICS;

use super::endpoint::Endpoint;

/// The resources in the order of the documentation.
const RESOURCES: &[&[Endpoint]] = &[
    postal::ENDPOINTS,
    bank::ENDPOINTS,
    corporate::ENDPOINTS,
    invoice::ENDPOINTS,
    school::ENDPOINTS,
    calendar::ENDPOINTS,
    server::ENDPOINTS,
];

pub static TABLE: &[Endpoint] = &joined::<{ count() }>();

const fn count() -> usize {
    let (mut count, mut at) = (0, 0);
    while at < RESOURCES.len() {
        count += RESOURCES[at].len();
        at += 1;
    }
    count
}

/// The entries of all resources; `N` is their [`count`].
const fn joined<const N: usize>() -> [Endpoint; N] {
    let mut all = [Endpoint::GET; N];
    let (mut resource, mut at, mut next) = (0, 0, 0);
    while resource < RESOURCES.len() {
        if at < RESOURCES[resource].len() {
            all[next] = RESOURCES[resource][at];
            next += 1;
            at += 1;
        } else {
            resource += 1;
            at = 0;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::api::parameter::Parameter;

    #[test]
    fn every_endpoint_is_described_with_the_parameters_of_its_path() {
        let mut labels = HashSet::new();
        for endpoint in TABLE {
            let Endpoint { path, label, summary, parameters, answer, .. } = endpoint;
            assert!(labels.insert(label.unwrap_or(path)), "{path} is there twice");
            for words in [summary, answer] {
                assert!(!words.is_incomplete(), "{path} has no words in one of the languages");
            }
            assert!(!endpoint.example.is_empty(), "{path} has no example");
            let named = path.split('/').filter_map(|segment| segment.strip_prefix('{'));
            for name in named.map(|name| name.trim_end_matches('}')) {
                assert!(parameters.iter().any(|known| known.name == name), "{path}: {name}");
            }
            for Parameter { name, meaning, example, .. } in *parameters {
                assert!(!meaning.is_incomplete() && !example.is_empty(), "{path}: {name}");
            }
        }
    }
}
