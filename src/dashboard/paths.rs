//! The paths that pages link to. `routes` maps paths to pages.

use crate::account::AccountId;

pub const ROOT: &str = "/dashboard";
pub const LOGIN: &str = "/dashboard/login";
pub const LOGOUT: &str = "/dashboard/logout";
pub const METRICS: &str = "/dashboard/figures";
pub const ACCOUNTS: &str = "/dashboard/accounts";
pub const PLANS: &str = "/dashboard/plans";
pub const DATA: &str = "/dashboard/data";
pub const PLAYGROUND: &str = "/dashboard/playground";

/// The path of a page of one account, such as `keys` or `watch.csv`.
pub fn account_page(account: AccountId, page: &str) -> String {
    format!("{ROOT}/account/{}/{page}", account.0)
}

/// Whether a path belongs to the dashboard, even if there is no such page.
pub fn is_below_root(path: &str) -> bool {
    path.strip_prefix(ROOT).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
