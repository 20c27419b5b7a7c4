//! `POST /mcp`: the checks before the protocol, the protocol, and the rights and quotas, which are those of the API.

use serde_json::{Value, json};

use crate::support::{Answer, Client, SHOP, ServerProcess, ask, wait_until};

const ACCEPT: &str = "Accept: application/json, text/event-stream";

/// Posts a message with these header lines.
#[track_caller]
pub fn post(served: &ServerProcess, headers: &str, body: &str) -> Answer {
    let mut client = Client::connect(served.address);
    let length = body.len();
    client.send(&format!(
        "POST /mcp HTTP/1.1\nHost: test\nConnection: close\nContent-Type: application/json\n\
         Content-Length: {length}\n{headers}"
    ));
    client.send_bytes(body.as_bytes());
    client.receive()
}

pub fn key(key: &str) -> String {
    format!("{ACCEPT}\nAuthorization: Token {key}")
}

fn message(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params }).to_string()
}

/// Calls a tool and returns the result.
#[track_caller]
fn call(served: &ServerProcess, secret: &str, tool: &str, arguments: &Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    let answer = post(served, &key(secret), &message("tools/call", &params));
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()["result"].clone()
}

#[track_caller]
fn error_text(result: &Value) -> &str {
    assert_eq!(result["isError"], true, "{result}");
    result["content"][0]["text"].as_str().expect("a text")
}

fn run(served: &ServerProcess, words: &str) {
    let done = served.run(words);
    assert!(done.status.success(), "{words}: {done:?}");
}

#[test]
fn messages_are_answered_in_json_and_notifications_accepted() {
    let served = ServerProcess::start();
    let headers = key(&served.secret);
    let hello = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    });
    let answer = post(&served, &headers, &message("initialize", &hello));
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("mcp-session-id"), None);
    let answer = answer.json();
    assert_eq!(
        (&answer["id"], &answer["result"]["protocolVersion"]),
        (&json!(7), &json!("2025-06-18"))
    );
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let accepted = post(&served, &headers, initialized);
    assert_eq!((accepted.status, accepted.body.len()), (202, 0));
    let versioned = format!("{headers}\nMCP-Protocol-Version: 2025-06-18");
    let listed = post(&served, &versioned, &message("tools/list", &json!({}))).json();
    assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(16));
    let ping = post(&served, &versioned, &message("ping", &json!({})));
    assert_eq!((ping.status, ping.json()["result"].is_object()), (200, true));
    let found =
        call(&served, &served.secret, "lookup_postal_code", &json!({ "postal_code": "1000001" }));
    assert_eq!(found["structuredContent"]["places"][0]["town"], "千代田");
    let slash = format!("POST /mcp/\nContent-Length: 0\n{headers}");
    assert_eq!(ask(served.address, &slash).json()["error"]["code"], -32700);
}

