//! Sends one request: with its attempts and redirects, up to the response whose body is not read yet.

use std::io::{self, Read};
use std::thread;
use std::time::{Duration, Instant};

use ureq::http::HeaderMap;
use ureq::{Body, Error, Timeout};

use super::time_budget::TimeBudget;
use super::{Request, Session};
use crate::update::address::Address;
use crate::update::error::{Result, UpdateError};
use crate::update::page::title_if_html;

const REDIRECTS_MAX: usize = 5;

/// How much of an unexpected page is read for its title, and for how long.
const TITLE_BYTES: usize = 1 << 16;
const TITLE_TIME: Duration = Duration::from_secs(10);

/// Longest Retry-After of a busy site that is obeyed.
const WAIT_MAX: Duration = Duration::from_secs(120);

/// A response, with its body or, once read, the bytes of its body.
pub struct Response<B = Body> {
    /// The address after redirects.
    pub address: Address,
    pub status: u16,
    pub headers: HeaderMap,
    pub body: B,
}

impl<B> Response<B> {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

impl Response {
    /// The error for an unexpected response, with the title of its page.
    pub fn into_status_error(self) -> UpdateError {
        let (url, status) = (self.address.to_string(), self.status);
        UpdateError::Status { url, status, title: self.into_title() }
    }

