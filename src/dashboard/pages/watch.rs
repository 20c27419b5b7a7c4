//! The watch lists of an account, one of each register: add and remove numbers, search, export.
//!
//! A form may hold a hundred thousand numbers, as a list or as a CSV with a header. Rows without a valid number are left
//! out, and the notice names the first few. The page shows a hundred numbers at a time. The register is in the query
//! string and in the form; corporations if it is neither.

use std::io::Cursor;

use crate::account::store::StoreError;
use crate::account::{Account, authorize_radar};
use crate::api::data::Data;
use crate::dashboard::elements::grouped;
use crate::dashboard::prelude::*;
use crate::normalize::{
    ColumnOptions, Encoding, HeaderPlace, Input, InputKind, NormalizeError, column_values,
};
use crate::radar::number_list::{self, LeftOut, NumberList, Reason};
use crate::radar::{RadarError, registration, watch_list};
use crate::text::codes::{CorporateNumber, InvoiceNumber, Register};
use crate::text::percent::encode;

/// Numbers on a page.
const PAGE_LENGTH: u32 = 100;

/// Entries left out that the notice names.
const NAMED_MAX: usize = 10;

pub fn export(request: &SignedIn<'_>, account: &Account) -> PageResult {
    let register = register(request);
    let numbers = request.with_store(|store| watch_list::numbers(store, account.id, register));
    let numbers = match numbers {
        Err(RadarError::NoWebhook) => Vec::new(),
        found => found?,
    };
    let (heading, name) = match register {
        Register::Corporate => ("corporate_number", format!("watch-{}.csv", account.id.0)),
        Register::Invoice => ("invoice_number", format!("watch-invoice-{}.csv", account.id.0)),
    };
    let mut out = String::with_capacity(heading.len() + 2 + numbers.len() * 16);
    out.push_str(heading);
    out.push_str("\r\n");
    for number in numbers {
        out.push_str(&register.number_text(number));
        out.push_str("\r\n");
    }
    Ok(Reply::download(&name, "text/csv; charset=utf-8", out.into_bytes()))
}

fn register(request: &SignedIn<'_>) -> Register {
    let named = [request.field("register"), request.query.get("register")];
    named.into_iter().find_map(Register::parse).unwrap_or(Register::Corporate)
}

pub fn change(request: &SignedIn<'_>, account: &Account) -> Result<Notice, PageError> {
    let words = request.words;
    if authorize_radar(account).is_err() {
        return Err(PageError::refused(words.needs_premium));
    }
    let register = register(request);
    let list = read_list(register, request.field("numbers")).map_err(PageError::system)?;
    if list.numbers.is_empty() {
        return Err(match list.left_out.is_empty() {
            true => PageError::refused(words.no_numbers),
            false => {
                let left_out = left_out_text(words, &list);
                PageError::refused(&format!("{} {left_out}", words.no_valid_numbers))
            }
        });
    }
    let done = match request.field("action") {
        "add" => {
            let max = request.dashboard.parts.api.radar.watched_max;
            request.change_store(|store| {
                watch_list::add(store, account.id, register, &list.numbers, max, request.now)
            })?;
            count(words.numbers_added, list.numbers.len() as u64)
        }
        "remove" => {
            let removed = request.change_store(|store| {
                watch_list::remove(store, account.id, register, &list.numbers)
            })?;
            count(words.numbers_removed, removed)
        }
        _ => return Err(PageError::refused(words.no_action)),
    };
    Ok(Notice::Done(format!("{done} {}", left_out_text(words, &list)).trim_end().to_owned()))
}

/// Reads a CSV with or without a header, or a list of numbers.
fn read_list(register: Register, text: &str) -> Result<NumberList, NormalizeError> {
    // Without a delimiter, spaces and Japanese commas separate numbers too.
    let is_plain = !text.contains([',', ';', '\t', '"']);
    let is_space = |letter: char| letter == ' ' || matches!(letter, '、' | '\u{3000}');
    let text = if is_plain { text.replace(is_space, "\n") } else { text.to_owned() };
    let source = Box::new(Cursor::new(text.into_bytes()));
    let input = Input::open(source, "the list".to_owned(), InputKind::File, Some(Encoding::Utf8))?;
    let is_of_register = |text: &str| number_list::is_number_of(register, text);
    let options = ColumnOptions {
        path: None,
        delimiter: None,
        column: None,
        header: HeaderPlace::Detected,
        is_value: &[&is_of_register, &number_list::is_number],
        is_like_value: &number_list::is_like_number,
    };
    let values = column_values(&options, input)?;
    let entries = values.iter().map(|value| (value.line, value.text.as_str()));
    Ok(NumberList::read(register, entries))
}

