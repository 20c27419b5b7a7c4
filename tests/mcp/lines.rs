//! The protocol on standard input and output: the list of tools, lines that are no messages, the end of the program.

use std::process::Command;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use serde_json::json;

use super::agent::Agent;

#[test]
fn the_list_has_every_tool_with_both_schemas() {
    let mut agent = Agent::start();
    let answer = agent.ask("tools/list", json!({}));
    let tools = answer["result"]["tools"].as_array().expect("tools");
    assert_eq!(tools.len(), 16);
    for tool in tools {
        let name = tool["name"].as_str().expect("a name");
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{name}");
        assert_eq!(tool["annotations"]["openWorldHint"], false, "{name}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{name}");
        assert!(tool["inputSchema"]["properties"].is_object(), "{name}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{name}");
        let description = tool["description"].as_str().expect("a description");
        assert!(description.contains('('), "{name} has a Japanese term in brackets: {description}");
        assert!(!tool.to_string().contains("$ref"), "{name}: a schema has no references");
    }
    let limit = &tools.iter().find(|tool| tool["name"] == "find_banks").expect("in the list");
    assert_eq!(
        limit["inputSchema"]["properties"]["limit"],
        json!({
            "type": "integer", "minimum": 1, "maximum": 50, "default": 10,
            "description": "Maximum number of rows",
        })
    );
}

#[test]
fn lines_that_are_no_messages_are_logged_and_the_next_is_answered() {
    let mut agent = Agent::start();
    agent.say("{");
    agent.say("");
    agent.say("not JSON, but 東京都\r");
    agent.say(&format!(
        r#"{{"jsonrpc":"2.0","id":9,"method":"ping","x":"{}"}}"#,
        "x".repeat(70_000)
    ));
    assert!(agent.ask("ping", json!({}))["result"].is_object());
    agent.say(r#"{"hello":1}"#);
    assert_eq!(agent.hear()["error"]["code"], -32600);
    let unknown = agent.ask("tools/call", json!({ "name": "delete_everything", "arguments": {} }));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let message = unknown["error"]["message"].as_str().expect("a message");
    assert!(message.contains("expected one of normalize_address"), "{message}");
    assert_eq!(agent.ask("no/such", json!({}))["error"]["code"], -32601);
    assert_eq!(agent.ask("resources/list", json!({}))["error"]["code"], -32601);
    let (status, log) = agent.end();
    assert!(status.success(), "{log}");
    assert_eq!(log.matches("a line is not JSON: ").count(), 2, "{log}");
    assert_eq!(log.matches("a line is too long: expected at most 65536 bytes").count(), 1, "{log}");
    assert!(!log.contains("東京都") && !log.contains("DEBUG"), "the log has no texts: {log}");
}

#[test]
fn requests_wait_unread_while_the_answers_are() {
    const PINGS: usize = 20_000;
    let mut agent = Agent::start();
    let sent = agent.say_in_background(PINGS, "ping");
    let mut before = usize::MAX;
    // The pipes hold some thousands of messages.
    while before != sent.load(Relaxed) {
        before = sent.load(Relaxed);
        std::thread::sleep(Duration::from_millis(500));
    }
    assert!(before < PINGS / 2, "{before} messages taken, none of the answers read");
    for _ in 0..PINGS {
        assert!(agent.hear()["result"].is_object());
    }
    let (status, log) = agent.end();
    assert!(status.success() && log.is_empty(), "{status}: {log}");
}

#[test]
fn the_program_ends_at_the_end_of_input_and_at_a_signal() {
    let (status, log) = Agent::silent().end();
    assert!(status.success() && log.is_empty(), "{status}: {log}");
    let (status, log) = Agent::start().end();
    assert!(status.success() && log.is_empty(), "{status}: {log}");
    for name in ["TERM", "INT"] {
        let mut agent = Agent::start();
        agent.signal(name);
        let (status, log) = agent.ended();
        assert!(status.success(), "{name}: {status}: {log}");
    }
}

#[test]
fn a_call_before_the_handshake_is_an_error() {
    let mut agent = Agent::silent();
    let answer = agent.ask("tools/list", json!({}));
    assert!(answer["error"]["code"].is_number(), "{answer}");
}

#[test]
fn without_data_the_error_says_how_to_build_some() {
    let empty = tempfile::tempdir().expect("a folder");
    let done = Command::new(env!("CARGO_BIN_EXE_daicho"))
        .args(["mcp", "--snapshots"])
        .arg(empty.path())
        .output()
        .expect("the binary runs");
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(!done.status.success() && done.stdout.is_empty(), "{errors}");
    assert!(errors.contains("found none; build some with 'daicho build'"), "{errors}");
}
