//! Fuzz target of the JSON bodies of batches: any body gets a response in JSON with a status below 500.

use super::sample_server::SERVER;
use super::with_choices;

const PATHS: [&str; 5] = [
    "/v1/batch/postalcode/search",
    "/v1/batch/houjinbangou/search",
    "/v1/batch/invoice/search",
    "/v1/houjinbangou/radar/corporate_numbers/add",
    "/v1/invoice/radar/invoice_numbers/add",
];

/// The first byte chooses the endpoint, the rest is the body.
pub fn run(input: &[u8]) {
    let Some((&first, body)) = input.split_first() else { return };
    let path = PATHS[usize::from(first) % PATHS.len()];
    let response = SERVER.request("POST", path, body);
    response.json(&(path, String::from_utf8_lossy(body)));
}

pub fn seeds() -> Vec<Vec<u8>> {
    with_choices(include_str!("../seeds/body.txt"), PATHS.len() as u8)
}
