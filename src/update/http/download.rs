//! Downloads a file to disk. An interrupted download continues where it stopped, in the same update or the next one, if
//! the site confirms that the file has not changed.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::thread;

use serde_json::{Value, json};

use super::send::{Response, took_too_long, unreachable};
use super::time_budget::TimeBudget;
use super::{Request, Session};
use crate::snapshot::files::if_exists;
use crate::update::address::Address;
use crate::update::editions::SourceFile;
use crate::update::error::{Result, UpdateError};

/// A complete file on disk.
#[derive(Debug)]
pub struct DownloadedFile {
    /// The URL after redirects.
    pub url: String,
    pub name: String,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
}

impl Session<'_> {
    /// Downloads a file into `part`. Returns nothing if the file is still `known`, the file of an earlier edition,
    /// which the site need not send again.
    pub fn download(
        &self,
        request: &Request,
        part: &Path,
        known: Option<&SourceFile>,
        bytes_max: u64,
    ) -> Result<Option<DownloadedFile>> {
        self.observer.step(request.address().file_name());
        // A form may return another file the next time.
        if matches!(request, Request::Post { .. }) {
            remove_partial(part);
        }
        let budget = TimeBudget::new(self.client.limits.download_timeout);
        let file = FileToReceive { part, known, bytes_max };
        let (mut attempt, mut most_received) = (1, 0);
        loop {
            let error = match self.download_once(request, &file, &budget)? {
                Attempt::Done(downloaded) => return Ok(downloaded),
                Attempt::Interrupted { error, received } => {
                    // An attempt that got further than any before restarts the count. A site that always breaks off
                    // at the same byte uses it up.
                    attempt = if received > most_received { 1 } else { attempt + 1 };
                    most_received = most_received.max(received);
                    error
                }
            };
            if budget.is_used_up() {
                return Err(took_too_long(request.address(), &budget));
            }
            if attempt > self.client.limits.attempts || !request.is_repeatable() {
                return Err(error);
            }
            thread::sleep(self.client.retry_delay(attempt));
        }
    }

    /// One attempt. Continues a partial file if there is one.
    fn download_once(
        &self,
        request: &Request,
        file: &FileToReceive<'_>,
        budget: &TimeBudget,
    ) -> Result<Attempt> {
        let FileToReceive { part, known, .. } = *file;
        let partial = PartialDownload::read(part);
        let response = self.send(request, &headers(request, partial.as_ref(), known), budget)?;
        match response.status {
            200 => {}
            206 if partial.is_some() && is_continuation(&response, partial.as_ref()) => {}
            304 if partial.is_none() && known.is_some() => return Ok(Attempt::Done(None)),
            // The partial file does not belong to the current file any more.
            206 | 304 | 416 if partial.is_some() => {
                remove_partial(part);
                let error = unreachable(&response.address, "another range than requested");
                return Ok(Attempt::Interrupted { error, received: 0 });
            }
            _ => return Err(response.into_status_error()),
        }
        if response.header("content-type").is_some_and(|kind| kind.starts_with("text/html")) {
            let (url, expected) =
                (response.address.to_string(), request.address().file_name().to_owned());
            return Err(UpdateError::Html { url, expected, title: response.into_title() });
        }
        let offset =
            if response.status == 206 { partial.map_or(0, |partial| partial.length) } else { 0 };
        budget.spend(|_left| self.receive(request, response, file, offset))
    }

    /// Appends the body to the first `offset` bytes of the partial file.
    fn receive(
        &self,
        request: &Request,
        response: Response,
        file: &FileToReceive<'_>,
        offset: u64,
    ) -> Result<Attempt> {
        let FileToReceive { part, bytes_max, .. } = *file;
        let failed = |cause| UpdateError::io(part, cause);
        let length = response.header("content-length").and_then(|length| length.parse().ok());
        let total = length.map(|length: u64| length.saturating_add(offset));
        if total.is_some_and(|total| total > bytes_max) {
            return Err(too_large(&response.address, bytes_max));
        }
        let downloaded = downloaded_file(request, &response);
        PartialDownload::write(part, &downloaded).map_err(failed)?;
        let mut file = match offset {
            0 => File::create(part),
            _ => File::options().append(true).open(part),
        }
        .map_err(failed)?;
        let Response { address, body, .. } = response;
        let mut body = body.into_reader();
        let mut buffer = vec![0; 1 << 16];
        let mut received = offset;
        let ended = loop {
            match body.read(&mut buffer) {
                Ok(0) => break Ok(()),
                Ok(count) => {
                    received += count as u64;
                    if received > bytes_max {
                        remove_partial(part);
                        return Err(too_large(&address, bytes_max));
                    }
                    file.write_all(&buffer[..count]).map_err(failed)?;
                    self.observer.advance(received, total.unwrap_or(0).max(received));
                }
                Err(cause) => break Err(cause.to_string()),
            }
        };
        self.client.record_request(&address);
        let found = match (ended, total.filter(|total| received < *total)) {
            (Ok(()), None) => {
                file.sync_all().map_err(failed)?;
                let validator = PartialDownload::validator_path(part);
                if_exists(fs::remove_file(validator)).map_err(failed)?;
                return Ok(Attempt::Done(Some(downloaded)));
            }
            (Ok(()), Some(total)) => format!("the end after {received} of {total} bytes"),
            (Err(cause), _) => format!("the end after {received} bytes ({cause})"),
        };
        let error = unreachable(&address, &found);
        Ok(Attempt::Interrupted { error, received })
    }
}

fn too_large(address: &Address, limit: u64) -> UpdateError {
    let url = address.to_string();
    UpdateError::TooLarge { url, limit, remedy: "if the file is right, accept it with --force" }
}

