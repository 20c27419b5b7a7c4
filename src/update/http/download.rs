//! Downloads a file to disk. An interrupted download continues where it stopped, in the same run or the next
//! one, if the site confirms that the file has not changed.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::thread;

use serde_json::{Value, json};

use super::ask::{Answer, unreachable};
use super::{Request, Session, names};
use crate::snapshot::durable::if_exists;
use crate::update::error::UpdateError;

/// The validators of a file, for asking whether it has changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Validators {
    pub url: String,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
}

#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub bytes_max: u64,
}

#[derive(Debug)]
pub enum Download {
    Whole(Fetched),
    /// The file is the known one.
    NotModified,
}

/// A file on disk.
#[derive(Debug)]
pub struct Fetched {
    /// The URL after redirects.
    pub url: String,
    /// Its official name.
    pub name: String,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
}

impl Session<'_> {
    /// Downloads a file into `part`. `known` is the file of an earlier edition, which the site need not send
    /// again.
    pub fn download(
        &self,
        request: &Request,
        part: &Path,
        known: Option<&Validators>,
        limits: Limits,
    ) -> Result<Download, UpdateError> {
        self.watch.step(request.address().file_name());
        // A form may return another file the next time.
        if matches!(request, Request::Post { .. }) {
            discard(part);
        }
        let (mut attempt, mut most) = (1, 0);
        loop {
            let broken = match self.go_on(request, part, known, limits)? {
                Step::Done(download) => return Ok(download),
                Step::Broken { error, received } => {
                    // Limits the attempts on a site that always breaks off at the same place.
                    attempt = if received > most { 1 } else { attempt + 1 };
                    most = most.max(received);
                    error
                }
            };
            if attempt > self.web.manners.attempts || !request.may_repeat() {
                return Err(broken);
            }
            thread::sleep(self.web.back_off(attempt));
        }
    }

    fn go_on(
        &self,
        request: &Request,
        part: &Path,
        known: Option<&Validators>,
        limits: Limits,
    ) -> Result<Step, UpdateError> {
        let begun = Begun::read(part);
        let answer = self.ask(request, &headers(request, begun.as_ref(), known))?;
        match answer.status {
            200 => {}
            206 if begun.is_some() && continues(&answer, begun.as_ref()) => {}
            304 if begun.is_none() && known.is_some() => {
                return Ok(Step::Done(Download::NotModified));
            }
            // The partial file does not belong to the current file any more.
            206 | 304 | 416 if begun.is_some() => {
                discard(part);
                let error = unreachable(&answer.address, "another range than requested");
                return Ok(Step::Broken { error, received: 0 });
            }
            _ => return Err(answer.refused()),
        }
        if answer.header("content-type").is_some_and(|kind| kind.starts_with("text/html")) {
            let (url, expected) =
                (answer.address.to_string(), request.address().file_name().to_owned());
            return Err(UpdateError::Html { url, expected, title: answer.title() });
        }
        let offset = if answer.status == 206 { begun.map_or(0, |begun| begun.length) } else { 0 };
        self.receive(request, answer, part, offset, limits)
    }

    fn receive(
        &self,
        request: &Request,
        answer: Answer,
        part: &Path,
        offset: u64,
        limits: Limits,
    ) -> Result<Step, UpdateError> {
        let failed = |cause| UpdateError::io(part, cause);
        let url = answer.address.to_string();
        let left = answer.header("content-length").and_then(|length| length.parse::<u64>().ok());
        let total = left.map(|left| left.saturating_add(offset));
        let too_large = || UpdateError::TooLarge {
            url: url.clone(),
            limit: limits.bytes_max,
            remedy: "if the file is right, accept it with --force",
        };
        if total.is_some_and(|total| total > limits.bytes_max) {
            return Err(too_large());
        }
        let fetched = fetched(request, &answer);
        Begun::write(part, &fetched).map_err(failed)?;
        let mut file = match offset {
            0 => File::create(part),
            _ => File::options().append(true).open(part),
        }
        .map_err(failed)?;
        let mut body = answer.body.into_reader();
        let mut buffer = vec![0; 1 << 16];
        let mut done = offset;
        let ended = loop {
            match body.read(&mut buffer) {
                Ok(0) => break Ok(()),
                Ok(count) => {
                    done += count as u64;
                    if done > limits.bytes_max {
                        discard(part);
                        return Err(too_large());
                    }
                    file.write_all(&buffer[..count]).map_err(failed)?;
                    self.watch.advance(done, total.unwrap_or(0).max(done));
                }
                Err(cause) => break Err(cause.to_string()),
            }
        };
        self.web.note_asked(&answer.address);
        let short = total.filter(|total| done < *total);
        let broken = match (ended, short) {
            (Ok(()), None) => {
                file.sync_all().map_err(failed)?;
                if_exists(fs::remove_file(Begun::path(part))).map_err(failed)?;
                return Ok(Step::Done(Download::Whole(fetched)));
            }
            (Ok(()), Some(total)) => format!("the end after {done} of {total} bytes"),
            (Err(cause), _) => format!("the end after {done} bytes ({cause})"),
        };
        let error = unreachable(&answer.address, &broken);
        Ok(Step::Broken { error, received: done })
    }
}

