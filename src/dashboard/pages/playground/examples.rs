//! Example texts as links. They find something in the loaded data and need no more than the user's plan.

use super::api_request::{SearchKind, playground_url};
use crate::account::{Account, KeyKind, Service, authorize};
use crate::calendar::date_in_japan;
use crate::dashboard::prelude::*;
use crate::dataset::Catalog;

/// Rows in which a corporation with a name is searched.
const CORPORATIONS_MAX: u32 = 100;

pub fn examples(request: &Request<'_>, account: &Account) -> Markup {
    let words = request.words;
    let served = request.dashboard.parts.api.data.load();
    let year = date_in_japan(request.now).year();
    let texts = example_texts(&served.catalog, account, year);
    html! {
        p.examples {
            (words.examples)
            @for (kind, text) in &texts {
                " " a href=(playground_url(*kind, text, 0)) title=(kind.name(words)) { (text) }
            }
        }
    }
}

fn example_texts(catalog: &Catalog, account: &Account, year: i16) -> Vec<(SearchKind, String)> {
    let mut texts = Vec::new();
    if !catalog.postal().is_empty() {
        let postal = [
            // A lot number, an old name, a code, and a query.
            (SearchKind::Address, "東京都千代田区千代田1-1"),
            (SearchKind::Address, "静岡県浜松市中区富塚町1-1"),
            (SearchKind::PostalCode, "100-0001"),
            (SearchKind::PostalQuery, "city:千代田区 AND _type:1"),
        ];
        texts.extend(postal.map(|(kind, text)| (kind, text.to_owned())));
    }
    let may_see = |service| authorize(KeyKind::Secret, account, service).is_ok();
    if may_see(Service::Corporate) {
        texts.extend(corporation_texts(catalog).into_iter().flatten());
    }
    if may_see(Service::Bank) {
        texts.extend(bank_text(catalog));
    }
    texts.push((SearchKind::Target, format!("/v1/holidays?year={year}")));
    texts
}

/// The name and the number of one of the first corporations.
fn corporation_texts(catalog: &Catalog) -> Option<[(SearchKind, String); 2]> {
    let data = catalog.corporate().latest()?;
    let mut rows = (0..CORPORATIONS_MAX).map_while(|row| data.row(row).ok().flatten());
    let named = rows.find(|view| !view.name().text.is_empty())?;
    Some([
        (SearchKind::CorporateName, named.name().text.to_owned()),
        (SearchKind::CorporateNumber, named.number().to_string()),
    ])
}

fn bank_text(catalog: &Catalog) -> Option<(SearchKind, String)> {
    let code = catalog.bank().latest()?.banks().ok()?.next()?.entry().code();
    Some((SearchKind::BankCode, format!("{code:04}")))
}
