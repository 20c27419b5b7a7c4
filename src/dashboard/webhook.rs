//! The webhook of an account: where it is told of changes, the secret that signs, a test, and what
//! became of the last deliveries.
//!
//! A secret is shown when it is made and never again. Deliveries are made here and sent by whatever
//! server claims them; the list renews itself while it is looked at.

use hyper::StatusCode;
use jiff::Timestamp;

use super::answer::Answer;
use super::data::minute;
use super::html::{Html, html};
use super::layout::Page;
use super::random;
use super::route::{Path, Tab, account as account_path};
use super::visit::{Fault, Guest, Handled, Notice, Visit};
use super::words::Words;
use crate::account::store::StoreError;
use crate::account::{Account, KeyKind, Service, day_in_japan, decide_for};
use crate::radar::store::{AttemptRecord, Delivery, DeliveryState, Kind, Webhook, Which};
use crate::radar::webhook::{DeliveryId, Secret, WebhookUrl};

/// Deliveries shown.
const DELIVERIES_SHOWN: u32 = 20;

/// Seconds between two looks at the deliveries.
const LOOK_SECONDS: u32 = 3;

/// The page, or its list of deliveries.
pub fn show(visit: &Visit<'_>, guest: &Guest, account: &Account) -> Handled {
    if visit.wants_fragment() {
        let list = deliveries(visit, guest, account)?;
        return Ok(Answer::page(StatusCode::OK, list));
    }
    page(visit, guest, account, None, None)
}

/// Whether the account's plan has what the webhook is for.
pub fn has_radar(account: &Account) -> bool {
    decide_for(KeyKind::Secret, account, Service::Radar).is_ok()
}

/// Does what the form's `action` says.
pub fn act(visit: &Visit<'_>, guest: &Guest, account: &Account) -> Handled {
    let words = visit.words();
    let done = match visit.field("action") {
        _ if !has_radar(account) => Err(words.needs_premium.to_owned()),
        "url" => set_url(visit, account)?,
        "rotate" => rotate(visit, account)?,
        "remove" => {
            visit.dashboard.store.run(|store| store.remove_webhook(account.id, visit.now))?;
            Ok((words.webhook_removed.to_owned(), None))
        }
        "test" => test(visit, account)?,
        "redeliver" => redeliver(visit, account)?,
        _ => return Err(Fault::BadForm(words.no_action.to_owned())),
    };
    match done {
        Ok((text, secret)) => page(visit, guest, account, Some(Notice::Done(text)), secret),
        Err(text) => page(visit, guest, account, Some(Notice::Refused(text)), None),
    }
}

/// What was done, and the secret that was made; or why nothing was.
type Done = Result<(String, Option<Secret>), String>;

fn set_url(visit: &Visit<'_>, account: &Account) -> Result<Done, Fault> {
    let words = visit.words();
    let url = match WebhookUrl::parse(visit.field("url").trim()) {
        Ok(url) => url,
        Err(error) => return Ok(Err(format!("{} {error}", words.bad_url))),
    };
    let secret = Secret::from_random(random()?);
    let now = visit.now;
    let is_first = visit.dashboard.store.run(|store| {
        let kept = store.set_webhook(account.id, &url, &secret, now)?;
        Ok(kept.secrets.current == secret)
    })?;
    Ok(Ok((words.saved.to_owned(), is_first.then_some(secret))))
}

fn rotate(visit: &Visit<'_>, account: &Account) -> Result<Done, Fault> {
    let words = visit.words();
    let secret = Secret::from_random(random()?);
    let turn = visit
        .dashboard
        .store
        .run(|store| store.rotate_webhook_secret(account.id, &secret, visit.now));
    match turn {
        Ok(_) => Ok(Ok((words.secret_rotated.to_owned(), Some(secret)))),
        Err(StoreError::NoWebhook) => Ok(Err(words.no_webhook.to_owned())),
        Err(error) => Err(error.into()),
    }
}

fn test(visit: &Visit<'_>, account: &Account) -> Result<Done, Fault> {
    let words = visit.words();
    let id = DeliveryId::from_random(random()?);
    let Some(day) = day_in_japan(visit.now) else {
        return Err(Fault::System("the clock is outside the years of dates".to_owned()));
    };
    let made =
        visit.dashboard.store.run(|store| store.test_delivery(&id, account.id, day, visit.now));
    match made {
        Ok(()) => Ok(Ok((words.test_made.to_owned(), None))),
        Err(StoreError::NoWebhook) => Ok(Err(words.no_webhook.to_owned())),
        Err(error) => Err(error.into()),
    }
}

