//! The webhook of an account: its URL, its signing secret, a test, and the last deliveries.
//!
//! A secret is shown only when it is made. Deliveries are queued here and sent by whichever server claims them; the
//! list refreshes while it is open.

use crate::account::store::Store;
use crate::account::{Account, authorize_radar};
use crate::calendar::day_in_japan;
use crate::dashboard::prelude::*;
use crate::radar::delivery::{self, AttemptRecord, Delivery, DeliveryKind, DeliveryState};
use crate::radar::registration::{self, Webhook};
use crate::radar::webhook::{DeliveryId, Secret, WebhookUrl};
use hyper::StatusCode;

const DELIVERIES_SHOWN: u32 = 20;

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
            let cipher = &request.dashboard.cipher;
            request.change(|store| registration::rotate_secret(store, cipher, id, &secret, now))?;
            Ok(Notice::Secret(words.secret_rotated.to_owned(), secret.reveal()))
        }
        "remove" => {
            request.change(|store| registration::remove(store, id, now))?;
            Ok(Notice::done(words.webhook_removed))
        }
        "test" => {
            let delivery = DeliveryId::from_random(random()?);
            let day = day_in_japan(now)
                .ok_or_else(|| PageError::system("the clock is outside the years of dates"))?;
            request.change(|store| delivery::create_test(store, &delivery, id, day, now))?;
            Ok(Notice::done(words.test_made))
        }
        "redeliver" => {
            let delivery = DeliveryId::parse(request.field("delivery"))
                .map_err(|_malformed| PageError::refused(words.no_delivery))?;
            request.change(|store| delivery::redeliver(store, &delivery, Some(id), now))?;
            Ok(Notice::done(words.redelivered))
        }
        _ => Err(PageError::refused(words.no_action)),
    }
}

/// Sets the URL. A new webhook gets a secret, which is shown.
fn set_url(request: &SignedIn<'_>, account: &Account) -> Result<Notice, PageError> {
    let words = request.words;
    let url = WebhookUrl::parse(request.field("url").trim())
        .map_err(|error| PageError::refused_for(words.bad_url, error))?;
    let secret = Secret::from_random(random()?);
    let (id, now, cipher) = (account.id, request.now, &request.dashboard.cipher);
    let set = |store: &mut Store| registration::set_url(store, cipher, id, &url, &secret, now);
    let (_webhook, is_new) = request.change(set)?;
    Ok(match is_new {
        true => Notice::Secret(words.saved.to_owned(), secret.reveal()),
        false => Notice::done(words.saved),
    })
}

pub fn page(request: &SignedIn<'_>, account: &Account, notice: Option<Notice>) -> PageResult {
    if notice.is_none() && request.wants_fragment() {
        return Ok(Reply::page(StatusCode::OK, deliveries(request, account)?));
    }
    let words = request.words;
    let webhook = request.store(|store| registration::find(store, account.id))?;
    let path = paths::account(account.id, "webhook");
    let body = html! {
        @if let Some(secret) = notice.as_ref().and_then(Notice::secret) {
            (shown_once(words, words.webhook_secret, words.webhook_secret_once, secret))
        }
        @if authorize_radar(account).is_ok() {
            (forms(request, &path, webhook.as_ref()))
        } @else {
            p.hint { (words.needs_premium) }
        }
        section {
            h2 { (words.deliveries) }
            div data-refresh={ (path) "?fragment=1" } data-seconds=(REFRESH_SECONDS) {
                (deliveries(request, account)?)
            }
        }
        (attempts(request, account)?)
    };
    Page { title: words.webhook, about: Some(account), notice, body }.reply(request)
}

