//! `/dashboard/account/{account}/delete`, for the operator: what is deleted with an account, and the form that deletes
//! it once its name is typed.

use super::accounts;
use crate::account::Account;
use crate::account::store::StoreError;
use crate::dashboard::prelude::*;

pub fn show(request: &SignedIn<'_>, account: &Account) -> PageResult {
    page(request, account, None)
}

/// Deletes the account and shows the remaining ones.
pub fn delete(request: &SignedIn<'_>, account: &Account) -> PageResult {
    if !request.is_operator() {
        return Err(PageError::NotFound);
    }
    let words = request.words;
    if request.field("name").trim() != account.name.as_str() {
        let notice = Notice::Refused(PageError::refused(words.delete_name_mismatch));
        return page(request, account, Some(notice));
    }
    match request.with_store(|store| store.delete_account(&account.name)) {
        Ok(_deleted) => {
            let text = fill(words.account_deleted, [account.name.as_str()]);
            accounts::page(request, Some(Notice::Done(text)))
        }
        // Somebody else deleted it meanwhile.
        Err(StoreError::NoSuchAccount { .. }) => Err(PageError::NotFound),
        Err(error) => Err(error.into()),
    }
}

fn page(request: &SignedIn<'_>, account: &Account, notice: Option<Notice>) -> PageResult {
    if !request.is_operator() {
        return Err(PageError::NotFound);
    }
    let words = request.words;
    let holdings = request.with_store(|store| store.holdings(&account.name))?;
    let body = html! {
        p { (words.delete_detail) }
        (tiles([
            (words.keys, grouped(holdings.keys)),
            (words.sessions, grouped(holdings.sessions)),
            (words.watched, grouped(holdings.watched)),
            (words.webhook, grouped(holdings.webhooks)),
            (words.deliveries_all, grouped(holdings.deliveries)),
            (words.days_of_usage, grouped(holdings.days_of_usage)),
        ]))
        form.card method="post" action=(paths::account_page(account.id, "delete")) {
            (request.token_field())
            label {
                (fill(words.delete_confirm, [account.name.as_str()]))
                input name="name" required maxlength="100" autocomplete="off" spellcheck="false";
            }
            div.actions {
                button.danger { (words.delete_account) }
                a href=(paths::account_page(account.id, "settings")) { (words.cancel) }
            }
        }
    };
    Page { title: words.delete_account, account: Some(account), notice, body }.reply(request)
}