#[test]
fn a_wrong_request_gets_an_http_error_or_a_protocol_error() {
    let served = ServerProcess::start();
    let headers = key(&served.secret);
    let ping = message("ping", &json!({}));
    for method in ["GET", "DELETE", "PUT"] {
        let answer = ask(served.address, &format!("{method} /mcp\n{headers}"));
        answer.expect_error(405, "method_not_allowed", None);
        assert_eq!(answer.header("allow"), Some("POST, OPTIONS"), "{method}");
    }
    assert_eq!(ask(served.address, "OPTIONS /mcp").status, 204);
    for (headers, status, code) in [
        (ACCEPT.to_owned(), 401, "missing_key"),
        (key("dk_sec_wrong"), 401, "invalid_key"),
        (format!("{ACCEPT}\nAuthorization: Bearer {}", served.secret), 401, "unsupported_scheme"),
        (format!("{headers}\nOrigin: https://far.example"), 403, "origin_not_allowed"),
        (key(&served.public), 403, "origin_not_allowed"),
    ] {
        post(&served, &headers, &ping).expect_error(status, code, None);
    }
    let far = post(&served, &format!("{headers}\nOrigin: https://far.example"), &ping).text();
    assert!(far.contains("found \\\"https://far.example\\\""), "{far}");
    let near = format!("{}\nOrigin: {SHOP}", key(&served.public));
    assert_eq!(post(&served, &near, &ping).status, 200);
    let in_url = format!("POST /mcp?key={}\n{ACCEPT}\nContent-Length: 0", served.secret);
    ask(served.address, &in_url).expect_error(401, "secret_key_in_url", Some("key"));
    let long = message("ping", &json!({ "x": "x".repeat(8_000) }));
    assert_eq!(post(&served, &headers, &long).status, 200);
    let large = message("ping", &json!({ "x": "x".repeat(8 * 1024) }));
    post(&served, &headers, &large).expect_error(413, "body_too_large", None);
    let only_key = format!("Authorization: Token {}", served.secret);
    for (headers, body, status, code) in [
        (&headers, "{", 400, -32700),
        (&headers, "", 400, -32700),
        (&headers, "[]", 400, -32600),
        (&headers, &format!("[{ping}]"), 400, -32600),
        (&headers, r#"{"id":1}"#, 400, -32600),
        (&format!("{only_key}\nAccept: text/html"), &ping, 406, -32600),
        (&only_key, &ping, 406, -32600),
        (&format!("{headers}\nMCP-Protocol-Version: 1999-01-01"), &ping, 400, -32600),
        (&headers, &message("no/such", &json!({})), 200, -32601),
        (&headers, &message("tools/call", &json!({ "name": "no_such_tool" })), 200, -32602),
        (&headers, &message("tools/call", &json!({ "arguments": {} })), 200, -32601),
    ] {
        let answer = post(&served, headers, body);
        let found = answer.json();
        assert_eq!(
            (answer.status, &found["error"]["code"]),
            (status, &json!(code)),
            "{body}: {found}"
        );
    }
}

#[test]
fn a_tool_has_the_rights_of_its_key() {
    let served = ServerProcess::start();
    let number = json!({ "corporate_number": "6010001999901" });
    let result = call(&served, &served.secret, "lookup_corporation", &number);
    let text = error_text(&result);
    assert!(text.contains("plan_too_low") && text.contains("expected the plan premium"), "{text}");
    let result = call(&served, &served.premium, "lookup_corporation", &number);
    assert_eq!(result["structuredContent"]["corporation"]["name"], "株式会社台帳");
    let with_history = json!({ "corporate_number": "6010001999901", "history": true });
    let result = call(&served, &served.secret, "lookup_corporation", &with_history);
    assert!(error_text(&result).contains("plan_too_low"), "{result}");
    let result = call(&served, &served.premium, "lookup_corporation", &with_history);
    let change = &result["structuredContent"]["changes"][1];
    assert_eq!((&change["kind"], &change["date"]), (&json!("merger"), &json!("2026-07-30")));
    let result = call(&served, &served.secret, "find_schools", &json!({ "text": "台帳" }));
    assert!(error_text(&result).contains("plan_too_low"), "{result}");
    // Without the plan for corporations the tool works, but does not know their readings.
    let payee = json!({ "name": "株式会社台帳" });
    let [standard, premium] = [&served.secret, &served.premium]
        .map(|key| call(&served, key, "write_transfer_name", &payee)["structuredContent"].take());
    assert_eq!(standard, json!({ "unread": "台帳" }));
    assert_eq!(premium["transfer_name"], "ｶ)ﾀﾞｲﾁﾖｳ", "{premium}");
    // The API version of the account does not change the answer.
    let bank = json!({ "name": "台帳" });
    let [new, old] =
        [&served.secret, &served.old].map(|key| call(&served, key, "find_banks", &bank));
    assert_eq!(new["structuredContent"], old["structuredContent"]);
    let near = format!("{}\nOrigin: {SHOP}", key(&served.public));
    let params = json!({ "name": "find_banks", "arguments": bank });
    let answer = post(&served, &near, &message("tools/call", &params));
    assert_eq!(answer.json()["result"]["isError"], false, "{}", answer.text());
    assert_eq!(answer.header("access-control-allow-origin"), Some(SHOP));
}

#[test]
fn every_message_uses_the_quota_and_a_tool_reports_its_refusal() {
    let served = ServerProcess::start();
    run(&served, "account set demo --rate 1 --burst 2");
    let limited =
        || ask(served.address, &format!("GET /v1/whoami\nAuthorization: Token {}", served.secret));
    wait_until("the quota to take effect", || limited().header("ratelimit").is_some());
    let ping = message("ping", &json!({}));
    wait_until("pings to use the quota up", || {
        let answer = post(&served, &key(&served.secret), &ping);
        let is_refused = answer.status == 429;
        if is_refused {
            answer.expect_error(429, "too_many_requests", None);
            assert!(answer.header("retry-after").is_some(), "{:?}", answer.headers);
        }
        is_refused
    });
    let arguments = json!({ "postal_code": "1000001" });
    let mut refused = None;
    wait_until("the quota to be used up", || {
        let result = call(&served, &served.secret, "lookup_postal_code", &arguments);
        let is_refused = result["isError"] == true;
        refused = is_refused.then_some(result);
        is_refused
    });
    let refused = refused.expect("it was refused");
    let text = error_text(&refused);
    assert!(text.contains("too_many_requests") && text.contains("Retry in "), "{text}");
}

#[test]
fn messages_are_counted_and_logged_under_their_path() {
    let served = ServerProcess::start();
    call(&served, &served.secret, "find_banks", &json!({ "name": "台帳" }));
    let metrics = ask(served.address, "GET /metrics").text();
    let line = metrics.lines().find(|line| line.contains("\"/mcp\"") && line.contains("200"));
    assert!(line.is_some(), "{metrics}");
    served.wait_for_log("/mcp");
}
