//! A shop: pages on an origin of their own, with the strictest policy under which the script works.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::browser::Browser;
use super::support::{Served, sample};

/// A shop beside a server of the sample data.
pub struct Shop {
    pub served: Served,
    address: SocketAddr,
    page: Arc<Mutex<String>>,
}

impl Shop {
    pub fn open() -> Shop {
        let served = Served::over(Some(sample()), &[]);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let page = Arc::new(Mutex::new(String::new()));
        let policy = format!(
            "default-src 'none'; script-src http://{0}; connect-src http://{0}; form-action 'self'; \
             require-trusted-types-for 'script'",
            served.address
        );
        let shown = Arc::clone(&page);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (shown, policy) = (Arc::clone(&shown), policy.clone());
                std::thread::spawn(move || serve(stream, &shown, &policy));
            }
        });
        Shop { served, address, page }
    }

    /// The tag as a shop writes it.
    pub fn tag(&self) -> String {
        self.tag_with(&self.served.unbound)
    }

    pub fn tag_with(&self, key: &str) -> String {
        let server = self.served.address;
        format!("<script src=\"http://{server}/js/daicho.js\" data-key=\"{key}\" defer></script>")
    }

    /// A public key of an account with corporations.
    pub fn premium_key(&self) -> String {
        let made = self.served.run("key create --account premium --kind public --json");
        let made: Value = serde_json::from_slice(&made.stdout).expect("JSON");
        made["key"].as_str().expect("a key").to_owned()
    }

    /// Shows a page with the script and this body.
    pub fn show(&self, browser: &Browser, body: &str) {
        self.show_page(browser, &self.tag(), body);
    }

    pub fn show_page(&self, browser: &Browser, head: &str, body: &str) {
        *self.page.lock().expect("whole") = format!(
            "<!doctype html><html lang=\"ja\"><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
             <title>店</title>{head}<body>{body}"
        );
        browser.go(&format!("http://{}/cart", self.address));
    }
}

/// Answers one request with the page.
fn serve(stream: TcpStream, page: &Mutex<String>, policy: &str) {
    let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
    if lines.find(|line| line.is_empty()).is_none() {
        return;
    }
    let page = page.lock().expect("whole").clone();
    let length = page.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {length}\r\n\
         Content-Security-Policy: {policy}\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n"
    );
    // A browser that went on to another page takes no answer.
    let _ = (&stream).write_all((head + &page).as_bytes());
}

/// What the first field that matches holds.
pub fn value(browser: &Browser, selector: &str) -> String {
    let script = format!("return document.querySelector({}).value", json!(selector));
    browser.script(&script).as_str().expect("a value").to_owned()
}

/// Waits until a field holds a text.
#[track_caller]
pub fn wait_for_value(browser: &Browser, selector: &str, expected: &str) {
    browser.until(&format!("{expected:?} in {selector}"), || value(browser, selector) == expected);
}

/// What was said last to who hears the page.
pub fn said(browser: &Browser) -> String {
    let script = "const place = document.querySelector('.daicho-status'); return place ? place.textContent : ''";
    browser.script(script).as_str().expect("a text").to_owned()
}

/// Puts the focus into a field, behind its text.
pub fn focus(browser: &Browser, selector: &str) {
    browser.wait_for(selector);
    browser.script(&format!("document.querySelector({}).focus()", json!(selector)));
}

/// Types letters and keys as a person does, where the focus is.
pub fn press(browser: &Browser, keys: &str) {
    let strokes: Vec<Value> = keys
        .chars()
        .flat_map(|key| {
            let key = key.to_string();
            [json!({"type": "keyDown", "value": key}), json!({"type": "keyUp", "value": key})]
        })
        .collect();
    browser.command(
        "actions",
        &json!({"actions": [{"type": "key", "id": "keys", "actions": strokes}]}),
    );
}

/// Replaces what a field holds, key by key.
pub fn retype(browser: &Browser, selector: &str, text: &str) {
    focus(browser, selector);
    browser.script("document.activeElement.select()");
    press(browser, &format!("{BACKSPACE}{text}"));
}

pub const BACKSPACE: char = '\u{e003}';
pub const TAB: char = '\u{e004}';
pub const ENTER: char = '\u{e007}';
pub const ESCAPE: char = '\u{e00c}';
pub const END: char = '\u{e010}';
pub const HOME: char = '\u{e011}';
pub const UP: char = '\u{e013}';
pub const DOWN: char = '\u{e015}';
