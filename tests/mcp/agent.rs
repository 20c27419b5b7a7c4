//! A running `daicho mcp` over the sample data, and the functions with which tests exchange lines with it.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use serde_json::{Value, json};

use crate::support::sample;

pub struct Agent {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    asked: u64,
    pub instructions: String,
}

impl Agent {
    /// Starts the program without the handshake.
    pub fn silent() -> Agent {
        Agent::silent_over(sample())
    }

    fn silent_over(snapshots: &Path) -> Agent {
        let mut child = Command::new(env!("CARGO_BIN_EXE_daicho"))
            .args(["mcp", "--snapshots"])
            .arg(snapshots)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Agent { child, input, output, asked: 0, instructions: String::new() }
    }

    /// Starts the program and does the handshake.
    pub fn start() -> Agent {
        Agent::over(sample())
    }

    /// Starts the program over other snapshots, and does the handshake.
    pub fn over(snapshots: &Path) -> Agent {
        let mut agent = Agent::silent_over(snapshots);
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        });
        let answer = agent.ask("initialize", hello);
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
        assert_eq!(answer["result"]["serverInfo"]["name"], "daicho", "{answer}");
        answer["result"]["instructions"]
            .as_str()
            .expect("a text")
            .clone_into(&mut agent.instructions);
        agent.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        agent
    }

    pub fn say(&mut self, line: &str) {
        let input = self.input.as_mut().expect("open");
        input.write_all(line.as_bytes()).and_then(|()| input.write_all(b"\n")).expect("taken");
    }

    /// Sends a request so many times from another thread, which then closes the input; returns the number sent so far.
    pub fn say_in_background(&mut self, times: usize, method: &'static str) -> Arc<AtomicUsize> {
        let mut input = self.input.take().expect("open");
        let sent = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&sent);
        std::thread::spawn(move || {
            for id in 0..times {
                let request = json!({ "jsonrpc": "2.0", "id": id, "method": method });
                input.write_all(format!("{request}\n").as_bytes()).expect("taken");
                counted.fetch_add(1, Relaxed);
            }
        });
        sent
    }

    pub fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line:?}: {error}"))
    }

    /// Sends a request and returns the whole answer.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.say(&request.to_string());
        let answer = self.hear();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Calls a tool, which must succeed, and returns its structured answer.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        let result = &answer["result"];
        assert_eq!(result["isError"], false, "{tool} {arguments}: {answer}");
        let text = result["content"][0]["text"].as_str().expect("the same as text");
        let same: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(same, result["structuredContent"], "{tool}");
        same
    }

    /// Calls a tool, which must fail, and returns the error text.
    #[track_caller]
    pub fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert_eq!(answer["result"]["isError"], true, "{tool} {arguments}: {answer}");
        answer["result"]["content"][0]["text"].as_str().expect("a text").to_owned()
    }

    /// Sends the program a signal.
    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &pid]).status().expect("kill runs");
        assert!(sent.success());
    }

    /// Closes the input, waits until the program has ended, and returns its log.
    pub fn end(mut self) -> (ExitStatus, String) {
        self.input.take();
        self.ended()
    }

    /// Waits until the program has ended, with the input open, and returns its log.
    pub fn ended(&mut self) -> (ExitStatus, String) {
        let mut log = String::new();
        let mut stderr = self.child.stderr.take().expect("a pipe");
        stderr.read_to_string(&mut log).expect("UTF-8");
        (self.child.wait().expect("it ends"), log)
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