fn redeliver(visit: &Visit<'_>, account: &Account) -> Result<Done, Fault> {
    let words = visit.words();
    let Ok(id) = DeliveryId::parse(visit.field("delivery")) else {
        return Ok(Err(words.no_delivery.to_owned()));
    };
    let again =
        visit.dashboard.store.run(|store| store.redeliver(&id, Some(account.id), visit.now));
    match again {
        Ok(_) => Ok(Ok((words.redelivered.to_owned(), None))),
        Err(StoreError::NoSuchDelivery { .. }) => Ok(Err(words.no_delivery.to_owned())),
        Err(StoreError::NoWebhook) => Ok(Err(words.no_webhook.to_owned())),
        Err(error) => Err(error.into()),
    }
}

fn page(
    visit: &Visit<'_>,
    guest: &Guest,
    account: &Account,
    notice: Option<Notice>,
    secret: Option<Secret>,
) -> Handled {
    let words = visit.words();
    let webhook = visit.dashboard.store.run(|store| store.webhook(account.id))?;
    let path = account_path(account.id, Tab::Webhook);
    let mut body = Html::empty();
    if let Some(secret) = secret {
        html!(&mut body, "<section class=\"once\" aria-label=\"" (words.webhook_secret) "\"><p>"
            (words.webhook_secret_once) "</p><p class=\"secret\"><code id=\"made\">" (secret.reveal())
            "</code><button type=\"button\" class=\"copy\" data-copy hidden>" (words.copy)
            "</button></p></section>");
    }
    if has_radar(account) {
        forms(&mut body, visit, guest, &path, webhook.as_ref());
    } else {
        html!(&mut body, "<p class=\"hint\">" (words.needs_premium) "</p>");
    }
    html!(&mut body, "<section><h2>" (words.deliveries) "</h2><div data-refresh=\"" (path)
        "?fragment=1\" data-seconds=\"" (LOOK_SECONDS) "\">" (deliveries(visit, guest, account)?)
        "</div></section>");
    attempts(&mut body, visit, account)?;
    let at = Path::Account(account.id, Tab::Webhook);
    let page = Page { title: words.webhook, path: at, about: Some(account), notice, body };
    Ok(page.answer(visit, guest))
}

/// The forms for the URL and for what is done with it.
fn forms(out: &mut Html, visit: &Visit<'_>, guest: &Guest, path: &str, webhook: Option<&Webhook>) {
    let words = visit.words();
    let known = webhook.map_or("", |webhook| webhook.url.as_str());
    // What was refused stays in the field.
    let typed = visit.field("url");
    let url = if typed.is_empty() { known } else { typed };
    html!(out, "<p class=\"hint\">" (words.webhook_hint) "</p><form method=\"post\" action=\"" (path)
        "\" class=\"bar\">" (guest.form_token()) "<input type=\"hidden\" name=\"action\" value=\"url\">\
        <label class=\"grow\">URL<input type=\"url\" name=\"url\" required value=\"" (url)
        "\" placeholder=\"https://shop.example/hooks/daicho\"></label><button>" (words.save)
        "</button></form>");
    let Some(webhook) = webhook else { return };
    if let Some((_, until)) = &webhook.secrets.previous
        && *until > visit.now.as_second()
    {
        let text = words.previous_until.replace("{}", &moment(*until));
        html!(out, "<p class=\"hint\">" (text) "</p>");
    }
    html!(out, "<div class=\"actions\">");
    for (action, text, question, class) in [
        ("test", words.send_test, "", "quiet"),
        ("rotate", words.rotate, words.rotate_sure, "quiet"),
        ("remove", words.remove_webhook, words.remove_webhook_sure, "danger"),
    ] {
        html!(out, "<form method=\"post\" action=\"" (path) "\"");
        if !question.is_empty() {
            html!(out, " data-confirm=\"" (question) "\"");
        }
        html!(out, ">" (guest.form_token()) "<input type=\"hidden\" name=\"action\" value=\"" (action)
            "\"><button class=\"" (class) "\">" (text) "</button></form>");
    }
    html!(out, "</div>");
}

