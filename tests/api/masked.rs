//! API keys in paths and parameters by mistake: none appears in the log or in an error.

use super::support::{ServerProcess, ask, sample};

#[test]
fn a_key_in_a_path_or_parameter_is_masked_in_log_and_errors() {
    let served = ServerProcess::with_snapshots(Some(sample()), &["--log-level", "debug"]);
    let key = served.premium.clone();
    let encoded = key.replace('_', "%5F");
    let (label, letters) = key.split_at(11);
    for target in [
        format!("/v1/postalcode/{key}"),
        format!("/v1/{key}/x"),
        format!("/{encoded}"),
        format!("/v1/postalcode/1000001?version={key}"),
        format!("/v1/postalcode/1000001?api_version={key}"),
        format!("/v1/postalcode/1000001?key={encoded}"),
        format!("/v1/postalcode/1000001?key={key}"),
        format!("/v1/postalcode/?q=&limit={key}"),
        format!("/v1/businessdays/check?date={key}"),
        format!("/v1/bank?q={key}&match={key}"),
        format!("/dashboard/{key}"),
    ] {
        let text = ask(served.address, &format!("GET {target}\nAuthorization: Token {key}")).text();
        assert!(!text.contains(letters), "{target}: {text}");
    }
    ask(served.address, "GET /v1/the_last_one");
    let log = served.wait_for_log("the_last_one");
    assert!(!log.contains(letters), "{log}");
    assert!(log.contains(&format!("/v1/postalcode/{label}…")), "{log}");
}
