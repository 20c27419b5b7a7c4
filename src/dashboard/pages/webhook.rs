//! The webhook of an account: its URL, its signing secret, a test, and the latest deliveries.
//!
//! A secret is shown only when it is created. This page only queues deliveries; any server may claim and send them.

use hyper::StatusCode;

use crate::account::store::Store;
use crate::account::{Account, authorize_radar};
use crate::calendar::day_in_japan;
use crate::dashboard::prelude::*;
use crate::radar::delivery::{self, AttemptRecord, Delivery, DeliveryKind, DeliveryState};
use crate::radar::registration::{self, Webhook};
use crate::radar::webhook::{DeliveryId, Secret, WebhookUrl};
use crate::text::codes::Register;

/// Deliveries on the page.
const DELIVERIES_MAX: u32 = 20;

/// Seconds between two refreshes of the deliveries.
const REFRESH_SECONDS: u32 = 3;

pub fn change(request: &SignedIn<'_>, account: &Account) -> Result<Notice, PageError> {
    let (words, id, now) = (request.words, account.id, request.now);
    if authorize_radar(account).is_err() {
        return Err(PageError::refused(words.needs_premium));
    }
    match request.field("action") {
        "url" => set_url(request, account),
        "rotate" => {
            let secret = Secret::from_random(random()?);
            let cipher = &request.dashboard.parts.cipher;
            request.change_store(|store| {
                registration::rotate_secret(store, cipher, id, &secret, now)
            })?;
            Ok(Notice::Secret { text: words.secret_rotated.to_owned(), secret: secret.reveal() })
        }
        "remove" => {
            request.change_store(|store| registration::remove(store, id, now))?;
            Ok(Notice::done(words.webhook_removed))
        }
        "test" => {
            let delivery = DeliveryId::from_random(random()?);
            let day = day_in_japan(now).ok_or_else(|| {
                PageError::system("the system clock is wrong: expected a year from 1 to 9999")
            })?;
            request.change_store(|store| delivery::create_test(store, &delivery, id, day, now))?;
            Ok(Notice::done(words.test_queued))
        }
        "redeliver" => {
            let delivery = DeliveryId::parse(request.field("delivery"))
                .map_err(|_malformed| PageError::refused(words.no_delivery))?;
            request.change_store(|store| delivery::redeliver(store, &delivery, Some(id), now))?;
            Ok(Notice::done(words.redelivery_queued))
        }
        _ => Err(PageError::refused(words.no_action)),
    }
}

/// Sets the URL. A new webhook gets a secret, which the notice shows.
fn set_url(request: &SignedIn<'_>, account: &Account) -> Result<Notice, PageError> {
    let words = request.words;
    let url = WebhookUrl::parse(request.field("url").trim())
        .map_err(|error| PageError::refused_for(words.bad_url, error))?;
    let secret = Secret::from_random(random()?);
    let (id, now, cipher) = (account.id, request.now, &request.dashboard.parts.cipher);
    let set_url = |store: &mut Store| registration::set_url(store, cipher, id, &url, &secret, now);
    let (_webhook, is_new) = request.change_store(set_url)?;
    Ok(match is_new {
        true => Notice::Secret { text: words.saved.to_owned(), secret: secret.reveal() },
        false => Notice::done(words.saved),
    })
}

pub fn page(request: &SignedIn<'_>, account: &Account, notice: Option<Notice>) -> PageResult {
    if notice.is_none() && request.wants_fragment() {
        return Ok(Reply::page(StatusCode::OK, delivery_table(request, account)?));
    }
    let words = request.words;
    let webhook = request.with_store(|store| registration::find(store, account.id))?;
    let path = layout::account_page(account.id, "webhook");
    let body = html! {
        @if let Some(secret) = notice.as_ref().and_then(Notice::secret) {
            (secret_shown_once(words, words.webhook_secret, words.webhook_secret_shown_once, secret))
        }
        @if authorize_radar(account).is_ok() {
            (forms(request, &path, webhook.as_ref()))
        } @else {
            p.hint { (words.needs_premium) }
        }
        section {
            h2 { (words.deliveries) }
            div data-refresh={ (path) "?fragment=1" } data-seconds=(REFRESH_SECONDS) {
                (delivery_table(request, account)?)
            }
        }
        (attempt_table(request, account)?)
    };
    Page { title: words.webhook, account: Some(account), notice, body }.reply(request)
}