/// The last deliveries.
fn deliveries(visit: &Visit<'_>, guest: &Guest, account: &Account) -> Result<Html, Fault> {
    let words = visit.words();
    let listed = visit
        .dashboard
        .store
        .run(|store| store.deliveries(Which::Of(&account.name), DELIVERIES_SHOWN))?;
    let mut out = Html::empty();
    if listed.is_empty() {
        html!(&mut out, "<p>" (words.no_deliveries) "</p>");
        return Ok(out);
    }
    html!(&mut out, "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">" (words.made_at)
        "</th><th scope=\"col\">" (words.date_told) "</th><th scope=\"col\">" (words.state)
        "</th><th scope=\"col\" class=\"number\">" (words.attempts) "</th><th scope=\"col\">"
        (words.last_attempt) "</th><th></th></tr></thead><tbody>");
    for delivery in &listed {
        row(&mut out, visit, guest, account, delivery);
    }
    html!(&mut out, "</tbody></table></div>");
    Ok(out)
}

fn row(out: &mut Html, visit: &Visit<'_>, guest: &Guest, account: &Account, delivery: &Delivery) {
    let words = visit.words();
    let path = account_path(account.id, Tab::Webhook);
    let (class, state) = state(words, delivery.state);
    html!(out, "<tr><td>" (moment(delivery.created_at)) "<br><a href=\"" (path) "?delivery="
        (delivery.id) "\"><code>" (delivery.id) "</code></a></td><td>" (delivery.day));
    if delivery.kind == Kind::Test {
        html!(out, " <span class=\"badge\">" (words.test) "</span>");
    }
    html!(out, "</td><td><span class=\"badge " (class) "\">" (state) "</span>");
    if delivery.state == DeliveryState::Waiting && delivery.attempts > 0 {
        html!(out, "<br><span class=\"hint\">" (words.next_attempt) " "
            (moment(delivery.next_attempt_at)) "</span>");
    }
    html!(out, "</td><td class=\"number\">" (delivery.attempts) "</td><td>");
    match &delivery.last {
        Some(last) => html!(out, (result(last)) "<br><span class=\"hint\">" (moment(last.at)) " · "
            (last.took_ms) " ms</span>"),
        None => html!(out, "–"),
    }
    html!(out, "</td><td><form method=\"post\" action=\"" (path) "\">" (guest.form_token())
        "<input type=\"hidden\" name=\"action\" value=\"redeliver\">\
        <input type=\"hidden\" name=\"delivery\" value=\"" (delivery.id)
        "\"><button class=\"quiet\" aria-label=\"" (words.redeliver) " " (delivery.id) "\">"
        (words.redeliver) "</button></form></td></tr>");
}

/// Every attempt of the delivery that the address names, where it is one of this account's.
fn attempts(out: &mut Html, visit: &Visit<'_>, account: &Account) -> Result<(), Fault> {
    let words = visit.words();
    let Ok(id) = DeliveryId::parse(visit.query.get("delivery")) else { return Ok(()) };
    let attempts = visit.dashboard.store.run(|store| {
        let listed = store.deliveries(Which::Of(&account.name), DELIVERIES_SHOWN)?;
        match listed.iter().any(|delivery| delivery.id == id) {
            true => store.delivery_attempts(&id).map(Some),
            false => Ok(None),
        }
    })?;
    let Some(attempts) = attempts else { return Ok(()) };
    html!(out, "<section id=\"attempts\"><h2>" (words.attempts) " <code>" (id)
        "</code></h2><div class=\"scroll\"><table><thead><tr><th scope=\"col\" class=\"number\">"
        (words.number) "</th><th scope=\"col\">" (words.when) "</th><th scope=\"col\">" (words.result)
        "</th><th scope=\"col\" class=\"number\">ms</th></tr></thead><tbody>");
    for attempt in &attempts {
        html!(out, "<tr><td class=\"number\">" (attempt.number) "</td><td>" (moment(attempt.at))
            "</td><td>" (result(attempt)) "</td><td class=\"number\">" (attempt.took_ms)
            "</td></tr>");
    }
    html!(out, "</tbody></table></div></section>");
    Ok(())
}

/// What an attempt came to: a status, or why there was none.
fn result(attempt: &AttemptRecord) -> String {
    match (attempt.status, &attempt.error) {
        (Some(status), None) => status.to_string(),
        (Some(status), Some(error)) => format!("{status} {error}"),
        (None, Some(error)) => error.clone(),
        (None, None) => "–".to_owned(),
    }
}

fn state(words: &Words, state: DeliveryState) -> (&'static str, &'static str) {
    match state {
        DeliveryState::Waiting => ("", words.waiting),
        DeliveryState::Delivered => ("good", words.delivered),
        DeliveryState::Failed => ("fault", words.failed),
    }
}

fn moment(seconds: i64) -> String {
    Timestamp::from_second(seconds).map_or_else(|_| "–".to_owned(), minute)
}