    /// The title of the page, if the body is one.
    pub fn into_title(self) -> Option<String> {
        title_if_html(&beginning_of(self.body.into_reader())).flatten()
    }
}

/// What arrives of a page in the time and the bytes for its title.
fn beginning_of(mut body: impl Read) -> Vec<u8> {
    let (mut head, mut filled, began) = (vec![0; TITLE_BYTES], 0, Instant::now());
    while filled < head.len() && began.elapsed() < TITLE_TIME {
        match body.read(&mut head[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    head.truncate(filled);
    head
}

impl Session<'_> {
    /// Sends a request until the site responds or the attempts are used up; follows redirects on the same host.
    pub(super) fn send(
        &self,
        request: &Request,
        headers: &[(&str, String)],
        budget: &TimeBudget,
    ) -> Result<Response> {
        let mut request = request.clone();
        for _ in 0..=REDIRECTS_MAX {
            let response = self.send_with_retries(&request, headers, budget)?;
            if !matches!(response.status, 301 | 302 | 303 | 307 | 308) {
                return Ok(response);
            }
            let to = response.header("location").unwrap_or_default().to_owned();
            let keeps_method = matches!(response.status, 307 | 308);
            request = match response.address.join(&to) {
                Some(next) => request.redirected(next, keeps_method),
                None => return Err(wrong_redirect(&response.address, to)),
            };
        }
        let (url, limit) = (request.address().to_string(), REDIRECTS_MAX);
        Err(UpdateError::TooManyRedirects { url, limit })
    }

    /// Reads a short response completely; retries if the body breaks off.
    pub(super) fn read_all(&self, request: &Request, bytes_max: u64) -> Result<Response<Vec<u8>>> {
        let budget = TimeBudget::new(self.client.limits.page_timeout);
        let mut attempt = 1;
        loop {
            let response = self.send(request, &[], &budget)?;
            if response.status != 200 {
                return Err(response.into_status_error());
            }
            let Response { address, status, headers, body } = response;
            let mut bytes = Vec::new();
            let mut body = body.into_reader().take(bytes_max + 1);
            let read = budget.spend(|_left| body.read_to_end(&mut bytes));
            self.client.record_request(&address);
            match read {
                Ok(count) if count as u64 > bytes_max => {
                    let (url, remedy) = (address.to_string(), "check the address in a browser");
                    return Err(UpdateError::TooLarge { url, limit: bytes_max, remedy });
                }
                Ok(_) => return Ok(Response { address, status, headers, body: bytes }),
                Err(_) if budget.is_used_up() => return Err(took_too_long(&address, &budget)),
                Err(_) if attempt < self.client.limits.attempts => {
                    thread::sleep(self.client.retry_delay(attempt));
                    attempt += 1;
                }
                Err(cause) => return Err(unreachable(&address, &cause.to_string())),
            }
        }
    }

    /// Retries until the site is not busy. The last attempt returns whatever the site sent.
    fn send_with_retries(
        &self,
        request: &Request,
        headers: &[(&str, String)],
        budget: &TimeBudget,
    ) -> Result<Response> {
        let attempts = if request.is_repeatable() { self.client.limits.attempts } else { 1 };
        for attempt in 1.. {
            let is_last = attempt >= attempts;
            self.client.pause(request.address());
            let wait = match budget.spend(|left| self.send_once(request, headers, left)) {
                Ok(response) if !is_busy(response.status) || is_last => return Ok(response),
                Ok(response) => response.header("retry-after").and_then(|wait| wait.parse().ok()),
                Err(_) if budget.is_used_up() => {
                    return Err(took_too_long(request.address(), budget));
                }
                Err(error) if is_last || !is_temporary(&error) => {
                    return Err(unreachable(request.address(), &describe(&error)));
                }
                Err(_) => None,
            };
            let wait = wait.map_or(Duration::ZERO, Duration::from_secs).min(WAIT_MAX);
            thread::sleep(wait.max(self.client.retry_delay(attempt)));
        }
        unreachable!("the last attempt returns")
    }

    /// `left`: the time for the whole response.
    fn send_once(
        &self,
        request: &Request,
        headers: &[(&str, String)],
        left: Duration,
    ) -> Result<Response, Error> {
        let address = request.address();
        if left.is_zero() {
            return Err(Error::Timeout(Timeout::Global));
        }
        if !address.is_allowed() {
            return Err(Error::RequireHttpsOnly(address.to_string()));
        }
        if address.url().scheme() == "https" && !self.client.agents.has_roots {
            return Err(Error::Tls(NO_ROOTS));
        }
        let result = match request {
            Request::Get(address) => {
                let mut get = self.agent.get(address.url().as_str());
                for (name, value) in headers {
                    get = get.header(*name, value);
                }
                get.config().timeout_global(Some(left)).build().call()
            }
            Request::Post { address, form, referer } => {
                let mut post = self.agent.post(address.url().as_str());
                for (name, value) in headers {
                    post = post.header(*name, value);
                }
                let post = post.config().timeout_global(Some(left)).build();
                let form = form.iter().map(|(name, value)| (name.as_str(), value.as_str()));
                post.header("referer", referer.as_str()).send_form(form)
            }
        };
        self.client.record_request(address);
        let (head, body) = result?.into_parts();
        let (address, status) = (address.clone(), head.status.as_u16());
        Ok(Response { address, status, headers: head.headers, body })
    }
}

const NO_ROOTS: &str =
    "no root certificates on this machine (install ca-certificates, or set SSL_CERT_FILE)";

/// Whether the failure may be temporary. A 403 is final.
fn is_busy(status: u16) -> bool {
    matches!(status, 429 | 500 | 502 | 503 | 504)
}

fn is_temporary(error: &Error) -> bool {
    !matches!(
        error,
        Error::RequireHttpsOnly(_) | Error::Tls(_) | Error::BadUri(_) | Error::InvalidProxyUrl
    )
}

fn describe(error: &Error) -> String {
    match error {
        Error::RequireHttpsOnly(_) => "an address without TLS".to_owned(),
        Error::Tls(found) => (*found).to_owned(),
        Error::Timeout(_) => format!("none in time ({error})"),
        error => error.to_string(),
    }
}

/// The error for a response that used up its time.
pub fn took_too_long(address: &Address, budget: &TimeBudget) -> UpdateError {
    unreachable(address, &format!("no end of it within {} seconds", budget.total().as_secs()))
}

pub fn unreachable(address: &Address, found: &str) -> UpdateError {
    UpdateError::Unreachable {
        url: address.to_string(),
        found: found.to_owned(),
        remedy: "check the network and the proxy (--proxy), and try again later",
    }
}

fn wrong_redirect(address: &Address, found: String) -> UpdateError {
    let over_tls = if address.requires_tls() { " over TLS" } else { "" };
    let expected = format!("{}{over_tls}", address.host());
    UpdateError::Redirect { url: address.to_string(), expected, found }
}
