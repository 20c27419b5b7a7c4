//! The client: one request at a time, with a pause between, redirects that stay on the host, and bounds on all
//! that a site may do.
//!
//! `agent` has the connections, `ask` one request with its attempts and redirects, `download` a file with what to
//! do where it breaks off, `names` the name that a site gives a file.

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

/// Bound on a page; the largest known has 200 kB.
const PAGE_BYTES_MAX: u64 = 8 << 20;

/// A request as a site wants it.
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

    /// Whether it may be made again as it is: what a form carries may be good for once.
    fn may_repeat(&self) -> bool {
        matches!(self, Request::Get(_))
    }

    /// The same request at the address that a redirect leads to.
    fn redirected(&self, to: Address, keeps_method: bool) -> Request {
        match self {
            Request::Post { form, referer, .. } if keeps_method => {
                Request::Post { address: to, form: form.clone(), referer: referer.clone() }
            }
            _ => Request::Get(to),
        }
    }
}

/// The way to all sites of one run.
pub struct Web {
    agents: Agents,
    manners: Manners,
    /// When a host was asked last.
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

    /// Waits until the host may be asked again.
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

    /// How long to wait behind the attempt of this number, from 1.
    pub fn back_off(&self, attempt: u32) -> Duration {
        self.manners.retry.saturating_mul(1 << attempt.saturating_sub(1).min(10))
    }
}

/// A short file.
pub struct Small {
    pub bytes: Vec<u8>,
    /// When it changed last, as the site says.
    pub changed: Option<Timestamp>,
}

/// A date of HTTP: `Mon, 02 Feb 2026 01:02:03 GMT`.
fn parse_date(text: &str) -> Option<Timestamp> {
    jiff::fmt::rfc2822::parse(text).ok().map(|date| date.timestamp())
}

/// Requests to a site that belong together.
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

    /// Reads a short text, such as a date that stands alone in a file.
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
