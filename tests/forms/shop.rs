//! A web server that stands for a shop: its pages have another origin than daicho and the strictest content policy
//! under which the script works. Also the functions with which tests type and read fields.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::dashboard::browser::Browser;
use crate::support::{ServerProcess, sample};

/// A shop, and a daicho server over the sample data.
pub struct Shop {
    pub served: ServerProcess,
    address: SocketAddr,
    page: Arc<Mutex<String>>,
}

impl Shop {
    pub fn open() -> Shop {
        Shop::open_with(&[])
    }

    /// A shop whose daicho server has these options.
    pub fn open_with(options: &[&str]) -> Shop {
        Shop::open_under(options, |daicho| {
            format!(
                "default-src 'none'; script-src http://{daicho}; connect-src http://{daicho}; \
                 form-action 'self'; require-trusted-types-for 'script'"
            )
        })
    }

    /// A shop whose pages may run any script, as pages with jQuery do.
    pub fn open_to_scripts(options: &[&str]) -> Shop {
        Shop::open_under(options, |_daicho| "script-src * 'unsafe-inline'".to_owned())
    }

    /// `policy` makes the content policy of the pages from the address of the daicho server.
    fn open_under(options: &[&str], policy: fn(SocketAddr) -> String) -> Shop {
        let served = ServerProcess::with_snapshots(Some(sample()), options);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let page = Arc::new(Mutex::new(String::new()));
        let policy = policy(served.address);
        let shown = Arc::clone(&page);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (shown, policy) = (Arc::clone(&shown), policy.clone());
                std::thread::spawn(move || serve(stream, &shown, &policy));
            }
        });
        Shop { served, address, page }
    }

    /// The `<script>` tag of the shop's pages.
    pub fn tag(&self) -> String {
        self.tag_with(&self.served.unbound)
    }

    pub fn tag_with(&self, key: &str) -> String {
        let server = self.served.address;
        format!("<script src=\"http://{server}/js/daicho.js\" data-key=\"{key}\" defer></script>")
    }

    /// A public key of an account whose plan includes corporations.
    pub fn premium_key(&self) -> String {
        let made = self.served.run("key create --account premium --kind public --json");
        let made: Value = serde_json::from_slice(&made.stdout).expect("JSON");
        made["key"].as_str().expect("a key").to_owned()
    }

    /// Opens a page with the script and this body.
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

/// Sends the page as the answer to one request.
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
    // Fails if the browser has left for another page.
    let _ = (&stream).write_all((head + &page).as_bytes());
}

/// The value of the first field that matches.
pub fn value(browser: &Browser, selector: &str) -> String {
    let script = format!("return document.querySelector({}).value", json!(selector));
    browser.script(&script).as_str().expect("a value").to_owned()
}

/// Waits until a field has a value.
#[track_caller]
pub fn wait_for_value(browser: &Browser, selector: &str, expected: &str) {
    browser.until(&format!("{expected:?} in {selector}"), || value(browser, selector) == expected);
}

/// The last announcement to screen readers.
pub fn said(browser: &Browser) -> String {
    let script = "const place = document.querySelector('.daicho-status'); return place ? place.textContent : ''";
    browser.script(script).as_str().expect("a text").to_owned()
}

/// Focuses a field, with the cursor at the end of its text.
pub fn focus(browser: &Browser, selector: &str) {
    browser.wait_for(selector);
    browser.script(&format!("document.querySelector({}).focus()", json!(selector)));
}

/// Types letters and keys in the focused field, as a person does.
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

/// Replaces the value of a field, key by key.
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
