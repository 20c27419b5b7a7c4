//! Fuzz target of the address normaliser: any text gets status 200, and each part that the explanation quotes is in the
//! text at the given offsets.

use super::sample_server::{SERVER, percent_encoded};

pub fn run(input: &[u8]) {
    let input = &input[..input.len().min(2000)];
    let response = SERVER.get(&format!("/v1/postalcode?t={}&explain=1", percent_encoded(input)));
    let text = String::from_utf8_lossy(input);
    let found = response.json(&text);
    if response.status == 400 {
        return;
    }
    assert_eq!(response.status, 200, "{text}");
    for component in found["explain"]["components"].as_array().into_iter().flatten() {
        let Some(read) = component["read"].as_str() else { continue };
        let offset = |name: &str| component[name].as_u64().map(|offset| offset as usize);
        let (start, end) = (offset("start").expect("a start"), offset("end").expect("an end"));
        assert_eq!(text.get(start..end), Some(read), "{text}: {component}");
    }
}

pub fn seeds() -> Vec<Vec<u8>> {
    include_str!("../seeds/address.txt").lines().map(|line| line.as_bytes().to_vec()).collect()
}
