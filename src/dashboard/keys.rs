//! The keys of an account: make one and see it once, say where a public one works, revoke.

use super::data::minute;
use super::html::{Html, html};
use super::layout::Page;
use super::random;
use super::route::{Path, Tab, account as account_path};
use super::visit::{Fault, Guest, Handled, Notice, Visit};
use crate::account::store::{KeyRecord, KeySelector, NewKey, ORIGINS_MAX, StoreError};
use crate::account::{Account, ApiKey, KeyId, KeyKind, Origin};

/// The page.
pub fn show(visit: &Visit<'_>, guest: &Guest, account: &Account) -> Handled {
    page(visit, guest, account, None, None)
}

/// Does what the form's `action` says.
pub fn act(visit: &Visit<'_>, guest: &Guest, account: &Account) -> Handled {
    let words = visit.words();
    match visit.field("action") {
        "create" => create(visit, guest, account),
        "origins" => {
            let done = key_of(visit, account)?.map(|key| set_origins(visit, account, key));
            let notice = done.unwrap_or_else(|| Ok(Notice::Refused(words.no_key.to_owned())))?;
            page(visit, guest, account, Some(notice), None)
        }
        "revoke" => {
            let notice = match key_of(visit, account)? {
                Some(key) => {
                    let which = KeySelector::Id(key);
                    visit.dashboard.store.run(|store| store.revoke_key(&which, visit.now))?;
                    Notice::Done(words.key_revoked.to_owned())
                }
                None => Notice::Refused(words.no_key.to_owned()),
            };
            page(visit, guest, account, Some(notice), None)
        }
        _ => Err(Fault::BadForm(words.no_action.to_owned())),
    }
}

fn create(visit: &Visit<'_>, guest: &Guest, account: &Account) -> Handled {
    let words = visit.words();
    let refuse = |text: String| page(visit, guest, account, Some(Notice::Refused(text)), None);
    let Some(kind) = KeyKind::parse(visit.field("kind")) else {
        return refuse(words.choose_kind.to_owned());
    };
    let origins = match origins(visit.field("origins")) {
        Ok(origins) => origins,
        Err(found) => return refuse(format!("{} {found}", words.bad_origin)),
    };
    if kind == KeyKind::Secret && !origins.is_empty() {
        return refuse(words.secret_has_no_origins.to_owned());
    }
    let key = ApiKey::generate(kind, random()?);
    let new = NewKey { account: &account.name, key: &key, origins: &origins };
    visit.dashboard.store.run(|store| store.create_key(&new, visit.now))?;
    let notice = Notice::Done(words.key_made.to_owned());
    page(visit, guest, account, Some(notice), Some(&key))
}

/// The key that a form names, where it is one of this account's.
fn key_of(visit: &Visit<'_>, account: &Account) -> Result<Option<KeyId>, StoreError> {
    let Ok(id) = visit.field("key").parse().map(KeyId) else { return Ok(None) };
    let keys = visit.dashboard.store.run(|store| store.keys(Some(&account.name)))?;
    Ok(keys.iter().any(|key| key.id == id).then_some(id))
}

fn set_origins(visit: &Visit<'_>, account: &Account, key: KeyId) -> Result<Notice, StoreError> {
    let words = visit.words();
    let origins = match origins(visit.field("origins")) {
        Ok(origins) => origins,
        Err(found) => return Ok(Notice::Refused(format!("{} {found}", words.bad_origin))),
    };
    match visit.dashboard.store.run(|store| store.set_origins(&account.name, key, &origins)) {
        Ok(()) => Ok(Notice::Done(words.saved.to_owned())),
        Err(StoreError::OriginsOnSecretKey { .. }) => {
            Ok(Notice::Refused(words.secret_has_no_origins.to_owned()))
        }
        Err(StoreError::NoSuchKey { .. }) => Ok(Notice::Refused(words.no_key.to_owned())),
        Err(error) => Err(error),
    }
}

/// The origins of a form, one a line; the first that is none as an error.
fn origins(text: &str) -> Result<Vec<Origin>, String> {
    let lines = text.split(['\n', '\r', ',']).map(str::trim).filter(|line| !line.is_empty());
    let origins: Result<Vec<Origin>, _> = lines.map(Origin::parse).collect();
    let origins = origins.map_err(|error| error.to_string())?;
    if origins.len() > ORIGINS_MAX {
        return Err(StoreError::TooManyOrigins { found: origins.len() }.to_string());
    }
    Ok(origins)
}

