//! Attributes that mark a test as ignored, with the reason, where something that it needs is missing:
//!
//! ```ignore
//! #[needs::chromium]
//! #[test]
//! fn the_page_opens_in_a_browser() {}
//! ```
//!
//! `build.rs` looks for everything once, before the tests are compiled, because the test harness knows the ignored
//! tests before any test runs. Each attribute stands above `#[test]`, which reads the `#[ignore]` that it leaves.

use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// Defines one attribute for each entry of `build.rs`.
macro_rules! attributes {
    ($($name:ident)*) => {
        $(
            #[proc_macro_attribute]
            pub fn $name(_arguments: TokenStream, test: TokenStream) -> TokenStream {
                ignore_unless_empty(env!(concat!("MISSING_", stringify!($name))), test)
            }
        )*
    };
}

attributes! {
    chromium
    compat_clients
    compat_python
    curl
    esbuild
    haproxy
    javascript_clients
    kendama
    kubectl
    kubernetes_validate
    libfaketime
    mcp_sdk
    mount
    nginx
    node
    official_data
    openapi_tools
    ordinary_user
    perl
    postgresql
    postgresql_server
    pyarrow
    python
    python_clients
    root_certificates
    s3s_fs
    ssh_keygen
    strace
    systemd_analyze
}

/// The test with `#[ignore = "REASON"]` in front; unchanged if there is no reason.
fn ignore_unless_empty(reason: &str, test: TokenStream) -> TokenStream {
    if reason.is_empty() || is_ignored(&test) {
        return test;
    }
    let ignore = [
        TokenTree::from(Ident::new("ignore", Span::call_site())),
        Punct::new('=', Spacing::Alone).into(),
        Literal::string(reason).into(),
    ];
    let attribute = Group::new(Delimiter::Bracket, TokenStream::from_iter(ignore));
    let mut ignored = TokenStream::from_iter([
        TokenTree::from(Punct::new('#', Spacing::Alone)),
        attribute.into(),
    ]);
    ignored.extend(test);
    ignored
}

/// Whether an attribute before the function says so already: another need is missing.
fn is_ignored(test: &TokenStream) -> bool {
    let attributes = test.clone().into_iter().filter_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => Some(group.stream()),
        _ => None,
    });
    let mut names = attributes.filter_map(|attribute| attribute.into_iter().next());
    names.any(|name| name.to_string() == "ignore")
}