/// What was left out of a list, and the numbers that may be mistyped; empty if there is none.
fn left_out_text(words: &Words, list: &NumberList) -> String {
    let mut text = String::new();
    let mut push = |heading: &str, entries: Vec<String>| {
        if entries.is_empty() {
            return;
        }
        let more = if entries.len() > NAMED_MAX { ", …" } else { "" };
        let named = entries[..entries.len().min(NAMED_MAX)].join(", ");
        text.push_str(&format!("{} {named}{more} ", count(heading, entries.len() as u64)));
    };
    let left_out = |entry: &LeftOut| {
        let reason = match entry.reason {
            Reason::NoNumber => words.reason_no_number,
            Reason::WrongCheckDigit => words.reason_check_digit,
            Reason::Duplicate => words.reason_duplicate,
        };
        format!("{} {} ({reason})", fill(words.line, [entry.line.to_string()]), entry.text)
    };
    push(words.left_out, list.left_out.iter().map(left_out).collect());
    let unchecked = |(line, number): &(u64, CorporateNumber)| {
        format!("{} T{number}", fill(words.line, [line.to_string()]))
    };
    push(words.unchecked_numbers, list.unchecked.iter().map(unchecked).collect());
    text.trim_end().to_owned()
}

pub fn page(request: &SignedIn<'_>, account: &Account, notice: Option<Notice>) -> PageResult {
    let words = request.words;
    let register = register(request);
    let prefix = request.query.get("prefix").trim();
    let digits = prefix.strip_prefix(['T', 'Ｔ']).unwrap_or(prefix);
    let after = CorporateNumber::parse(request.query.get("after")).ok();
    let (watched, listed, webhook) = request.with_store(|store| {
        let watched = watch_list::count(store, account.id, register)?;
        let listed = watch_list::page(store, account.id, register, digits, after, PAGE_LENGTH)?;
        Ok::<_, StoreError>((watched, listed, registration::find(store, account.id)?))
    })?;
    let is_done = matches!(notice, Some(Notice::Done(_)));
    let max = grouped(request.dashboard.parts.api.radar.watched_max);
    let body = html! {
        (register_links(request, account, register))
        p.count { (fill(words.watch_count, [grouped(watched), max])) }
        @if authorize_radar(account).is_err() {
            p.hint { (words.needs_premium) }
        } @else if webhook.is_none() {
            p.hint {
                (words.watch_needs_webhook) " "
                a href=(layout::account_page(account.id, "webhook")) { (words.webhook) }
            }
        } @else {
            (change_form(request, account, register, is_done))
        }
        (watched_numbers(request, account, register, &listed, prefix))
    };
    Page { title: words.watch, account: Some(account), notice, body }.reply(request)
}

/// The links to the two lists.
fn register_links(request: &SignedIn<'_>, account: &Account, shown: Register) -> Markup {
    let words = request.words;
    let path = layout::account_page(account.id, "watch");
    let name = |register| match register {
        Register::Corporate => words.corporations,
        Register::Invoice => words.invoice_issuers,
    };
    html! {
        nav.tabs aria-label=(words.watch) {
            ul {
                @for register in Register::ALL {
                    li {
                        a href={ (path) "?register=" (register) }
                            aria-current=[(register == shown).then_some("page")] {
                            (name(register))
                        }
                    }
                }
            }
        }
    }
}

