//! The keys of an account. The page creates a key and shows it once, changes its label and the origins of a public key,
//! disables it, and for a minute enables it again.

use crate::account::store::{KeyRecord, NewKey, StoreError};
use crate::account::{
    Account, ApiKey, KEY_LABEL_LENGTH_MAX, KeyEnd, KeyId, KeyKind, KeyLabel, ORIGINS_MAX, Origin,
};
use crate::dashboard::prelude::*;

pub fn change(request: &SignedIn<'_>, account: &Account) -> Result<Notice, PageError> {
    match request.field("action") {
        "create" => create(request, account),
        "save" => save(request, account),
        "disable" => disable(request, account),
        "enable" => enable(request, account),
        _ => Err(PageError::refused(request.words.no_action)),
    }
}

fn create(request: &SignedIn<'_>, account: &Account) -> Result<Notice, PageError> {
    let words = request.words;
    let kind = KeyKind::parse(request.field("kind"))
        .ok_or_else(|| PageError::refused(words.choose_kind))?;
    let origins = origins_field(request)?;
    if kind == KeyKind::Secret && !origins.is_empty() {
        return Err(PageError::refused(words.secret_has_no_origins));
    }
    let label = label_field(request)?;
    let expires_at = match request.field("expires") {
        "" => None,
        text => {
            let end = KeyEnd::parse(text).and_then(|end| end.at(request.now));
            Some(end.map_err(|error| PageError::refused_for(words.bad_expiry, error))?)
        }
    };
    let key = ApiKey::generate(kind, random()?);
    let new = NewKey {
        account: &account.name,
        key: &key,
        label: label.as_ref(),
        origins: &origins,
        expires_at,
    };
    let keys_max = request.dashboard.parts.keys_max;
    request.change_store(|store| store.create_key(&new, keys_max, request.now))?;
    Ok(Notice::Secret { text: words.key_created.to_owned(), secret: key.reveal().to_owned() })
}

/// Sets the label, and the origins of a public key.
fn save(request: &SignedIn<'_>, account: &Account) -> Result<Notice, PageError> {
    let key = key_field(request)?;
    let (label, name) = (label_field(request)?, &account.name);
    if request.is_checked("origins") {
        let origins = origins_field(request)?;
        request.change_store(|store| store.set_origins(name, key, &origins))?;
    }
    request.change_store(|store| store.set_label(name, key, label.as_ref()))?;
    Ok(Notice::done(request.words.saved))
}

fn disable(request: &SignedIn<'_>, account: &Account) -> Result<Notice, PageError> {
    let key = key_field(request)?;
    request
        .change_store(|store| store.disable_key(&account.name, key, request.who, request.now))?;
    Ok(Notice::done(request.words.key_disabled))
}

fn enable(request: &SignedIn<'_>, account: &Account) -> Result<Notice, PageError> {
    let key = key_field(request)?;
    let enabled =
        request.with_store(|store| store.enable_key(&account.name, key, request.who, request.now));
    match enabled {
        Err(StoreError::NoSuchKey { .. }) => Err(PageError::refused(request.words.undo_too_late)),
        enabled => Ok(enabled.map(|()| Notice::done(request.words.key_enabled))?),
    }
}

/// The key that the form names. The store checks that the account owns it.
fn key_field(request: &SignedIn<'_>) -> Result<KeyId, PageError> {
    let id = request.field("key").parse().map(KeyId);
    id.map_err(|_none| PageError::refused(request.words.no_key))
}

/// The label of a form; `None` if the field is empty.
fn label_field(request: &SignedIn<'_>) -> Result<Option<KeyLabel>, PageError> {
    let text = request.field("label").trim();
    let label = (!text.is_empty()).then(|| KeyLabel::parse(text)).transpose();
    label.map_err(|error| PageError::refused_for(request.words.bad_label, error))
}

fn origins_field(request: &SignedIn<'_>) -> Result<Vec<Origin>, PageError> {
    parse_origins(request.field("origins"))
        .map_err(|error| PageError::refused_for(request.words.bad_origin, error))
}

/// Parses origins, separated by line breaks or commas. The error is about the first that is invalid.
fn parse_origins(text: &str) -> Result<Vec<Origin>, String> {
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
    let path = layout::account_page(account.id, "keys");
    let keys = request.with_store(|store| store.keys(Some(&account.name)))?;
    let (active, revoked): (Vec<_>, Vec<_>) = keys.iter().partition(|key| key.revoked_at.is_none());
    let body = html! {
        @if let Some(key) = notice.as_ref().and_then(Notice::secret) {
            (secret_shown_once(words, words.new_key, words.key_shown_once, key))
        }
        @for key in revoked.iter().filter(|key| key.can_be_enabled(request.who, request.now)) {
            (undo_form(request, &path, key))
        }
        section {
            h2 { (words.active_keys) }
            @if active.is_empty() { p { (words.no_keys) } }
            ul.cards {
                @for key in active.iter().rev() { (key_card(request, &path, key)) }
            }
        }
        (create_form(request, &path, matches!(notice, Some(Notice::Secret { .. }))))
        @if !revoked.is_empty() { (revoked_table(words, &revoked)) }
    };
    Page { title: words.keys, account: Some(account), notice, body }.reply(request)
}

/// The button that enables a key that was just disabled.
fn undo_form(request: &SignedIn<'_>, path: &str, key: &KeyRecord) -> Markup {
    let words = request.words;
    html! {
        form.bar.undo method="post" action=(path) {
            (key_fields(request, "enable", key))
            span {
                code { (key.beginning) "…" } " "
                @if let Some(label) = &key.label { b { (label) } " " }
                (words.undo_hint)
            }
            button.quiet aria-label={ (words.undo) " " (key.beginning) } { (words.undo) }
        }
    }
}

