//! The keys of an account: create one and see it once, change the origins of a public key, revoke.

use crate::account::store::{KeyRecord, NewKey, StoreError};
use crate::account::{Account, ApiKey, KeyId, KeyKind, Origin};
use crate::account::{KeySelector, ORIGINS_MAX};
use crate::dashboard::prelude::*;

pub fn change(request: &SignedIn<'_>, account: &Account) -> Result<Notice, PageError> {
    match request.field("action") {
        "create" => create(request, account),
        "origins" => set_origins(request, account),
        "revoke" => revoke(request, account),
        _ => Err(PageError::refused(request.words.no_action)),
    }
}

fn create(request: &SignedIn<'_>, account: &Account) -> Result<Notice, PageError> {
    let words = request.words;
    let kind = KeyKind::parse(request.field("kind"))
        .ok_or_else(|| PageError::refused(words.choose_kind))?;
    let origins = origins_of(request)?;
    if kind == KeyKind::Secret && !origins.is_empty() {
        return Err(PageError::refused(words.secret_has_no_origins));
    }
    let key = ApiKey::generate(kind, random()?);
    let new = NewKey { account: &account.name, key: &key, label: None, origins: &origins };
    request.change(|store| store.create_key(&new, request.now))?;
    Ok(Notice::Secret(words.key_created.to_owned(), key.reveal().to_owned()))
}

fn set_origins(request: &SignedIn<'_>, account: &Account) -> Result<Notice, PageError> {
    let key = key_of(request, account)?;
    let origins = origins_of(request)?;
    request.change(|store| store.set_origins(&account.name, key, &origins))?;
    Ok(Notice::done(request.words.saved))
}

fn revoke(request: &SignedIn<'_>, account: &Account) -> Result<Notice, PageError> {
    let key = KeySelector::Id(key_of(request, account)?);
    request.change(|store| store.revoke_key(&key, request.now))?;
    Ok(Notice::done(request.words.key_revoked))
}

/// The key that the form names, if it is one of this account's.
fn key_of(request: &SignedIn<'_>, account: &Account) -> Result<KeyId, PageError> {
    let keys = request.store(|store| store.keys(Some(&account.name)))?;
    let id = request.field("key").parse().map(KeyId).ok();
    let id = id.filter(|id| keys.iter().any(|key| key.id == *id));
    id.ok_or_else(|| PageError::refused(request.words.no_key))
}

fn origins_of(request: &SignedIn<'_>) -> Result<Vec<Origin>, PageError> {
    origins(request.field("origins"))
        .map_err(|error| PageError::refused_for(request.words.bad_origin, error))
}

/// The origins of a form, one per line; the error is about the first that is invalid.
fn origins(text: &str) -> Result<Vec<Origin>, String> {
    let lines = text.split(['\n', '\r', ',']).map(str::trim).filter(|line| !line.is_empty());
    let origins: Result<Vec<Origin>, _> = lines.map(Origin::parse).collect();
    let origins = origins.map_err(|error| error.to_string())?;
    if origins.len() > ORIGINS_MAX {
        return Err(StoreError::TooManyOrigins { found: origins.len() }.to_string());
    }
    Ok(origins)
}

pub fn page(request: &SignedIn<'_>, account: &Account, notice: Option<Notice>) -> PageResult {
    let words = request.words;
    let path = paths::account(account.id, "keys");
    let keys = request.store(|store| store.keys(Some(&account.name)))?;
    let (active, revoked): (Vec<_>, Vec<_>) = keys.iter().partition(|key| key.revoked_at.is_none());
    let body = html! {
        @if let Some(key) = notice.as_ref().and_then(Notice::secret) {
            (shown_once(words, words.new_key, words.shown_once, key))
        }
        section {
            h2 { (words.active_keys) }
            @if active.is_empty() { p { (words.no_keys) } }
            ul.cards {
                @for key in active.iter().rev() { (card(request, &path, key)) }
            }
        }
        (form(request, &path, matches!(notice, Some(Notice::Secret(..)))))
        @if !revoked.is_empty() { (revoked_table(words, &revoked)) }
    };
    Page { title: words.keys, about: Some(account), notice, body }.reply(request)
}

fn kind_name(words: &Words, kind: KeyKind) -> &'static str {
    match kind {
        KeyKind::Public => words.public_key,
        KeyKind::Secret => words.secret_key,
    }
}

fn card(request: &SignedIn<'_>, path: &str, key: &KeyRecord) -> Markup {
    let words = request.words;
    let origins: Vec<&str> = key.origins.iter().map(Origin::as_str).collect();
    html! {
        li.card {
            div.row {
                code { (key.beginning) "…" }
                span.badge { (kind_name(words, key.kind)) }
                span.hint {
                    (words.id) " " (key.id) " · " (words.created) " " (minute(key.created_at))
                }
            }
            @if key.kind == KeyKind::Public {
                form method="post" action=(path) {
                    (request.form_action("origins"))
                    input type="hidden" name="key" value=(key.id);
                    label {
                        (words.origins)
                        textarea name="origins" rows=(origins.len().clamp(1, 6)) spellcheck="false" {
                            (origins.join("\n"))
                        }
                    }
                    button.quiet { (words.save) }
                    @if origins.is_empty() { span.hint { (words.loopback_only) } }
                }
            }
            form method="post" action=(path) data-confirm=(words.revoke_sure) {
                (request.form_action("revoke"))
                input type="hidden" name="key" value=(key.id);
                button.danger aria-label={ (words.revoke) " " (key.beginning) } { (words.revoke) }
            }
        }
    }
}

/// The form that creates a key. It keeps what was refused.
fn form(request: &SignedIn<'_>, path: &str, is_done: bool) -> Markup {
    let words = request.words;
    let origins = match request.field("action") {
        "create" if !is_done => request.field("origins"),
        _ => "",
    };
    let is_public = request.field("kind") == "public" && !is_done;
    let kinds = [
        (KeyKind::Secret, words.secret_hint, !is_public),
        (KeyKind::Public, words.public_hint, is_public),
    ];
    html! {
        section {
            h2 { (words.create_key) }
            form.card method="post" action=(path) {
                (request.form_action("create"))
                fieldset {
                    legend { (words.key_kind) }
                    @for (kind, hint, is_chosen) in kinds {
                        label.choice {
                            input type="radio" name="kind" value=(kind) checked[is_chosen];
                            span { b { (kind_name(words, kind)) } " " (hint) }
                        }
                    }
                }
                label {
                    (words.origins)
                    textarea name="origins" rows="2" spellcheck="false"
                        placeholder="https://www.example.com" aria-describedby="origins-hint" {
                        (origins)
                    }
                }
                p.hint id="origins-hint" { (words.origins_hint) }
                button { (words.create_key) }
            }
        }
    }
}

fn revoked_table(words: &Words, revoked: &[&KeyRecord]) -> Markup {
    let headings = [words.key, words.created, words.revoked];
    let rows = html! {
        @for key in revoked.iter().rev() {
            tr {
                td { code { (key.beginning) "…" } } td { (minute(key.created_at)) }
                td { (key.revoked_at.map_or_else(String::new, minute)) }
            }
        }
    };
    html! {
        details {
            summary { (words.revoked_keys) " (" (revoked.len()) ")" }
            (table(None, &headings, &[], &rows))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_one_per_line_and_the_first_invalid_one_is_named() {
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
