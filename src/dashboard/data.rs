//! `/dashboard/data`: the data versions that are served, the files that were refused, and the
//! button that has the folder read again.
//!
//! A count of records makes a version resident, so that only the newest few of a data set are
//! counted unless all are asked for.

use super::html::{Html, html};
use super::layout::Page;
use super::route::{Path, ROOT};
use super::visit::{Guest, Handled, Notice, Visit};
use super::words::Words;
use crate::account::JAPAN;
use crate::query::{BankData, CorporateData, PostalData};
use crate::snapshot::{Dataset, OpenError, Versions};
use jiff::Timestamp;
use std::sync::Arc;

/// Versions of each data set that are counted unasked.
const COUNTED: usize = 4;

/// What a data set's records are counted by.
trait Counted: Dataset {
    /// How many records a version has.
    fn records(&self) -> Result<usize, Arc<OpenError>>;
}

impl Counted for PostalData {
    fn records(&self) -> Result<usize, Arc<OpenError>> {
        Ok(PostalData::records(self)?.len())
    }
}

impl Counted for BankData {
    fn records(&self) -> Result<usize, Arc<OpenError>> {
        Ok(self.counts()?.branches)
    }
}

impl Counted for CorporateData {
    fn records(&self) -> Result<usize, Arc<OpenError>> {
        Ok(self.counts()?.corporations)
    }
}

/// Has the folder read again, and says so.
pub fn act(visit: &Visit<'_>, guest: &Guest) -> Handled {
    visit.dashboard.reload.notify_one();
    page(visit, guest, Some(Notice::Done(visit.words().reload_asked.to_owned())))
}

/// The page.
pub fn show(visit: &Visit<'_>, guest: &Guest) -> Handled {
    page(visit, guest, None)
}

fn page(visit: &Visit<'_>, guest: &Guest, notice: Option<Notice>) -> Handled {
    let words = visit.words();
    let served = visit.api.data.load();
    let catalog = &served.catalog;
    let everything = visit.query.get("all") == "1";
    let mut body = Html::empty();
    html!(&mut body, "<form method=\"post\" action=\"" (ROOT) "/data\" class=\"bar\">"
        (guest.form_token()) "<button>" (words.reload) "</button><span class=\"hint\">"
        (words.reload_hint) "</span></form>");
    dataset(&mut body, words, words.postal_codes, words.records, catalog.postal(), everything);
    dataset(&mut body, words, words.banks, words.branches, catalog.bank(), everything);
    dataset(&mut body, words, words.corporations, words.records, catalog.corporate(), everything);
    let page = Page { title: words.data, path: Path::Data, about: None, notice, body };
    Ok(page.answer(visit, guest))
}

fn dataset<D: Counted>(
    out: &mut Html,
    words: &Words,
    title: &str,
    counted: &str,
    versions: &Versions<D>,
    everything: bool,
) {
    html!(out, "<section><h2>" (title) "</h2>");
    if versions.is_empty() {
        html!(out, "<p>" (words.no_versions) " <code>daicho build " (D::KIND.name()) "</code></p>");
    } else {
        html!(out, "<div class=\"scroll\"><table class=\"lines\"><thead><tr><th scope=\"col\">" (words.version)
            "</th><th scope=\"col\" class=\"number\">" (counted) "</th><th scope=\"col\" class=\"number\">"
            (words.size) "</th><th scope=\"col\">" (words.file_written) "</th></tr></thead><tbody>");
        for (at, (version, data)) in versions.iter().rev().enumerate() {
            let file = data.file();
            html!(out, "<tr><td>"(version));
            if at == 0 {
                html!(out, " <span class=\"badge\">" (words.newest) "</span>");
            }
            html!(out, "</td><td class=\"number\">");
            match (at < COUNTED || everything).then(|| data.records()) {
                Some(Ok(records)) => html!(out, (grouped(records as u64))),
                Some(Err(_)) => html!(out, "<span class=\"bad\">" (words.damaged) "</span>"),
                None => html!(out, "–"),
            }
            html!(out, "</td><td class=\"number\">" (megabytes(file.length())) "</td><td>"
                (written_at(file.path()).unwrap_or_else(|| "–".to_owned())) "</td></tr>");
        }
        html!(out, "</tbody></table></div>");
        if versions.len() > COUNTED && !everything {
            html!(out, "<p><a href=\"" (ROOT) "/data?all=1\">" (words.count_all) "</a></p>");
        }
    }
    let refused: Vec<&OpenError> = versions.refused().collect();
    if !refused.is_empty() {
        html!(out, "<h3 class=\"bad\">" (words.refused_files) "</h3><ul lang=\"en\">");
        for error in refused {
            html!(out, "<li>" (error) "</li>");
        }
        html!(out, "</ul>");
    }
    html!(out, "</section>");
}

/// When a file was last written, to the minute.
fn written_at(path: &std::path::Path) -> Option<String> {
    let modified = std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok()?;
    Some(minute(Timestamp::try_from(modified).ok()?))
}

/// A moment to the minute, in Japan's time: the data are Japan's, and so are most who look.
pub fn minute(moment: Timestamp) -> String {
    JAPAN.to_datetime(moment).strftime("%Y-%m-%d %H:%M JST").to_string()
}

/// A number with its thousands apart.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn megabytes(bytes: u64) -> String {
    let tenths = (bytes + 50_000) / 100_000;
    format!("{}.{} MB", grouped(tenths / 10), tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_read_well() {
        for (number, expected) in
            [(0, "0"), (999, "999"), (1000, "1,000"), (5_812_345, "5,812,345")]
        {
            assert_eq!(grouped(number), expected);
        }
        assert_eq!(megabytes(27_049_999), "27.0 MB");
        assert_eq!(megabytes(1_234_560_000), "1,234.6 MB");
        let moment = Timestamp::from_second(1_785_452_400).expect("a moment");
        assert_eq!(minute(moment), "2026-07-31 08:00 JST");
    }
}
