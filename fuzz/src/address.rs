//! Fuzz target of the address normaliser: any text gets status 200, and each part that the explanation quotes is in the
//! text at the given offsets.

use super::ask::{SAMPLE, escaped};

pub fn run(input: &[u8]) {
    let input = &input[..input.len().min(2000)];
    let answer = SAMPLE.get(&format!("/v1/postalcode?t={}&explain=1", escaped(input)));
    let text = String::from_utf8_lossy(input);
    let found = answer.json(&text);
    if answer.status == 400 {
        return;
    }
    assert_eq!(answer.status, 200, "{text}");
    for component in found["explain"]["components"].as_array().into_iter().flatten() {
        let Some(read) = component["read"].as_str() else { continue };
        let place = |name: &str| component[name].as_u64().map(|at| at as usize);
        let (start, end) = (place("start").expect("a start"), place("end").expect("an end"));
        assert_eq!(text.get(start..end), Some(read), "{text}: {component}");
    }
}

pub fn seeds() -> Vec<Vec<u8>> {
    include_str!("../seeds/address.txt").lines().map(|line| line.as_bytes().to_vec()).collect()
}
