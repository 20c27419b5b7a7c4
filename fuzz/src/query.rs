//! Fuzz target of the query languages of `q`: any text gets records or status 400, or 414 if it is too long; the count
//! agrees with the number of records.

use super::sample_server::{SERVER, percent_encoded};
use super::with_choices;

const PATHS: [&str; 4] = ["/v1/postalcode", "/v1/houjinbangou", "/v1/invoice", "/v1/school"];

/// The first byte chooses the endpoint, the rest is `q`.
pub fn run(input: &[u8]) {
    let Some((&first, q)) = input.split_first() else { return };
    // A longer target is refused before the query is read.
    let q = &q[..q.len().min(2000)];
    let path = PATHS[usize::from(first) % PATHS.len()];
    let response = SERVER.get(&format!("{path}?q={}&limit=100", percent_encoded(q)));
    let found = response.json(&(path, String::from_utf8_lossy(q)));
    match response.status {
        200 => {
            let data = found["data"].as_array().expect("a search answers with a list");
            let count = found["count"].as_u64().expect("a search answers with a count");
            assert_eq!(data.len() as u64, count.min(100), "{path} {}", String::from_utf8_lossy(q));
        }
        400 | 414 => assert!(found["type"].is_string() || found["errors"].is_array(), "{found}"),
        status => panic!("{path} {}: {status}", String::from_utf8_lossy(q)),
    }
}

pub fn seeds() -> Vec<Vec<u8>> {
    with_choices(include_str!("../seeds/query.txt"), PATHS.len() as u8)
}
