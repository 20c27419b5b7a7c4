//! The watch list of an account: add and remove numbers, search, export.
//!
//! A form may hold a hundred thousand numbers. It is parsed completely before anything changes, and one invalid
//! number changes nothing. The page shows a hundred numbers at a time.

use std::sync::Arc;

use crate::account::store::StoreError;
use crate::account::{Account, authorize_radar};
use crate::dashboard::elements::grouped;
use crate::dashboard::prelude::*;
use crate::dataset::corporate::CorporateData;
use crate::radar::{RadarError, registration, watch_list};
use crate::text::codes::{CorporateNumber, Register};
use crate::text::percent::encode;

/// Numbers on a page.
const PAGE_LENGTH: u32 = 100;

/// Invalid entries that the notice names.
const NAMED_MAX: usize = 5;

/// The heading of the exported column. It is ignored in a list, because the export may be sent back.
const HEADING: &str = "corporate_number";

pub fn export(request: &SignedIn<'_>, account: &Account) -> PageResult {
    let numbers = match request.with_store(|store| watch_list::numbers(store, account.id, Register::Corporate)) {
        Err(RadarError::NoWebhook) => Vec::new(),
        found => found?,
    };
    let mut out = String::with_capacity(HEADING.len() + 2 + numbers.len() * 15);
    out.push_str(HEADING);
    out.push_str("\r\n");
    for number in numbers {
        out.push_str(&number.to_string());
        out.push_str("\r\n");
    }
    let name = format!("watch-{}.csv", account.id.0);
    Ok(Reply::download(&name, "text/csv; charset=utf-8", out.into_bytes()))
}

pub fn change(request: &SignedIn<'_>, account: &Account) -> Result<Notice, PageError> {
    let words = request.words;
    if authorize_radar(account).is_err() {
        return Err(PageError::refused(words.needs_premium));
    }
    let numbers = parse_numbers(request.field("numbers")).map_err(|invalid| {
        let text = count(words.bad_numbers, invalid.count);
        PageError::refused_for(&text, invalid.named.join(", "))
    })?;
    if numbers.is_empty() {
        return Err(PageError::refused(words.no_numbers));
    }
    match request.field("action") {
        "add" => {
            let max = request.dashboard.parts.api.radar.watched_max;
            request.change_store(|store| {
                watch_list::add(store, account.id, Register::Corporate, &numbers, max, request.now)
            })?;
            Ok(Notice::Done(count(words.numbers_added, numbers.len() as u64)))
        }
        "remove" => {
            let removed =
                request.change_store(|store| watch_list::remove(store, account.id, Register::Corporate, &numbers))?;
            Ok(Notice::Done(count(words.numbers_removed, removed)))
        }
        _ => Err(PageError::refused(words.no_action)),
    }
}

#[derive(Debug, PartialEq, Eq)]
struct InvalidEntries {
    count: u64,
    /// The first few, shortened.
    named: Vec<String>,
}

