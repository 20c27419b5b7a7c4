//! The watch list of an account: paste or upload numbers, look for one, take some off, export.
//!
//! A list of a hundred thousand is one form: all of it is read before anything is changed, and one
//! wrong number changes nothing. The page shows a hundred at a time.

use std::sync::Arc;

use super::answer::Answer;
use super::data::grouped;
use super::html::{Html, html};
use super::layout::Page;
use super::route::{Path, Tab, account as account_path};
use super::visit::{Fault, Guest, Handled, Notice, Visit};
use super::webhook::has_radar;
use crate::account::Account;
use crate::account::store::StoreError;
use crate::query::CorporateData;
use crate::text::codes::CorporateNumber;

/// Numbers on a page.
const SHOWN: u32 = 100;

/// Wrong entries that are named to whoever sent them.
const NAMED_MAX: usize = 5;

/// The heading of the exported column; passed over where a list is sent back.
const HEADING: &str = "corporate_number";

/// The page.
pub fn show(visit: &Visit<'_>, guest: &Guest, account: &Account) -> Handled {
    page(visit, guest, account, None)
}

/// The whole list as a file.
pub fn export(visit: &Visit<'_>, account: &Account) -> Handled {
    let numbers = match visit.dashboard.store.run(|store| store.watched(account.id)) {
        Err(StoreError::NoWebhook) => Vec::new(),
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
    Ok(Answer::file(name, "text/csv; charset=utf-8", out.into_bytes()))
}

/// Adds or takes off the numbers of a form.
pub fn act(visit: &Visit<'_>, guest: &Guest, account: &Account) -> Handled {
    let words = visit.words();
    let refuse = |text: String| page(visit, guest, account, Some(Notice::Refused(text)));
    if !has_radar(account) {
        return refuse(words.needs_premium.to_owned());
    }
    let numbers = match numbers(visit.field("numbers")) {
        Ok(numbers) if numbers.is_empty() => return refuse(words.no_numbers.to_owned()),
        Ok(numbers) => numbers,
        Err(wrong) => {
            let text = words.bad_numbers.replace("{}", &grouped(wrong.count));
            return refuse(format!("{text} {}", wrong.named.join(", ")));
        }
    };
    let (store, now) = (&visit.dashboard.store, visit.now);
    let done = match visit.field("action") {
        "add" => {
            let max = visit.api.radar.watched_max;
            let added = store.run(|store| store.watch(account.id, &numbers, max, now));
            added.map(|()| words.numbers_added.replace("{}", &grouped(numbers.len() as u64)))
        }
        "remove" => store
            .run(|store| store.unwatch(account.id, &numbers))
            .map(|count| words.numbers_removed.replace("{}", &grouped(count))),
        _ => return Err(Fault::BadForm(words.no_action.to_owned())),
    };
    match done {
        Ok(text) => page(visit, guest, account, Some(Notice::Done(text))),
        Err(StoreError::NoWebhook) => refuse(words.watch_needs_webhook.to_owned()),
        Err(StoreError::WatchListFull { count_max, found }) => {
            let text = words.watch_full.replacen("{}", &grouped(count_max), 1);
            refuse(text.replacen("{}", &grouped(found), 1))
        }
        Err(error) => Err(error.into()),
    }
}

/// What of a list is no number.
#[derive(Debug, PartialEq, Eq)]
struct Wrong {
    count: u64,
    /// The first few, shortened.
    named: Vec<String>,
}

/// The numbers of a list, in whatever way they are set apart; each once, ascending.
fn numbers(text: &str) -> Result<Vec<CorporateNumber>, Wrong> {
    let apart = |character: char| {
        character.is_whitespace() || matches!(character, ',' | ';' | '"' | '、' | '\u{feff}')
    };
    let mut numbers = Vec::new();
    let mut wrong = Wrong { count: 0, named: Vec::new() };
    for entry in text.split(apart).filter(|entry| !entry.is_empty() && *entry != HEADING) {
        match CorporateNumber::parse(entry).ok().filter(|number| number.is_sound()) {
            Some(number) => numbers.push(number),
            None => {
                wrong.count += 1;
                if wrong.named.len() < NAMED_MAX {
                    wrong.named.push(entry.chars().take(20).collect());
                }
            }
        }
    }
    if wrong.count > 0 {
        return Err(wrong);
    }
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

fn page(visit: &Visit<'_>, guest: &Guest, account: &Account, notice: Option<Notice>) -> Handled {
    let words = visit.words();
    let prefix = visit.query.get("prefix").trim();
    let after = CorporateNumber::parse(visit.query.get("after")).ok();
    let (count, listed, webhook) = visit.dashboard.store.run(|store| {
        let count = store.watched_count(account.id)?;
        let listed = store.watched_page(account.id, prefix, after, SHOWN)?;
        Ok((count, listed, store.webhook(account.id)?))
    })?;
    let is_done = matches!(notice, Some(Notice::Done(_)));
    let mut body = Html::empty();
    let of = words.watch_count.replacen("{}", &grouped(count), 1);
    let of = of.replacen("{}", &grouped(visit.api.radar.watched_max), 1);
    html!(&mut body, "<p class=\"count\">" (of) "</p>");
    if !has_radar(account) {
        html!(&mut body, "<p class=\"hint\">" (words.needs_premium) "</p>");
    } else if webhook.is_none() {
        html!(&mut body, "<p class=\"hint\">" (words.watch_needs_webhook) " <a href=\""
            (account_path(account.id, Tab::Webhook)) "\">" (words.webhook) "</a></p>");
    } else {
        form(&mut body, visit, guest, account, is_done);
    }
    list(&mut body, visit, account, &listed, prefix);
    let path = Path::Account(account.id, Tab::Watch);
    let page = Page { title: words.watch, path, about: Some(account), notice, body };
    Ok(page.answer(visit, guest))
}

/// The form for both adding and taking off.
fn form(out: &mut Html, visit: &Visit<'_>, guest: &Guest, account: &Account, is_done: bool) {
    let words = visit.words();
    // A list that was refused stays to be mended; a very long one would only slow the page.
    let typed = visit.field("numbers");
    let typed = if is_done || typed.len() > 10_000 { "" } else { typed };
    html!(out, "<form method=\"post\" action=\"" (account_path(account.id, Tab::Watch))
        "\" class=\"card\">" (guest.form_token()) "<label>" (words.watch_numbers)
        "<textarea id=\"numbers\" name=\"numbers\" rows=\"5\" spellcheck=\"false\" inputmode=\"numeric\" \
        placeholder=\"7000012050002\" aria-describedby=\"numbers-hint\">" (typed)
        "</textarea></label><p class=\"hint\" id=\"numbers-hint\">" (words.watch_hint)
        "</p><label hidden>" (words.watch_file)
        "<input type=\"file\" accept=\".csv,.txt,text/csv,text/plain\" data-into=\"numbers\"></label>\
        <div class=\"actions\"><button name=\"action\" value=\"add\">" (words.watch_add)
        "</button><button name=\"action\" value=\"remove\" class=\"danger\">" (words.watch_remove)
        "</button></div></form>");
}

/// A page of the list, with the names that the newest data has.
fn list(
    out: &mut Html,
    visit: &Visit<'_>,
    account: &Account,
    listed: &[CorporateNumber],
    prefix: &str,
) {
    let words = visit.words();
    let path = account_path(account.id, Tab::Watch);
    html!(out, "<section><h2>" (words.watched) "</h2><form method=\"get\" action=\"" (path)
        "\" class=\"bar\" role=\"search\"><label>" (words.watch_search)
        "<input type=\"search\" name=\"prefix\" inputmode=\"numeric\" maxlength=\"13\" value=\"" (prefix)
        "\"></label><button class=\"quiet\">" (words.search) "</button><a href=\""
        (account_path(account.id, Tab::WatchExport)) "\" download>" (words.export)
        "</a></form>");
    if listed.is_empty() {
        html!(out, "<p>" (words.watched_none) "</p></section>");
        return;
    }
    html!(out, "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">" (words.corporate_number)
        "</th><th scope=\"col\">" (words.name) "</th></tr></thead><tbody>");
    let served = visit.api.data.load();
    let data = served.catalog.corporate().latest();
    for number in listed {
        html!(out, "<tr><td><code>" (number) "</code></td><td>" (name(data, *number)) "</td></tr>");
    }
    html!(out, "</tbody></table></div>");
    if let Some(last) = listed.last().filter(|_| listed.len() == SHOWN as usize) {
        html!(out, "<p><a href=\"" (path) "?prefix=" (super::form::encode(prefix)) "&amp;after=" (last)
            "\">" (words.next_page) "</a></p>");
    }
    html!(out, "</section>");
}

/// The name of a corporation in the newest data; nothing where the data have none.
fn name(data: Option<&Arc<CorporateData>>, number: CorporateNumber) -> String {
    let found = data.and_then(|data| data.lookup(number).ok().flatten());
    found.map_or_else(String::new, |view| view.name().text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_whole_or_not_at_all() {
        #[track_caller]
        fn check(text: &str, expected: Result<&[u64], (u64, &[&str])>) {
            let found = numbers(text);
            match expected {
                Ok(expected) => {
                    let found = found.expect("numbers");
                    assert_eq!(found.iter().map(|it| it.number()).collect::<Vec<_>>(), expected);
                }
                Err((count, named)) => {
                    let named = named.iter().map(|&entry| entry.to_owned()).collect();
                    assert_eq!(found, Err(Wrong { count, named }), "{text}");
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