/// The form that adds and removes numbers. It keeps a list that was refused, unless it is very long.
fn change_form(
    request: &SignedIn<'_>,
    account: &Account,
    register: Register,
    is_done: bool,
) -> Markup {
    let words = request.words;
    let typed = request.field("numbers");
    let typed = if is_done || typed.len() > 10_000 { "" } else { typed };
    let (label, placeholder) = match register {
        Register::Corporate => (words.watch_numbers, "7000012050002"),
        Register::Invoice => (words.watch_issuer_numbers, "T7000012050002"),
    };
    html! {
        form.card method="post" action=(layout::account_page(account.id, "watch")) {
            (request.token_field())
            input type="hidden" name="register" value=(register);
            label {
                (label)
                textarea id="numbers" name="numbers" rows="5" spellcheck="false"
                    placeholder=(placeholder) aria-describedby="numbers-hint" { (typed) }
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
    register: Register,
    listed: &[CorporateNumber],
    prefix: &str,
) -> Markup {
    let words = request.words;
    let path = layout::account_page(account.id, "watch");
    let served = request.dashboard.parts.api.data.load();
    let (title, number_heading) = match register {
        Register::Corporate => (words.watched, words.corporate_number),
        Register::Invoice => (words.watched_issuers, words.registration_number),
    };
    let headings = [number_heading, words.name];
    let rows = html! {
        @for number in listed {
            tr {
                td { code { (register.number_text(*number)) } }
                td { (name_of(&served, register, *number)) }
            }
        }
    };
    html! {
        section {
            h2 { (title) }
            form.bar method="get" action=(path) role="search" {
                input type="hidden" name="register" value=(register);
                label {
                    (words.watch_search)
                    input type="search" name="prefix" maxlength="14" value=(prefix);
                }
                button.quiet { (words.search) }
                a href={ (layout::account_page(account.id, "watch.csv")) "?register=" (register) }
                    download { (words.export) }
            }
            @if listed.is_empty() {
                p { (words.no_matching_numbers) }
            } @else {
                (table(None, &headings, &[], &rows))
            }
            @if let Some(last) = listed.last().filter(|_| listed.len() == PAGE_LENGTH as usize) {
                p {
                    a href={
                        (path) "?register=" (register) "&prefix=" (encode(prefix)) "&after=" (last)
                    } {
                        (words.next_page)
                    }
                }
            }
        }
    }
}

/// The name of an entry in the newest data; empty if it is not in them.
fn name_of(data: &Data, register: Register, number: CorporateNumber) -> String {
    let name = match register {
        Register::Corporate => data.catalog.corporate().latest().and_then(|data| {
            let view = data.lookup(number).ok().flatten()?;
            Some(view.name().to_string())
        }),
        Register::Invoice => data.catalog.invoice().latest().and_then(|data| {
            let view = data.lookup(InvoiceNumber::from_corporate(number)).ok().flatten()?;
            Some(view.name().text.to_owned())
        }),
    };
    name.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::words::ENGLISH;

    #[track_caller]
    fn check(register: Register, text: &str, expected: &[u64], left_out: &[(u64, &str)]) {
        let list = read_list(register, text).expect("a list");
        let numbers: Vec<u64> = list.numbers.iter().map(|it| it.number()).collect();
        let found: Vec<(u64, &str)> =
            list.left_out.iter().map(|entry| (entry.line, entry.text.as_str())).collect();
        assert_eq!((&numbers[..], &found[..]), (expected, left_out), "{text}");
    }

    #[test]
    fn a_list_is_read_however_it_is_separated() {
        let (one, other) = (7_000_012_050_002, 6_010_001_999_901);
        let check = |text: &str, expected: &[u64], left_out: &[(u64, &str)]| {
            check(Register::Corporate, text, expected, left_out);
        };
        check("", &[], &[]);
        check("7000012050002", &[one], &[]);
        check("\u{feff}corporate_number\r\n7000012050002\r\n6010001999901\r\n", &[other, one], &[]);
        check("7000012050002, 6010001999901\n", &[other, one], &[]);
        check(
            "7000012050002、6010001999901　T7000012050002",
            &[other, one],
            &[(3, "T7000012050002")],
        );
        check("7000012050003", &[], &[(1, "7000012050003")]);
        check("7000012050002 x 12", &[one], &[(2, "x"), (3, "12")]);
    }

    #[test]
    fn a_csv_is_read_by_its_column_for_either_register() {
        let csv = "取引先,電話番号,登録番号,法人番号\n\
                   台帳,0312345678,T6010001999901,6010001999901\n\
                   一太郎,0312345679,T9810999999902,\n\
                   商事,,未登録,7000012050002\n";
        let invoice = [6_010_001_999_901, 9_810_999_999_902];
        check(Register::Invoice, csv, &invoice, &[(4, "未登録")]);
        check(Register::Corporate, csv, &[6_010_001_999_901, 7_000_012_050_002], &[]);
        // Registration numbers of corporations are corporate numbers, too.
        let csv = "取引先,登録番号\n台帳,T6010001999901\n一太郎,T9810999999902\n";
        let left_out = [(3, "T9810999999902")];
        check(Register::Corporate, csv, &[6_010_001_999_901], &left_out);
        let csv = "取引先,法人番号\n台帳,6010001999901\n";
        check(Register::Invoice, csv, &[6_010_001_999_901], &[]);
    }

    #[test]
    fn the_notice_says_what_was_left_out() {
        let text = |register, list: &str| {
            left_out_text(&ENGLISH, &read_list(register, list).expect("a list"))
        };
        assert_eq!(text(Register::Corporate, "7000012050002"), "");
        let found = text(Register::Corporate, "7000012050002\n7000012050003\nx");
        let expected = "2 entries were left out: line 2 7000012050003 (wrong check digit), \
                        line 3 x (no number of 13 digits)";
        assert_eq!(found, expected);
        let found = text(Register::Invoice, "T7000012050003");
        assert!(found.contains("line 1 T7000012050003"), "{found}");
        let many = text(Register::Corporate, &"7010001\n".repeat(1000));
        assert!(many.starts_with("1,000 entries") && many.ends_with("…"), "{many}");
        assert!(many.len() < 600, "{many}");
    }
}