fn page(
    visit: &Visit<'_>,
    guest: &Guest,
    account: &Account,
    notice: Option<Notice>,
    made: Option<&ApiKey>,
) -> Handled {
    let words = visit.words();
    let keys = visit.dashboard.store.run(|store| store.keys(Some(&account.name)))?;
    let (live, revoked): (Vec<_>, Vec<_>) = keys.iter().partition(|key| key.revoked_at.is_none());
    let mut body = Html::empty();
    if let Some(key) = made {
        html!(&mut body, "<section class=\"once\" aria-label=\"" (words.new_key) "\"><p>" (words.shown_once)
            "</p><p class=\"secret\"><code id=\"made\">" (key.reveal())
            "</code><button type=\"button\" class=\"copy\" data-copy hidden>" (words.copy)
            "</button></p></section>");
    }
    html!(&mut body, "<section><h2>" (words.live_keys) "</h2>");
    if live.is_empty() {
        html!(&mut body, "<p>" (words.no_keys) "</p>");
    }
    html!(&mut body, "<ul class=\"cards\">");
    for key in live.iter().rev() {
        card(&mut body, visit, guest, account, key);
    }
    html!(&mut body, "</ul></section>");
    form(&mut body, visit, guest, account, made.is_some());
    if !revoked.is_empty() {
        html!(&mut body, "<details><summary>" (words.revoked_keys) " (" (revoked.len())
            ")</summary><div class=\"scroll\"><table><thead><tr><th scope=\"col\">" (words.key)
            "</th><th scope=\"col\">" (words.made_at) "</th><th scope=\"col\">" (words.revoked_at)
            "</th></tr></thead><tbody>");
        for key in revoked.iter().rev() {
            let at = key.revoked_at.map_or_else(String::new, minute);
            html!(&mut body, "<tr><td><code>" (key.label) "…</code></td><td>" (minute(key.created_at))
                "</td><td>" (at) "</td></tr>");
        }
        html!(&mut body, "</tbody></table></div></details>");
    }
    let path = Path::Account(account.id, Tab::Keys);
    let page = Page { title: words.keys, path, about: Some(account), notice, body };
    Ok(page.answer(visit, guest))
}

/// One live key.
fn card(out: &mut Html, visit: &Visit<'_>, guest: &Guest, account: &Account, key: &KeyRecord) {
    let words = visit.words();
    let path = account_path(account.id, Tab::Keys);
    let kind = match key.kind {
        KeyKind::Public => words.public_key,
        KeyKind::Secret => words.secret_key,
    };
    html!(out, "<li class=\"card\"><div class=\"row\"><code>" (key.label) "…</code><span class=\"badge\">"
        (kind) "</span><span class=\"hint\">" (words.number) " " (key.id) " · " (words.made_at) " "
        (minute(key.created_at)) "</span></div>");
    if key.kind == KeyKind::Public {
        let lines: Vec<&str> = key.origins.iter().map(Origin::as_str).collect();
        html!(out, "<form method=\"post\" action=\"" (path) "\">" (guest.form_token())
            "<input type=\"hidden\" name=\"action\" value=\"origins\">\
            <input type=\"hidden\" name=\"key\" value=\"" (key.id) "\"><label>" (words.origins)
            "<textarea name=\"origins\" rows=\"" (lines.len().clamp(1, 6)) "\" spellcheck=\"false\">"
            (lines.join("\n")) "</textarea></label><button class=\"quiet\">" (words.save)
            "</button>");
        if lines.is_empty() {
            html!(out, "<span class=\"hint\">" (words.loopback_only) "</span>");
        }
        html!(out, "</form>");
    }
    html!(out, "<form method=\"post\" action=\"" (path) "\" data-confirm=\"" (words.revoke_sure) "\">"
        (guest.form_token()) "<input type=\"hidden\" name=\"action\" value=\"revoke\">\
        <input type=\"hidden\" name=\"key\" value=\"" (key.id)
        "\"><button class=\"danger\" aria-label=\"" (words.revoke) " " (key.label) "\">" (words.revoke)
        "</button></form></li>");
}

/// The form that makes a key.
fn form(out: &mut Html, visit: &Visit<'_>, guest: &Guest, account: &Account, is_done: bool) {
    let words = visit.words();
    // What was refused stays in the form; what was done does not.
    let origins = match visit.field("action") {
        "create" if !is_done => visit.field("origins"),
        _ => "",
    };
    let is_public = visit.field("kind") == "public" && !is_done;
    html!(out, "<section><h2>" (words.make_key) "</h2><form method=\"post\" action=\""
        (account_path(account.id, Tab::Keys)) "\" class=\"card\">" (guest.form_token())
        "<input type=\"hidden\" name=\"action\" value=\"create\"><fieldset><legend>" (words.key_kind)
        "</legend>");
    for (kind, name, hint) in [
        (KeyKind::Secret, words.secret_key, words.secret_hint),
        (KeyKind::Public, words.public_key, words.public_hint),
    ] {
        html!(out, "<label class=\"choice\"><input type=\"radio\" name=\"kind\" value=\"" (kind) "\"");
        if (kind == KeyKind::Public) == is_public {
            html!(out, " checked");
        }
        html!(out, "><span><b>" (name) "</b> " (hint) "</span></label>");
    }
    html!(out, "</fieldset><label>" (words.origins)
        "<textarea name=\"origins\" rows=\"2\" spellcheck=\"false\" placeholder=\"https://www.example.com\" \
        aria-describedby=\"origins-hint\">" (origins) "</textarea></label><p class=\"hint\" id=\"origins-hint\">"
        (words.origins_hint) "</p><button>" (words.make_key) "</button></form></section>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_one_a_line_and_the_first_wrong_one_is_named() {
        let found = origins("https://a.example\r\n\r\n  http://localhost:3000 ,https://b.example/");
        let found = found.expect("origins");
        let texts: Vec<&str> = found.iter().map(Origin::as_str).collect();
        assert_eq!(texts, ["https://a.example", "http://localhost:3000", "https://b.example"]);
        assert!(origins("").expect("none").is_empty());
        let fault = origins("https://a.example\nexample.com").expect_err("no origin");
        assert!(fault.contains("example.com"), "{fault}");
        let many = "https://a.example\n".repeat(ORIGINS_MAX + 1);
        assert!(origins(&many).is_err());
    }
}
