//! A server over the sample data, with an account that may call every endpoint.

use daicho::api::endpoint::{Endpoint, Verb};

use crate::support::{Answer, Client, ServerProcess, sample};

pub fn served() -> ServerProcess {
    let server = ServerProcess::with_snapshots(Some(sample()), &[]);
    server.set_webhook("premium-batch");
    server
}

/// Sends the example of an endpoint with one of its methods and with further header lines.
#[track_caller]
pub fn ask_example(
    server: &ServerProcess,
    endpoint: &Endpoint,
    method: Verb,
    headers: &str,
) -> Answer {
    match method {
        Verb::Get => ask(server, &format!("GET {}", endpoint.example), headers, ""),
        Verb::Post => {
            // The parameters are in the body.
            let path = endpoint.example.split('?').next().expect("a path");
            ask(server, &format!("POST {path}"), headers, endpoint.example_body)
        }
    }
}

/// Sends a request with the key of the account.
#[track_caller]
pub fn ask(server: &ServerProcess, line: &str, headers: &str, body: &str) -> Answer {
    let (key, length) = (&server.premium_batch, body.len());
    let mut client = Client::connect(server.address);
    client.send(
        format!(
            "{line} HTTP/1.1\nHost: test\nConnection: close\nAuthorization: Token {key}\n\
             Content-Length: {length}\n{headers}"
        )
        .trim_end(),
    );
    client.send_bytes(body.as_bytes());
    client.receive()
}
