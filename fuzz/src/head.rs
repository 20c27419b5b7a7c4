//! Fuzz target of the bytes of a connection: any bytes get complete responses or none, and the next client is served.

use super::sample_server::SERVER;

pub fn run(input: &[u8]) {
    let response = SERVER.send(input).expect("the server answers or closes within its time");
    let http2 = input.starts_with(b"PRI * HTTP/2");
    let known = response.is_empty() || http2 || response.starts_with(b"HTTP/1.");
    assert!(
        known,
        "{:?} to {:?}",
        String::from_utf8_lossy(&response),
        String::from_utf8_lossy(input)
    );
    let status = response.get(9..10);
    assert_ne!(status.filter(|_| !http2), Some(&b"5"[..]), "{:?}", String::from_utf8_lossy(input));
    assert_eq!(SERVER.get("/v1/postalcode/1000001").status, 200, "the next client");
}

/// Heads are separated by a line of three hyphens; each line ends in CR LF.
pub fn seeds() -> Vec<Vec<u8>> {
    let heads = include_str!("../seeds/head.txt").split("---\n");
    heads.map(|head| head.replace('\n', "\r\n").into_bytes()).collect()
}
