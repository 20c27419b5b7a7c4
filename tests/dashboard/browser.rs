//! A headless Chromium, driven through chromedriver's JSON over HTTP.
//!
//! Implements only what the tests need of the WebDriver protocol (W3C) and of Chromium's own commands.
//! Every wait is for a condition, never for a fixed time.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use data_encoding::BASE64;
use serde_json::{Value, json};

/// The longest wait for any condition before a test fails.
const DEADLINE: Duration = Duration::from_secs(30);

/// How often a driver is started before a test fails: it takes a free port of IPv4 and ends if another process has the
/// port of the same number of IPv6, which happens where many tests start at once.
const STARTS_MAX: usize = 10;

/// Paths of browsers and their drivers.
const DRIVERS: [&str; 2] = ["chromedriver", "/usr/lib/chromium/chromedriver"];

/// A browser, closed on drop.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts a browser.
    pub fn start() -> Browser {
        let (driver, port) = start_driver();
        let profile = tempfile::tempdir().expect("a folder");
        let mut browser = Browser { driver, port, session: String::new(), _profile: profile };
        let profile = format!("--user-data-dir={}", browser._profile.path().display());
        let arguments = [
            "--headless=new",
            // The sandbox does not work for root in containers, where the tests may run.
            "--no-sandbox",
            "--disable-dev-shm-usage",
            "--disable-gpu",
            "--lang=en-US",
            "--window-size=1200,900",
            profile.as_str(),
        ];
        let capabilities = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
        }}});
        let begun = browser.ask("POST", "/session", &capabilities);
        let session = begun["sessionId"].as_str();
        let session = session.unwrap_or_else(|| panic!("expected a browser, found {begun}"));
        browser.session = session.to_owned();
        browser
    }

    /// Opens an address.
    pub fn go(&self, address: &str) {
        self.command("url", &json!({"url": address}));
    }

    /// The address of the page.
    pub fn address(&self) -> String {
        self.read("url").as_str().expect("an address").to_owned()
    }

    /// Whether an element matches the selector now.
    pub fn has(&self, selector: &str) -> bool {
        !self.elements(selector).is_empty()
    }

    /// Waits until an element matches.
    #[track_caller]
    pub fn wait_for(&self, selector: &str) {
        self.until(&format!("{selector} on the page"), || self.has(selector));
    }

    /// Waits until the text of the first element that matches contains `text`.
    #[track_caller]
    pub fn wait_for_text(&self, selector: &str, text: &str) {
        let what = format!("{text:?} in {selector}");
        self.until(&what, || self.text_of(selector).is_some_and(|found| found.contains(text)));
    }

    /// The visible text of the first element that matches.
    #[track_caller]
    pub fn text(&self, selector: &str) -> String {
        self.wait_for(selector);
        self.text_of(selector).unwrap_or_default()
    }

    fn text_of(&self, selector: &str) -> Option<String> {
        let element = self.elements(selector).into_iter().next()?;
        let text = self.read(&format!("element/{element}/text"));
        text.as_str().map(str::to_owned)
    }

    /// Clicks the first element that matches.
    #[track_caller]
    pub fn click(&self, selector: &str) {
        self.wait_for(selector);
        let element = self.elements(selector).remove(0);
        let clicked = self.command(&format!("element/{element}/click"), &json!({}));
        assert!(clicked["error"].is_null(), "{selector} cannot be clicked: {clicked}");
    }

    /// Clicks an element that leads to another page and waits until the old page is gone.
    #[track_caller]
    pub fn follow(&self, selector: &str) {
        self.script("document.documentElement.dataset.left = 'not yet'");
        self.click(selector);
        self.until(&format!("the page behind {selector}"), || {
            let state = "return document.readyState + document.documentElement.dataset.left";
            self.script(state) == json!("completeundefined")
        });
    }

    /// Replaces the content of the first field that matches by typing.
    #[track_caller]
    pub fn fill(&self, selector: &str, text: &str) {
        self.wait_for(selector);
        let element = self.elements(selector).remove(0);
        self.command(&format!("element/{element}/clear"), &json!({}));
        self.command(&format!("element/{element}/value"), &json!({"text": text}));
    }

    /// Chooses a file in a file field.
    #[track_caller]
    pub fn choose_file(&self, selector: &str, file: &Path) {
        self.wait_for(selector);
        let element = self.elements(selector).remove(0);
        let path = file.display().to_string();
        self.command(&format!("element/{element}/value"), &json!({"text": path}));
    }

    /// Presses the tab key from the top of the page; returns the class of the focused element.
    pub fn press_tab(&self) -> String {
        self.script(
            "const top = document.createElement('i'); top.tabIndex = -1; \
             document.body.prepend(top); top.focus(); top.remove()",
        );
        let keys = json!({"actions": [{"type": "key", "id": "keys", "actions": [
            {"type": "keyDown", "value": "\u{e004}"}, {"type": "keyUp", "value": "\u{e004}"},
        ]}]});
        self.command("actions", &keys);
        let found = self.script("return document.activeElement.className");
        found.as_str().unwrap_or_default().to_owned()
    }

    /// Accepts the confirmation dialog of the page.
    pub fn accept_question(&self) {
        self.command("alert/accept", &json!({}));
    }

    /// Runs a script in the page and returns its result.
    pub fn script(&self, script: &str) -> Value {
        self.command("execute/sync", &json!({"script": script, "args": []}))
    }

    /// Whether the page scrolls sideways.
    pub fn is_too_wide(&self) -> bool {
        let root = "document.documentElement";
        let wide = self.script(&format!("return {root}.scrollWidth > {root}.clientWidth"));
        wide.as_bool().expect("a comparison")
    }

    /// Chooses light or dark.
    pub fn set_scheme(&self, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.chromium("Emulation.setEmulatedMedia", &json!({"features": features}));
    }

    /// Sets the width of the page, in CSS pixels, as on a phone.
    pub fn set_width(&self, width: u32) {
        let metrics =
            json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600});
        self.chromium("Emulation.setDeviceMetricsOverride", &metrics);
    }

    /// Takes a picture of the whole page if `DAICHO_SCREENSHOTS` names a folder.
    pub fn picture(&self, name: &str) {
        let Some(folder) = std::env::var_os("DAICHO_SCREENSHOTS").map(PathBuf::from) else {
            return;
        };
        let shot = self.chromium(
            "Page.captureScreenshot",
            &json!({"format": "png", "captureBeyondViewport": true}),
        );
        let data = shot["data"].as_str().expect("a picture");
        let bytes = BASE64.decode(data.as_bytes()).expect("base 64");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(Path::new(&folder).join(format!("{name}.png")), bytes).expect("written");
    }

    /// The errors in the browser's log since the last call, such as script errors and resources blocked
    /// by policy. Responses with a status of 400 or above are left out: a refused form has one.
    pub fn complaints(&self) -> Vec<String> {
        let log = self.command("se/log", &json!({"type": "browser"}));
        let lines = log.as_array().cloned().unwrap_or_default();
        let messages = lines.iter().map(|line| line["message"].to_string());
        messages.filter(|message| !message.contains("responded with a status of")).collect()
    }

    /// Waits until `done` holds; fails after the deadline.
    #[track_caller]
    pub fn until(&self, what: &str, mut done: impl FnMut() -> bool) {
        let started = Instant::now();
        while !done() {
            if started.elapsed() > DEADLINE {
                let page = self.script("return document.body.innerText");
                panic!("timed out waiting for {what}; at {}: {page}", self.address());
            }
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    fn elements(&self, selector: &str) -> Vec<String> {
        let found = self.command("elements", &json!({"using": "css selector", "value": selector}));
        let found = found.as_array().cloned().unwrap_or_default();
        let id =
            |element: &Value| element.as_object()?.values().next()?.as_str().map(str::to_owned);
        found.iter().filter_map(id).collect()
    }

    /// Sends a command of Chromium's own protocol.
    pub fn chromium(&self, command: &str, parameters: &Value) -> Value {
        self.command("goog/cdp/execute", &json!({"cmd": command, "params": parameters}))
    }

    /// Sends a command of the session.
    pub fn command(&self, path: &str, body: &Value) -> Value {
        self.ask("POST", &format!("/session/{}/{path}", self.session), body)
    }

    fn read(&self, path: &str) -> Value {
        self.ask("GET", &format!("/session/{}/{path}", self.session), &Value::Null)
    }

    /// Sends a request to the driver on a new connection; returns the `value` of the response.
    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).expect("the driver");
        stream.set_read_timeout(Some(2 * DEADLINE)).expect("a time-out");
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
        .expect("sent");
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("a head");
            let line = line.trim_end().to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().expect("a length");
            }
            if line.is_empty() {
                break;
            }
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer).expect("a body");
        let mut answer: Value = serde_json::from_slice(&answer).expect("JSON");
        answer["value"].take()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            self.ask("DELETE", &format!("/session/{}", self.session), &Value::Null);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Starts a driver; returns it with its port.
fn start_driver() -> (Child, u16) {
    let mut said = String::new();
    for _ in 0..STARTS_MAX {
        let driver = DRIVERS.iter().find_map(|name| {
            let command = &mut Command::new(name);
            command.arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()
        });
        let mut driver = driver.expect("chromedriver is in PATH; run `make chromium`");
        let output = driver.stdout.take().expect("its output is piped");
        let mut lines = BufReader::new(output).lines();
        said.clear();
        for line in lines.by_ref().map_while(Result::ok) {
            if let Some(port) = listening_port(&line) {
                // Keep reading, so that the driver does not block on a full pipe.
                std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
                return (driver, port);
            }
            said.push_str(&line);
            said.push('\n');
        }
        let _ = driver.kill();
        let _ = driver.wait();
    }
    panic!(
        "expected a driver that listens, found {STARTS_MAX} that ended; the last one said:\n{said}"
    );
}

/// The port in the line that says that a driver listens.
fn listening_port(line: &str) -> Option<u16> {
    let port = line.split("on port ").nth(1)?.trim_end_matches('.').parse().ok();
    port.filter(|port| *port != 0)
}