/// Where a file is received.
struct FileToReceive<'a> {
    part: &'a Path,
    known: Option<&'a SourceFile>,
    bytes_max: u64,
}

enum Attempt {
    /// `None` if the file is the known one.
    Done(Option<DownloadedFile>),
    Interrupted {
        error: UpdateError,
        /// Bytes on disk.
        received: u64,
    },
}

fn headers(
    request: &Request,
    partial: Option<&PartialDownload>,
    known: Option<&SourceFile>,
) -> Vec<(&'static str, String)> {
    // With content encoding, neither the length nor a range refers to the file.
    let mut headers = vec![("accept-encoding", "identity".to_owned())];
    if let Some(partial) = partial {
        headers.push(("range", format!("bytes={}-", partial.length)));
        headers.push(("if-range", partial.validator.clone()));
    } else if let Some(known) = known.filter(|known| known.url == request.address().to_string()) {
        let of = |value: &Option<String>, name| value.clone().map(|value| (name, value));
        headers.extend(of(&known.etag, "if-none-match"));
        headers.extend(of(&known.last_modified, "if-modified-since"));
    }
    headers
}

/// Whether the response continues the partial file exactly.
fn is_continuation(response: &Response, partial: Option<&PartialDownload>) -> bool {
    let range = response.header("content-range").and_then(|range| range.strip_prefix("bytes "));
    let start = range
        .and_then(|range| range.split_once('-'))
        .and_then(|(start, _)| start.parse::<u64>().ok());
    matches!((start, partial), (Some(start), Some(partial)) if partial.length == start)
}

fn downloaded_file(request: &Request, response: &Response) -> DownloadedFile {
    let own = |name| response.header(name).map(str::to_owned);
    let name = response.header("content-disposition").and_then(named_file);
    let name = name.unwrap_or_else(|| {
        // A redirect may lead to storage whose addresses have no file names.
        let found = response.address.file_name();
        if found.contains('.') { found } else { request.address().file_name() }.to_owned()
    });
    let url = response.address.to_string();
    DownloadedFile { url, name, etag: own("etag"), last_modified: own("last-modified") }
}

/// The file name in the header `Content-Disposition`: `filename*` first, with any language tag, then `filename`.
/// Removes folders.
fn named_file(disposition: &str) -> Option<String> {
    let parameters = || disposition.split(';').skip(1).filter_map(|part| part.split_once('='));
    let value_of = |wanted: &str| {
        parameters()
            .find(|(name, _)| name.trim().eq_ignore_ascii_case(wanted))
            .map(|(_, value)| value.trim())
    };
    let extended = value_of("filename*").and_then(|value| {
        let value = value.trim_matches('"');
        // The charset, the language tag and the name: the tax agency's tag is `jp`.
        let name = value.splitn(3, '\'').nth(2).unwrap_or(value);
        percent_encoding::percent_decode_str(name).decode_utf8().ok().map(|name| name.into_owned())
    });
    let name = extended
        .or_else(|| value_of("filename").map(|value| value.trim_matches('"').to_owned()))?;
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    (!last.is_empty()).then_some(last)
}

/// A partial file on disk: its length, and the validator with which the site can tell whether the file has changed.
struct PartialDownload {
    length: u64,
    validator: String,
}

impl PartialDownload {
    /// The file with the validator of the partial file beside it.
    fn validator_path(part: &Path) -> PathBuf {
        let mut name = part.file_name().unwrap_or_default().to_owned();
        name.push(".json");
        part.with_file_name(name)
    }

    /// `None` if there is nothing to continue.
    fn read(part: &Path) -> Option<PartialDownload> {
        let length = fs::metadata(part).ok()?.len();
        let text = fs::read_to_string(PartialDownload::validator_path(part)).ok()?;
        let value: Value = serde_json::from_str(&text).ok()?;
        let validator = value["validator"].as_str()?.to_owned();
        (length > 0).then_some(PartialDownload { length, validator })
    }

    fn write(part: &Path, downloaded: &DownloadedFile) -> std::io::Result<()> {
        let path = PartialDownload::validator_path(part);
        // Weak tags do not guarantee the same bytes.
        let strong = downloaded.etag.as_ref().filter(|tag| !tag.starts_with("W/"));
        match strong.or(downloaded.last_modified.as_ref()) {
            Some(validator) => fs::write(path, json!({ "validator": validator }).to_string()),
            None => if_exists(fs::remove_file(path)).map(|_removed| ()),
        }
    }
}

pub fn remove_partial(part: &Path) {
    for path in [part, &PartialDownload::validator_path(part)] {
        // A remaining file is found not to match the next time.
        let _ = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_read_with_any_language_tag() {
        for (header, expected) in [
            (
                "attachment; filename*=utf-8'jp'00_zenkoku_all_20260731.zip",
                Some("00_zenkoku_all_20260731.zip"),
            ),
            ("attachment; filename*=UTF-8''diff%5F20260821.zip", Some("diff_20260821.zip")),
            (
                "attachment; filename=\"h_all_20260831_csv_001.zip\"",
                Some("h_all_20260831_csv_001.zip"),
            ),
            ("attachment; filename=a.zip; filename*=utf-8''b.zip", Some("b.zip")),
            ("attachment;FileName = a.zip ", Some("a.zip")),
            ("attachment; filename=\"../../etc/passwd\"", Some("passwd")),
            ("attachment; filename=\"C:\\a.zip\"", Some("a.zip")),
            ("attachment; filename*=utf-8''%ff", None),
            ("attachment; filename=\"\"", None),
            ("attachment", None),
            ("", None),
        ] {
            assert_eq!(named_file(header).as_deref(), expected, "{header}");
        }
    }
}