/// The form for the URL, and the buttons for the webhook. The field of the URL keeps input that was refused.
fn forms(request: &SignedIn<'_>, path: &str, webhook: Option<&Webhook>) -> Markup {
    let words = request.words;
    let url = match request.field("url") {
        "" => webhook.map_or("", |webhook| webhook.url.as_str()),
        typed => typed,
    };
    html! {
        p.hint { (words.webhook_hint) }
        form.bar method="post" action=(path) {
            (request.action_fields("url"))
            label.grow {
                "URL"
                input type="url" name="url" required value=(url)
                    placeholder="https://shop.example/hooks/daicho";
            }
            button { (words.save) }
        }
        @if let Some(webhook) = webhook {
            @if let Some((_, expires_at)) = &webhook.secrets.previous
                && *expires_at > request.now.as_second()
            {
                p.hint { (fill(words.previous_until, [format_unix_minute(*expires_at)])) }
            }
            div.actions {
                @for (action, text, question, class) in [
                    ("test", words.send_test, None, "quiet"),
                    ("rotate", words.rotate, Some(words.rotate_sure), "quiet"),
                    ("remove", words.remove_webhook, Some(words.remove_webhook_sure), "danger"),
                ] {
                    form method="post" action=(path) data-confirm=[question] {
                        (request.action_fields(action))
                        button class=(class) { (text) }
                    }
                }
            }
        }
    }
}

fn delivery_table(request: &SignedIn<'_>, account: &Account) -> Result<Markup, PageError> {
    let words = request.words;
    let listed =
        request.with_store(|store| delivery::latest(store, Some(&account.name), DELIVERIES_MAX))?;
    if listed.is_empty() {
        return Ok(html! { p { (words.no_deliveries) } });
    }
    let headings = [words.created, words.date, words.state, words.attempts, words.last_attempt, ""];
    let path = layout::account_page(account.id, "webhook");
    let rows = html! {
        @for delivery in &listed { (delivery_row(request, &path, delivery)) }
    };
    Ok(table(None, &headings, &[3], &rows))
}

fn delivery_row(request: &SignedIn<'_>, path: &str, delivery: &Delivery) -> Markup {
    let words = request.words;
    let (class, state) = match delivery.state {
        DeliveryState::Waiting => ("badge", words.waiting),
        DeliveryState::Delivered => ("badge good", words.delivered),
        DeliveryState::Failed => ("badge fault", words.failed),
    };
    html! {
        tr {
            td.whole {
                (format_unix_minute(delivery.created_at)) br;
                a href={ (path) "?delivery=" (delivery.id) } { code { (delivery.id) } }
            }
            td.whole {
                (delivery.day)
                @if delivery.kind == DeliveryKind::Test { " " span.badge { (words.test) } }
                @if delivery.register == Register::Invoice {
                    " " span.badge { (words.invoice_issuers) }
                }
            }
            td {
                span class=(class) { (state) }
                @if delivery.state == DeliveryState::Waiting && delivery.attempts > 0 {
                    br;
                    span.hint { (words.next_attempt) " " (format_unix_minute(delivery.next_attempt_at)) }
                }
            }
            td.number { (delivery.attempts) }
            td.told {
                @if let Some(last) = &delivery.last_attempt {
                    (result_text(words, last)) br;
                    span.hint { (format_unix_minute(last.started_at)) " · " (last.took_ms) " ms" }
                } @else {
                    (NO_VALUE)
                }
            }
            td {
                form method="post" action=(path) {
                    (request.action_fields("redeliver"))
                    input type="hidden" name="delivery" value=(delivery.id);
                    button.quiet aria-label={ (words.redeliver) " " (delivery.id) } {
                        (words.redeliver)
                    }
                }
            }
        }
    }
}

/// Every attempt of the delivery that the query string names, if it is in the list of this account's deliveries.
fn attempt_table(request: &SignedIn<'_>, account: &Account) -> Result<Markup, PageError> {
    let words = request.words;
    let Ok(id) = DeliveryId::parse(request.query.get("delivery")) else {
        return Ok(Markup::default());
    };
    let attempts = request.with_store(|store| {
        let listed = delivery::latest(store, Some(&account.name), DELIVERIES_MAX)?;
        match listed.iter().any(|delivery| delivery.id == id) {
            true => delivery::attempts(store, &id).map(Some),
            false => Ok(None),
        }
    })?;
    let Some(attempts) = attempts else { return Ok(Markup::default()) };
    let headings = [words.attempt, words.time, words.result, "ms"];
    let rows = html! {
        @for attempt in &attempts {
            tr {
                td.number { (attempt.number) } td.whole { (format_unix_minute(attempt.started_at)) }
                td.told { (result_text(words, attempt)) } td.number { (attempt.took_ms) }
            }
        }
    };
    Ok(html! {
        section id="attempts" {
            h2 { (words.attempts_of) " " code { (id) } }
            (table(None, &headings, &[0, 3], &rows))
        }
    })
}

/// The result of an attempt: a status, an error or both.
fn result_text(words: &Words, attempt: &AttemptRecord) -> String {
    match (attempt.status, &attempt.error) {
        (Some(status), None) => status.to_string(),
        (Some(status), Some(error)) => format!("{status} {}", words.reason(error)),
        (None, Some(error)) => words.reason(error),
        (None, None) => NO_VALUE.to_owned(),
    }
}