/// The form for the URL, and the buttons for the webhook. The URL field keeps refused input.
fn forms(request: &SignedIn<'_>, path: &str, webhook: Option<&Webhook>) -> Markup {
    let words = request.words;
    let url = match request.field("url") {
        "" => webhook.map_or("", |webhook| webhook.url.as_str()),
        typed => typed,
    };
    html! {
        p.hint { (words.webhook_hint) }
        form.bar method="post" action=(path) {
            (request.form_action("url"))
            label.grow {
                "URL"
                input type="url" name="url" required value=(url)
                    placeholder="https://shop.example/hooks/daicho";
            }
            button { (words.save) }
        }
        @if let Some(webhook) = webhook {
            @if let Some((_, until)) = &webhook.secrets.previous && *until > request.now.as_second() {
                p.hint { (fill(words.previous_until, [minute_of(*until)])) }
            }
            div.actions {
                @for (action, text, question, class) in [
                    ("test", words.send_test, None, "quiet"),
                    ("rotate", words.rotate, Some(words.rotate_sure), "quiet"),
                    ("remove", words.remove_webhook, Some(words.remove_webhook_sure), "danger"),
                ] {
                    form method="post" action=(path) data-confirm=[question] {
                        (request.form_action(action))
                        button class=(class) { (text) }
                    }
                }
            }
        }
    }
}

fn deliveries(request: &SignedIn<'_>, account: &Account) -> Result<Markup, PageError> {
    let words = request.words;
    let listed =
        request.store(|store| delivery::latest(store, Some(&account.name), DELIVERIES_SHOWN))?;
    if listed.is_empty() {
        return Ok(html! { p { (words.no_deliveries) } });
    }
    let headings = [words.created, words.date, words.state, words.attempts, words.last_attempt, ""];
    let path = paths::account(account.id, "webhook");
    let rows = html! {
        @for delivery in &listed { (row(request, &path, delivery)) }
    };
    Ok(table(None, &headings, &[3], &rows))
}

fn row(request: &SignedIn<'_>, path: &str, delivery: &Delivery) -> Markup {
    let words = request.words;
    let (class, state) = match delivery.state {
        DeliveryState::Waiting => ("badge", words.waiting),
        DeliveryState::Delivered => ("badge good", words.delivered),
        DeliveryState::Failed => ("badge fault", words.failed),
    };
    html! {
        tr {
            td.whole {
                (minute_of(delivery.created_at)) br;
                a href={ (path) "?delivery=" (delivery.id) } { code { (delivery.id) } }
            }
            td.whole {
                (delivery.day)
                @if delivery.kind == DeliveryKind::Test { " " span.badge { (words.test) } }
            }
            td {
                span class=(class) { (state) }
                @if delivery.state == DeliveryState::Waiting && delivery.attempts > 0 {
                    br;
                    span.hint { (words.next_attempt) " " (minute_of(delivery.next_attempt_at)) }
                }
            }
            td.number { (delivery.attempts) }
            td.told {
                @if let Some(last) = &delivery.last_attempt {
                    (result(last)) br;
                    span.hint { (minute_of(last.started_at)) " · " (last.took_ms) " ms" }
                } @else {
                    (NOTHING)
                }
            }
            td {
                form method="post" action=(path) {
                    (request.form_action("redeliver"))
                    input type="hidden" name="delivery" value=(delivery.id);
                    button.quiet aria-label={ (words.redeliver) " " (delivery.id) } {
                        (words.redeliver)
                    }
                }
            }
        }
    }
}

/// Every attempt of the delivery in the query string, if it belongs to this account.
fn attempts(request: &SignedIn<'_>, account: &Account) -> Result<Markup, PageError> {
    let words = request.words;
    let Ok(id) = DeliveryId::parse(request.query.get("delivery")) else {
        return Ok(Markup::default());
    };
    let attempts = request.store(|store| {
        let listed = delivery::latest(store, Some(&account.name), DELIVERIES_SHOWN)?;
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
                td.number { (attempt.number) } td.whole { (minute_of(attempt.started_at)) }
                td.told { (result(attempt)) } td.number { (attempt.took_ms) }
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

/// The outcome of an attempt: a status, an error or both.
fn result(attempt: &AttemptRecord) -> String {
    match (attempt.status, &attempt.error) {
        (Some(status), None) => status.to_string(),
        (Some(status), Some(error)) => format!("{status} {error}"),
        (None, Some(error)) => error.clone(),
        (None, None) => NOTHING.to_owned(),
    }
}
