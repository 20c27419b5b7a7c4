//! The HTTP client: one request at a time, with a pause in between, redirects that stay on the host, and limits
//! on everything that a site sends.

mod agent;
mod download;
mod reach;
mod send;
mod time_budget;

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use url::Url;

pub use download::{DownloadedFile, remove_partial};
pub use reach::reach;

use self::agent::Agents;
use super::address::Address;
use super::error::{Result, UpdateError};
use super::options::{Observer, ProxyChoice};
use super::page::Page;
use super::settings::RequestLimits;

/// Maximum size of a page; the largest known one has 200 kB.
pub const PAGE_BYTES_MAX: u64 = 1 << 20;

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
    fn is_repeatable(&self) -> bool {
        matches!(self, Request::Get(_))
    }

    /// This request, sent to the target of a redirect.
    fn redirected(&self, to: Address, keeps_method: bool) -> Request {
        match self {
            Request::Post { form, referer, .. } if keeps_method => {
                Request::Post { address: to, form: form.clone(), referer: referer.clone() }
            }
            _ => Request::Get(to),
        }
    }
}

/// The client for all sites of one update.
pub struct Client {
    agents: Agents,
    limits: RequestLimits,
    /// When the last request to each host ended.
    last_requests: Mutex<HashMap<String, Instant>>,
}

impl Client {
    pub fn new(limits: RequestLimits, proxy: &ProxyChoice) -> Result<Client> {
        let agents = Agents::new(limits, proxy)?;
        Ok(Client { agents, limits, last_requests: Mutex::default() })
    }

    /// A new session, with cookies of its own.
    pub fn session<'c>(&'c self, observer: &'c dyn Observer) -> Session<'c> {
        Session { client: self, agent: self.agents.agent(), observer }
    }

    /// Waits until the next request to the host is allowed.
    fn pause(&self, address: &Address) {
        let due = {
            let last_requests = self.last_requests.lock().unwrap_or_else(PoisonError::into_inner);
            last_requests.get(&address.host()).map(|last| *last + self.limits.pause)
        };
        if let Some(due) = due {
            thread::sleep(due.saturating_duration_since(Instant::now()));
        }
    }

    /// Starts the pause after a request.
    fn record_request(&self, address: &Address) {
        let mut last_requests = self.last_requests.lock().unwrap_or_else(PoisonError::into_inner);
        last_requests.insert(address.host(), Instant::now());
    }

    /// The wait after the attempt with this number, counted from 1.
    pub fn retry_delay(&self, attempt: u32) -> Duration {
        self.limits.retry_delay.saturating_mul(1 << attempt.saturating_sub(1).min(10))
    }
}

pub struct SmallFile {
    pub bytes: Vec<u8>,
    /// Time of the last change, according to the site.
    pub last_modified: Option<Timestamp>,
}

/// Parses an HTTP date: `Mon, 02 Feb 2026 01:02:03 GMT`.
fn parse_date(text: &str) -> Option<Timestamp> {
    jiff::fmt::rfc2822::parse(text).ok().map(|date| date.timestamp())
}

/// Requests to a site that share cookies.
pub struct Session<'c> {
    client: &'c Client,
    agent: ureq::Agent,
    observer: &'c dyn Observer,
}

impl Session<'_> {
    pub fn page(&self, address: &Address) -> Result<Page> {
        self.observer.step(address.url().host_str().unwrap_or_default());
        let response = self.read_all(&Request::Get(address.clone()), PAGE_BYTES_MAX)?;
        let kind = response.header("content-type").map(str::to_owned);
        let is_declared_html = kind.as_ref().is_some_and(|kind| kind.contains("html"));
        if !is_declared_html && super::page::title_if_html(&response.body).is_none() {
            let found = kind.unwrap_or_else(|| "no type".to_owned());
            let remedy = "check the address in a browser, and name the new one with --sources";
            let url = response.address.to_string();
            return Err(UpdateError::wrong_file(url, "an HTML page", found, remedy));
        }
        Page::parse(response.address, kind.as_deref(), &response.body)
    }

    pub fn small_file(&self, address: &Address, bytes_max: u64) -> Result<SmallFile> {
        self.observer.step(address.file_name());
        let response = self.read_all(&Request::Get(address.clone()), bytes_max)?;
        if let Some(title) = super::page::title_if_html(&response.body) {
            let (url, expected) = (response.address.to_string(), address.file_name().to_owned());
            return Err(UpdateError::Html { url, expected, title });
        }
        let last_modified = response.header("last-modified").and_then(parse_date);
        Ok(SmallFile { bytes: response.body, last_modified })
    }

    /// Reads a short text, such as a file with only a date.
    pub fn text(&self, address: &Address, bytes_max: u64) -> Result<String> {
        let SmallFile { bytes, .. } = self.small_file(address, bytes_max)?;
        String::from_utf8(bytes).map_err(|error| {
            let found = format!("an invalid byte at position {}", error.utf8_error().valid_up_to());
            UpdateError::wrong_file(
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