enum Step {
    Done(Download),
    Broken {
        error: UpdateError,
        /// Bytes on disk. If they are more than ever before, the attempts restart.
        received: u64,
    },
}

fn headers(
    request: &Request,
    begun: Option<&Begun>,
    known: Option<&Validators>,
) -> Vec<(&'static str, String)> {
    // With content encoding, neither the length nor a range refers to the file.
    let mut headers = vec![("accept-encoding", "identity".to_owned())];
    if let Some(begun) = begun {
        headers.push(("range", format!("bytes={}-", begun.length)));
        headers.push(("if-range", begun.validator.clone()));
    } else if let Some(known) = known.filter(|known| known.url == request.address().to_string()) {
        let of = |value: &Option<String>, name| value.clone().map(|value| (name, value));
        headers.extend(of(&known.etag, "if-none-match"));
        headers.extend(of(&known.last_modified, "if-modified-since"));
    }
    headers
}

/// Whether the response continues the partial file exactly.
fn continues(answer: &Answer, begun: Option<&Begun>) -> bool {
    let range = answer.header("content-range").and_then(|range| range.strip_prefix("bytes "));
    let start = range
        .and_then(|range| range.split_once('-'))
        .and_then(|(start, _)| start.parse::<u64>().ok());
    matches!((start, begun), (Some(start), Some(begun)) if begun.length == start)
}

fn fetched(request: &Request, answer: &Answer) -> Fetched {
    let own = |name| answer.header(name).map(str::to_owned);
    let name = answer.header("content-disposition").and_then(names::file_name);
    let name = name.unwrap_or_else(|| {
        // A redirect may lead to storage whose addresses have no file names.
        let found = answer.address.file_name();
        if found.contains('.') { found } else { request.address().file_name() }.to_owned()
    });
    let url = answer.address.to_string();
    Fetched { url, name, etag: own("etag"), last_modified: own("last-modified") }
}

/// A download that has begun: the bytes on disk, and the validators from the site.
struct Begun {
    length: u64,
    validator: String,
}

impl Begun {
    fn path(part: &Path) -> PathBuf {
        let mut name = part.file_name().unwrap_or_default().to_owned();
        name.push(".json");
        part.with_file_name(name)
    }

    /// `None` if there is nothing to continue.
    fn read(part: &Path) -> Option<Begun> {
        let length = fs::metadata(part).ok()?.len();
        let text = fs::read_to_string(Begun::path(part)).ok()?;
        let value: Value = serde_json::from_str(&text).ok()?;
        let validator = value["validator"].as_str()?.to_owned();
        (length > 0).then_some(Begun { length, validator })
    }

    fn write(part: &Path, fetched: &Fetched) -> std::io::Result<()> {
        let path = Begun::path(part);
        // Weak tags do not guarantee the same bytes.
        let strong = fetched.etag.as_ref().filter(|tag| !tag.starts_with("W/"));
        match strong.or(fetched.last_modified.as_ref()) {
            Some(validator) => fs::write(path, json!({ "validator": validator }).to_string()),
            None => if_exists(fs::remove_file(path)).map(|_removed| ()),
        }
    }
}

/// Removes a partial download.
pub fn discard(part: &Path) {
    for path in [part, &Begun::path(part)] {
        // A remaining file is found not to match the next time.
        let _ = fs::remove_file(path);
    }
}
