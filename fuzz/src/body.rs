//! Fuzz target of the JSON bodies of batches: any body gets an answer in JSON with a status below 500.

use super::ask::SAMPLE;
use super::chosen;

const PATHS: [&str; 4] = [
    "/v1/batch/postalcode/search",
    "/v1/batch/houjinbangou/search",
    "/v1/batch/invoice/search",
    "/v1/houjinbangou/radar/corporate_numbers/add",
];

/// The first byte chooses the endpoint, the rest is the body.
pub fn run(input: &[u8]) {
    let Some((&first, body)) = input.split_first() else { return };
    let path = PATHS[usize::from(first) % PATHS.len()];
    let answer = SAMPLE.ask("POST", path, body);
    answer.json(&(path, String::from_utf8_lossy(body)));
}

pub fn seeds() -> Vec<Vec<u8>> {
    chosen(include_str!("../seeds/body.txt"), PATHS.len() as u8)
}