fn kind_name(words: &Words, kind: KeyKind) -> &'static str {
    match kind {
        KeyKind::Public => words.public_key,
        KeyKind::Secret => words.secret_key,
    }
}

fn key_card(request: &SignedIn<'_>, path: &str, key: &KeyRecord) -> Markup {
    let words = request.words;
    let origins: Vec<&str> = key.origins.iter().map(Origin::as_str).collect();
    html! {
        li.card {
            div.row {
                code { (key.beginning) "…" }
                @if let Some(label) = &key.label { b { (label) } }
                span.badge { (kind_name(words, key.kind)) }
                @if key.expires_at.is_some_and(|at| at <= request.now) {
                    span.badge.fault { (words.expired) }
                }
                // A form of its own, so that it is apart from the save button.
                form.apart method="post" action=(path) {
                    (key_fields(request, "disable", key))
                    button.danger aria-label={ (words.disable) " " (key.beginning) } { (words.disable) }
                }
            }
            p.hint {
                (words.id) " " (key.id) " · " (words.created) " " (format_minute(key.created_at)) " · "
                (words.last_use) " " (key.used_at.map_or_else(|| words.never.to_owned(), format_hour))
                @if let Some(address) = key.used_from { " (" (address) ")" }
                @if let Some(at) = key.expires_at { " · " (words.expires) " " (format_minute(at)) }
            }
            form method="post" action=(path) {
                (key_fields(request, "save", key))
                (label_input(words, key.label.as_ref().map_or("", KeyLabel::as_str)))
                @if key.kind == KeyKind::Public {
                    label {
                        (words.origins)
                        textarea name="origins" rows=(origins.len().clamp(1, 6)) spellcheck="false" {
                            (origins.join("\n"))
                        }
                    }
                }
                button.quiet { (words.save) }
                @if key.kind == KeyKind::Public && origins.is_empty() {
                    span.hint { (words.loopback_only) }
                }
            }
        }
    }
}

/// The hidden fields of a form about one key.
fn key_fields(request: &SignedIn<'_>, action: &str, key: &KeyRecord) -> Markup {
    html! { (request.action_fields(action)) input type="hidden" name="key" value=(key.id); }
}

fn label_input(words: &Words, label: &str) -> Markup {
    html! {
        label {
            (words.key_label)
            input name="label" value=(label) maxlength=(KEY_LABEL_LENGTH_MAX) autocomplete="off"
                placeholder=(words.key_label_example);
        }
    }
}

/// The form that creates a key. It keeps input that was refused.
fn create_form(request: &SignedIn<'_>, path: &str, is_done: bool) -> Markup {
    let words = request.words;
    let typed = |name| match request.field("action") {
        "create" if !is_done => request.field(name),
        _ => "",
    };
    let is_public = typed("kind") == "public";
    let kinds = [
        (KeyKind::Secret, words.secret_hint, !is_public),
        (KeyKind::Public, words.public_hint, is_public),
    ];
    html! {
        section {
            h2 { (words.create_key) }
            form.card method="post" action=(path) {
                (request.action_fields("create"))
                fieldset {
                    legend { (words.key_kind) }
                    @for (kind, hint, is_chosen) in kinds {
                        label.choice {
                            input type="radio" name="kind" value=(kind) checked[is_chosen];
                            span { b { (kind_name(words, kind)) } " " (hint) }
                        }
                    }
                }
                (label_input(words, typed("label")))
                label {
                    (words.origins)
                    textarea name="origins" rows="2" spellcheck="false"
                        placeholder="https://www.example.com" aria-describedby="origins-hint" {
                        (typed("origins"))
                    }
                }
                p.hint id="origins-hint" { (words.origins_hint) }
                label {
                    (words.expires)
                    input type="date" name="expires" value=(typed("expires"))
                        aria-describedby="expires-hint";
                }
                p.hint id="expires-hint" { (words.expires_hint) }
                button { (words.create_key) }
            }
        }
    }
}

fn revoked_table(words: &Words, revoked: &[&KeyRecord]) -> Markup {
    let headings = [words.key, words.key_label, words.created, words.last_use, words.revoked];
    let rows = html! {
        @for key in revoked.iter().rev() {
            tr {
                td { code { (key.beginning) "…" } }
                td { (key.label.as_ref().map_or(NO_VALUE, KeyLabel::as_str)) }
                td { (format_minute(key.created_at)) }
                td { (key.used_at.map_or_else(|| NO_VALUE.to_owned(), format_hour)) }
                td { (key.revoked_at.map_or_else(String::new, format_minute)) }
            }
        }
    };
    html! {
        details {
            summary { (words.revoked_keys) " (" (revoked.len()) ")" }
            (table(Some("lines"), &headings, &[], &rows))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_one_per_line_and_the_first_invalid_one_is_named() {
        let found =
            parse_origins("https://a.example\r\n\r\n  http://localhost:3000 ,https://b.example/");
        let found = found.expect("origins");
        let texts: Vec<&str> = found.iter().map(Origin::as_str).collect();
        assert_eq!(texts, ["https://a.example", "http://localhost:3000", "https://b.example"]);
        assert!(parse_origins("").expect("none").is_empty());
        let fault = parse_origins("https://a.example\nexample.com").expect_err("no origin");
        assert!(fault.contains("example.com"), "{fault}");
        let many = "https://a.example\n".repeat(ORIGINS_MAX + 1);
        assert!(parse_origins(&many).is_err());
    }
}
