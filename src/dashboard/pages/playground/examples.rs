//! Clickable examples: texts that find something in the loaded data, within the user's plan.

use super::api_request::Kind;
use super::link::link;
use crate::account::{Account, KeyKind, Service, authorize};
use crate::calendar::date_in_japan;
use crate::dashboard::prelude::*;
use crate::query::Catalog;

/// Corporations that are tried to find one with a name.
const CORPORATIONS_TRIED: u32 = 100;

pub fn examples(request: &Request<'_>, account: &Account) -> Markup {
    let words = request.words;
    let served = request.dashboard.api.data.load();
    let year = date_in_japan(request.now).year();
    let listed = listed(&served.catalog, account, year);
    html! {
        p.examples {
            (words.examples)
            @for (kind, text) in &listed {
                " " a href=(link(*kind, text, 0)) title=(kind.name(words)) { (text) }
            }
        }
    }
}

fn listed(catalog: &Catalog, account: &Account, year: i16) -> Vec<(Kind, String)> {
    let mut listed = Vec::new();
    if !catalog.postal().is_empty() {
        // A lot, an old name, a code, a query.
        let texts = [
            (Kind::Address, "東京都千代田区千代田1-1"),
            (Kind::Address, "静岡県浜松市中区富塚町1-1"),
            (Kind::PostalCode, "100-0001"),
            (Kind::PostalQuery, "city:千代田区 AND _type:1"),
        ];
        listed.extend(texts.map(|(kind, text)| (kind, text.to_owned())));
    }
    let may_see = |service| authorize(KeyKind::Secret, account, service).is_ok();
    if may_see(Service::Corporate) {
        listed.extend(corporation(catalog).into_iter().flatten());
    }
    if may_see(Service::Bank) {
        listed.extend(bank(catalog));
    }
    listed.push((Kind::Target, format!("/v1/holidays?year={year}")));
    listed
}

/// The name and the number of one of the first corporations.
fn corporation(catalog: &Catalog) -> Option<[(Kind, String); 2]> {
    let data = catalog.corporate().latest()?;
    let mut rows = (0..CORPORATIONS_TRIED).map_while(|row| data.row(row).ok().flatten());
    let named = rows.find(|view| !view.name().text.is_empty())?;
    Some([
        (Kind::CorporateName, named.name().text.to_owned()),
        (Kind::CorporateNumber, named.number().to_string()),
    ])
}

fn bank(catalog: &Catalog) -> Option<(Kind, String)> {
    let code = catalog.bank().latest()?.banks().ok()?.next()?.entry().code();
    Some((Kind::BankCode, format!("{code:04}")))
}
