//! The HTTP client: one request at a time, with a pause in between, redirects that stay on the host, and limits
//! on everything that a site sends.
//!
//! `agent` has the connections, `ask` one request with its attempts and redirects, `download` a file with
//! resumption, `names` the file name from a response.

mod agent;
mod ask;
mod download;
mod names;

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use url::Url;

pub use agent::ProxyChoice;
pub use download::{Download, Fetched, Limits, Validators, discard};

use self::agent::Agents;
use super::address::Address;
use super::error::UpdateError;
use super::page::Page;
use super::settings::Manners;
use super::watch::Watch;

/// Maximum size of a page; the largest known one has 200 kB.
const PAGE_BYTES_MAX: u64 = 8 << 20;

/// A request in the form that a site expects.
#[derive(Debug, Clone)]
pub enum Request {
    Get(Address),
    Post { address: Address, form: Vec<(String, String)>, referer: Url },
}

impl Request {
    pub fn address(&self) -> &Address {
        match self {
            Request::Get(address) | Request::Post { address, .. } => address,
        }
    }

    /// Whether it may be repeated unchanged: a form may contain a token for one use.
    fn may_repeat(&self) -> bool {
        matches!(self, Request::Get(_))
    }

    /// The same request to the target of a redirect.
    fn redirected(&self, to: Address, keeps_method: bool) -> Request {
        match self {
            Request::Post { form, referer, .. } if keeps_method => {
                Request::Post { address: to, form: form.clone(), referer: referer.clone() }
            }
            _ => Request::Get(to),
        }
    }
}

/// The client for all sites of one run.
pub struct Web {
    agents: Agents,
    manners: Manners,
    /// Time of the last request to each host.
    asked: Mutex<HashMap<String, Instant>>,
}

impl Web {
    pub fn new(manners: Manners, proxy: &ProxyChoice) -> Result<Web, UpdateError> {
        Ok(Web { agents: Agents::new(manners, proxy)?, manners, asked: Mutex::default() })
    }

    /// A session has cookies of its own.
    pub fn session<'w>(&'w self, watch: &'w dyn Watch) -> Session<'w> {
        Session { web: self, agent: self.agents.session(), watch }
    }

    /// Waits until the next request to the host is allowed.
    fn pause(&self, address: &Address) {
        let due = {
            let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            asked.get(&address.host()).map(|last| *last + self.manners.pause)
        };
        if let Some(due) = due {
            thread::sleep(due.saturating_duration_since(Instant::now()));
        }
    }

    fn note_asked(&self, address: &Address) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.insert(address.host(), Instant::now());
    }

    /// The wait after the attempt with this number, counted from 1.
    pub fn back_off(&self, attempt: u32) -> Duration {
        self.manners.retry.saturating_mul(1 << attempt.saturating_sub(1).min(10))
    }
}

/// A short file.
pub struct Small {
    pub bytes: Vec<u8>,
    /// Time of the last change, according to the site.
    pub changed: Option<Timestamp>,
}

/// Parses an HTTP date: `Mon, 02 Feb 2026 01:02:03 GMT`.
fn parse_date(text: &str) -> Option<Timestamp> {
    jiff::fmt::rfc2822::parse(text).ok().map(|date| date.timestamp())
}

/// Requests to a site that share cookies.
pub struct Session<'w> {
    web: &'w Web,
    agent: ureq::Agent,
    watch: &'w dyn Watch,
}

impl Session<'_> {
    /// Reads a page.
    pub fn page(&self, address: &Address) -> Result<Page, UpdateError> {
        self.watch.step(address.url().host_str().unwrap_or_default());
        let answer = self.read(&Request::Get(address.clone()), PAGE_BYTES_MAX)?;
        let declared = answer.header("content-type").is_some_and(|kind| kind.contains("html"));
        if !declared && super::page::title_if_html(&answer.bytes).is_none() {
            let found = answer.header("content-type").unwrap_or("no type").to_owned();
            let remedy = "check the address in a browser, and name the new one with --sources";
            let url = answer.address.to_string();
            return Err(UpdateError::not_the_file(url, "an HTML page", found, remedy));
        }
        let kind = answer.header("content-type").map(str::to_owned);
        Ok(Page::read(answer.address, kind.as_deref(), &answer.bytes))
    }

    /// Reads a short file.
    pub fn small(&self, address: &Address, bytes_max: u64) -> Result<Small, UpdateError> {
        self.watch.step(address.file_name());
        let answer = self.read(&Request::Get(address.clone()), bytes_max)?;
        if let Some(title) = super::page::title_if_html(&answer.bytes) {
            let (url, expected) = (answer.address.to_string(), address.file_name().to_owned());
            return Err(UpdateError::Html { url, expected, title });
        }
        let changed = answer.header("last-modified").and_then(parse_date);
        Ok(Small { bytes: answer.bytes, changed })
    }

    /// Reads a short text, such as a file with only a date.
    pub fn text(&self, address: &Address, bytes_max: u64) -> Result<String, UpdateError> {
        let Small { bytes, .. } = self.small(address, bytes_max)?;
        String::from_utf8(bytes).map_err(|error| {
            let found = format!("an invalid byte at position {}", error.utf8_error().valid_up_to());
            UpdateError::not_the_file(
                address.to_string(),
                "UTF-8 text",
                found,
                "check the address in a browser",
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_sites_are_read() {
        let found = parse_date("Mon, 02 Feb 2026 01:02:03 GMT").expect("a date");
        assert_eq!(found.to_string(), "2026-02-02T01:02:03Z");
        for text in ["", "yesterday", "2026-02-02"] {
            assert_eq!(parse_date(text), None, "{text}");
        }
    }
}