/// Parses a list of numbers, however they are separated. Returns each number once, ascending.
fn parse_numbers(text: &str) -> Result<Vec<CorporateNumber>, InvalidEntries> {
    let is_separator = |character: char| {
        character.is_whitespace() || matches!(character, ',' | ';' | '"' | '、' | '\u{feff}')
    };
    let mut numbers = Vec::new();
    let mut invalid = InvalidEntries { count: 0, named: Vec::new() };
    for entry in text.split(is_separator).filter(|entry| !entry.is_empty() && *entry != HEADING) {
        match CorporateNumber::parse(entry).ok().filter(|number| number.is_sound()) {
            Some(number) => numbers.push(number),
            None => {
                invalid.count += 1;
                if invalid.named.len() < NAMED_MAX {
                    invalid.named.push(entry.chars().take(20).collect());
                }
            }
        }
    }
    if invalid.count > 0 {
        return Err(invalid);
    }
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

pub fn page(request: &SignedIn<'_>, account: &Account, notice: Option<Notice>) -> PageResult {
    let words = request.words;
    let prefix = request.query.get("prefix").trim();
    let after = CorporateNumber::parse(request.query.get("after")).ok();
    let (watched, listed, webhook) = request.with_store(|store| {
        let watched = watch_list::count(store, account.id, Register::Corporate)?;
        let listed = watch_list::page(store, account.id, Register::Corporate, prefix, after, PAGE_LENGTH)?;
        Ok::<_, StoreError>((watched, listed, registration::find(store, account.id)?))
    })?;
    let is_done = matches!(notice, Some(Notice::Done(_)));
    let max = grouped(request.dashboard.parts.api.radar.watched_max);
    let body = html! {
        p.count { (fill(words.watch_count, [grouped(watched), max])) }
        @if authorize_radar(account).is_err() {
            p.hint { (words.needs_premium) }
        } @else if webhook.is_none() {
            p.hint {
                (words.watch_needs_webhook) " "
                a href=(layout::account_page(account.id, "webhook")) { (words.webhook) }
            }
        } @else {
            (change_form(request, account, is_done))
        }
        (watched_numbers(request, account, &listed, prefix))
    };
    Page { title: words.watch, account: Some(account), notice, body }.reply(request)
}

/// The form that adds and removes numbers. It keeps a list that was refused, unless it is very long.
fn change_form(request: &SignedIn<'_>, account: &Account, is_done: bool) -> Markup {
    let words = request.words;
    let typed = request.field("numbers");
    let typed = if is_done || typed.len() > 10_000 { "" } else { typed };
    html! {
        form.card method="post" action=(layout::account_page(account.id, "watch")) {
            (request.token_field())
            label {
                (words.watch_numbers)
                textarea id="numbers" name="numbers" rows="5" spellcheck="false" inputmode="numeric"
                    placeholder="7000012050002" aria-describedby="numbers-hint" { (typed) }
            }
            p.hint id="numbers-hint" { (words.watch_hint) }
            label hidden {
                (words.watch_file)
                input type="file" accept=".csv,.txt,text/csv,text/plain" data-into="numbers";
            }
            div.actions {
                button name="action" value="add" { (words.watch_add) }
                button.danger name="action" value="remove" { (words.watch_remove) }
            }
        }
    }
}

/// A page of the list, with the names from the newest data.
fn watched_numbers(
    request: &SignedIn<'_>,
    account: &Account,
    listed: &[CorporateNumber],
    prefix: &str,
) -> Markup {
    let words = request.words;
    let path = layout::account_page(account.id, "watch");
    let served = request.dashboard.parts.api.data.load();
    let data = served.catalog.corporate().latest();
    let headings = [words.corporate_number, words.name];
    let rows = html! {
        @for number in listed {
            tr { td { code { (number) } } td { (corporation_name(data, *number)) } }
        }
    };
    html! {
        section {
            h2 { (words.watched) }
            form.bar method="get" action=(path) role="search" {
                label {
                    (words.watch_search)
                    input type="search" name="prefix" inputmode="numeric" maxlength="13"
                        value=(prefix);
                }
                button.quiet { (words.search) }
                a href=(layout::account_page(account.id, "watch.csv")) download { (words.export) }
            }
            @if listed.is_empty() {
                p { (words.no_matching_numbers) }
            } @else {
                (table(None, &headings, &[], &rows))
            }
            @if let Some(last) = listed.last().filter(|_| listed.len() == PAGE_LENGTH as usize) {
                p {
                    a href={ (path) "?prefix=" (encode(prefix)) "&after=" (last) } {
                        (words.next_page)
                    }
                }
            }
        }
    }
}

/// The name of a corporation in the newest data; empty if it is not in them.
fn corporation_name(data: Option<&Arc<CorporateData>>, number: CorporateNumber) -> String {
    let found = data.and_then(|data| data.lookup(number).ok().flatten());
    found.map_or_else(String::new, |view| view.name().text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_with_an_invalid_number_is_refused_completely() {
        #[track_caller]
        fn check(text: &str, expected: Result<&[u64], (u64, &[&str])>) {
            let found = parse_numbers(text);
            match expected {
                Ok(expected) => {
                    let found = found.expect("numbers");
                    assert_eq!(found.iter().map(|it| it.number()).collect::<Vec<_>>(), expected);
                }
                Err((count, named)) => {
                    let named = named.iter().map(|&entry| entry.to_owned()).collect();
                    assert_eq!(found, Err(InvalidEntries { count, named }), "{text}");
                }
            }
        }
        let (one, other) = (7_000_012_050_002, 6_010_001_999_901);
        check("", Ok(&[]));
        check("7000012050002", Ok(&[one]));
        check("\u{feff}corporate_number\r\n7000012050002\r\n6010001999901\r\n", Ok(&[other, one]));
        check("\"7000012050002\";7000012050002, 6010001999901", Ok(&[other, one]));
        check("7000012050003", Err((1, &["7000012050003"])));
        check("7000012050002 x 12", Err((2, &["x", "12"])));
        check(&"y ".repeat(1000), Err((1000, &["y"; 5])));
        check(&"z".repeat(1000), Err((1, &["zzzzzzzzzzzzzzzzzzzz"])));
    }
}
