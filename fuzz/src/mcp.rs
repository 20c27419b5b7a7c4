//! Fuzz target of messages of agents: any message, and any arguments of any tool, get an answer of the protocol or a
//! refusal in JSON.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::sample_server::{Response, SERVER};
use super::with_choices;

/// A longer message is refused before it is read.
const MESSAGE_BYTES_MAX: usize = 8 * 1024;

/// The tools that the server lists.
static TOOLS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string();
    let listed = post(message.as_bytes()).json(&message);
    let tools = listed["result"]["tools"].as_array().expect("the server lists its tools");
    tools.iter().map(|tool| tool["name"].as_str().expect("a tool has a name").to_owned()).collect()
});

fn post(message: &[u8]) -> Response {
    let lines = "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n";
    SERVER.request_with("POST", "/mcp", lines, message)
}

/// The first byte chooses a tool, whose arguments are the rest, or the whole message is the rest.
pub fn run(input: &[u8]) {
    let Some((&first, text)) = input.split_first() else { return };
    let text = &text[..text.len().min(MESSAGE_BYTES_MAX)];
    let Some(tool) = TOOLS.get(usize::from(first) % (TOOLS.len() + 1)) else {
        return check(&post(text), text);
    };
    let head = format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"{tool}","arguments":"#
    );
    let message = [head.as_bytes(), text, b"}}"].concat();
    check(&post(&message), &message);
}

fn check(response: &Response, message: &[u8]) {
    let shown = String::from_utf8_lossy(message);
    // A notification is accepted without an answer.
    if response.status == 202 && response.body.is_empty() {
        return;
    }
    let answer = response.json(&shown);
    if response.status == 200 {
        assert_eq!(answer["jsonrpc"], "2.0", "{shown}: {answer}");
        assert_ne!(answer["result"].is_object(), answer["error"].is_object(), "{shown}: {answer}");
    }
    if let Value::Array(parts) = &answer["result"]["content"] {
        assert!(parts.iter().all(|part| part["text"].is_string()), "{shown}: {answer}");
    }
}

pub fn seeds() -> Vec<Vec<u8>> {
    with_choices(include_str!("../seeds/mcp.txt"), TOOLS.len() as u8 + 1)
}
