//! Fuzz target of matching: any name and address gets a match whose parts agree with each other, or status 400 or 414.

use serde_json::{Value, json};

use super::sample_server::{SERVER, percent_encoded};
use super::with_choices;

const LEVELS: [&str; 4] = ["exact", "probable", "review", "none"];
const CANDIDATES_MAX: usize = 5;

/// The first byte chooses between the endpoint and its batch; the rest is a name, an address, a postal code and a
/// telephone number, separated by line ends.
pub fn run(input: &[u8]) {
    let Some((&first, text)) = input.split_first() else { return };
    // A longer target is refused before its parameters are read.
    let text = &text[..text.len().min(2000)];
    let fields = ["name", "address", "postal_code", "tel"]
        .into_iter()
        .zip(text.split(|&byte| byte == b'\n'));
    let shown = String::from_utf8_lossy(text);
    if first % 2 == 0 {
        let parameters = fields.map(|(name, value)| format!("{name}={}", percent_encoded(value)));
        let target = format!("/v1/match/corporation?{}", parameters.collect::<Vec<_>>().join("&"));
        let response = SERVER.get(&target);
        let found = response.json(&shown);
        match response.status {
            200 => check(&found["data"], &shown),
            400 | 414 => {
                assert!(found["type"].is_string() || found["errors"].is_array(), "{found}")
            }
            status => panic!("{shown}: {status} {found}"),
        }
    } else {
        let fields =
            fields.map(|(name, value)| (name.to_owned(), json!(String::from_utf8_lossy(value))));
        let body = json!({ "queries": [fields.collect::<serde_json::Map<_, _>>()] }).to_string();
        let response = SERVER.request("POST", "/v1/batch/match/corporation", body.as_bytes());
        let found = response.json(&shown);
        if response.status == 200 {
            for record in found["records"].as_array().expect("a batch answers with records") {
                check(&record["match"], &shown);
            }
        }
    }
}

/// A number stands where the level claims one, and is that of the first candidate; the best candidate comes first.
fn check(data: &Value, shown: &str) {
    let level = data["match_level"].as_str().expect("a match has a level");
    assert!(LEVELS.contains(&level), "{shown}: {level}");
    let candidates = data["candidates"].as_array().expect("a match has candidates");
    assert!(candidates.len() <= CANDIDATES_MAX, "{shown}: {data}");
    let claims = matches!(level, "exact" | "probable");
    assert_eq!(data["corporate_number"].is_string(), claims, "{shown}: {data}");
    if claims {
        assert_eq!(data["corporate_number"], candidates[0]["corporate_number"], "{shown}: {data}");
    }
    let score = |value: &Value| value["match_score"].as_u64().expect("a match has a score");
    let scores: Vec<u64> = candidates.iter().map(score).collect();
    assert!(
        scores.is_sorted_by(|a, b| a >= b) && scores.iter().all(|&score| score <= 100),
        "{shown}: {data}"
    );
    for candidate in candidates {
        assert!(
            candidate["match_reason"].as_str().is_some_and(|reason| !reason.is_empty()),
            "{shown}: {data}"
        );
    }
}

/// A line of the file has the fields separated by tabs.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = with_choices(include_str!("../seeds/match.txt"), 2);
    for seed in &mut seeds {
        seed.iter_mut().filter(|byte| **byte == b'\t').for_each(|byte| *byte = b'\n');
    }
    seeds
}
