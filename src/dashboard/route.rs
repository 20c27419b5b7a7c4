//! Every path of the dashboard on one screen.
//!
//! A page and what is done on it share a path: `GET` shows it, `POST` does what the form's `action`
//! says and shows it again.

use crate::account::AccountId;

/// Where the dashboard begins.
pub const ROOT: &str = "/dashboard";

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path {
    /// `/dashboard`: whatever whoever asks sees first.
    Home,
    /// `/dashboard/login`
    Login,
    /// `/dashboard/logout`
    Logout,
    /// `/dashboard/style.css`
    Style,
    /// `/dashboard/script.js`
    Script,
    /// `/dashboard/icon.svg`
    Icon,
    /// `/dashboard/playground`
    Playground,
    /// `/dashboard/figures`, the operator's
    Figures,
    /// `/dashboard/accounts`, the operator's
    Accounts,
    /// `/dashboard/plans`, the operator's
    Plans,
    /// `/dashboard/data`, the operator's
    Data,
    /// `/dashboard/account/{number}/…`: a page of one account.
    Account(AccountId, Tab),
}

/// The pages of one account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tab {
    /// `…/keys`
    Keys,
    /// `…/usage`
    Usage,
    /// `…/webhook`
    Webhook,
    /// `…/watch`
    Watch,
    /// `…/watch.csv`
    WatchExport,
    /// `…/settings`
    Settings,
}

/// Which methods a path has beside `HEAD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Methods {
    /// It is only shown.
    Get,
    /// It only does something.
    Post,
    /// Both.
    Both,
}

impl Tab {
    /// The last part of the path.
    pub fn name(self) -> &'static str {
        match self {
            Tab::Keys => "keys",
            Tab::Usage => "usage",
            Tab::Webhook => "webhook",
            Tab::Watch => "watch",
            Tab::WatchExport => "watch.csv",
            Tab::Settings => "settings",
        }
    }

    const ALL: [Tab; 6] =
        [Tab::Keys, Tab::Usage, Tab::Webhook, Tab::Watch, Tab::WatchExport, Tab::Settings];
}

impl Path {
    /// Whether a path is the dashboard's, known or not.
    pub fn is_below_root(path: &str) -> bool {
        path.strip_prefix(ROOT).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// What a path leads to; `None` for no page of ours. One slash at its end is let pass.
    pub fn parse(path: &str) -> Option<Path> {
        let rest = path.strip_prefix(ROOT)?;
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        if let Some(rest) = rest.strip_prefix("/account/") {
            let (number, tab) = rest.split_once('/')?;
            let digits = number.bytes().all(|byte| byte.is_ascii_digit());
            let account = AccountId(number.parse().ok().filter(|_| digits)?);
            let tab = Tab::ALL.into_iter().find(|known| known.name() == tab)?;
            return Some(Path::Account(account, tab));
        }
        Some(match rest {
            "" => Path::Home,
            "/login" => Path::Login,
            "/logout" => Path::Logout,
            "/style.css" => Path::Style,
            "/script.js" => Path::Script,
            "/icon.svg" => Path::Icon,
            "/playground" => Path::Playground,
            "/figures" => Path::Figures,
            "/accounts" => Path::Accounts,
            "/plans" => Path::Plans,
            "/data" => Path::Data,
            _ => return None,
        })
    }

    /// Which methods it has.
    pub fn methods(self) -> Methods {
        match self {
            Path::Home
            | Path::Style
            | Path::Script
            | Path::Icon
            | Path::Playground
            | Path::Figures => Methods::Get,
            Path::Account(_, Tab::Usage | Tab::WatchExport) => Methods::Get,
            Path::Logout => Methods::Post,
            Path::Login | Path::Accounts | Path::Plans | Path::Data | Path::Account(..) => {
                Methods::Both
            }
        }
    }
}

impl Methods {
    /// For the header `Allow`.
    pub fn allow(self) -> &'static str {
        match self {
            Methods::Get => "GET, HEAD",
            Methods::Post => "POST",
            Methods::Both => "GET, HEAD, POST",
        }
    }
}

/// The path of an account's page.
pub fn account(account: AccountId, tab: Tab) -> String {
    format!("{ROOT}/account/{}/{}", account.0, tab.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_where_they_should_and_nowhere_else() {
        #[track_caller]
        fn check(path: &str, expected: Option<Path>) {
            assert_eq!(Path::parse(path), expected, "{path}");
            let below = path == ROOT || path.starts_with("/dashboard/");
            assert_eq!(Path::is_below_root(path), below, "{path}");
        }
        check("/dashboard", Some(Path::Home));
        check("/dashboard/", Some(Path::Home));
        check("/dashboard/login", Some(Path::Login));
        check("/dashboard/data/", Some(Path::Data));
        for tab in Tab::ALL {
            let path = account(AccountId(17), tab);
            check(&path, Some(Path::Account(AccountId(17), tab)));
        }
        for path in [
            "",
            "/",
            "/dashboards",
            "/dashboard/x",
            "/dashboard//",
            "/dashboard/account",
            "/dashboard/account/1",
            "/dashboard/account//keys",
            "/dashboard/account/+1/keys",
            "/dashboard/account/-1/keys",
            "/dashboard/account/99999999999999999999/keys",
            "/dashboard/account/1/keys/x",
            "/dashboard/account/1/nothing",
            "/Dashboard",
        ] {
            check(path, None);
        }
    }
}
