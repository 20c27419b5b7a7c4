//! The URLs of the playground.

use super::api_request::SearchKind;
use crate::dashboard::paths::PLAYGROUND;
use crate::text::percent::encode;

/// The URL of the playground with this text, at this offset. The kind is left to be guessed if the text implies it, so
/// that the user can type a text of another kind over it.
pub fn playground_url(kind: SearchKind, text: &str, offset: u64) -> String {
    let kind = if SearchKind::guess(text) == kind { SearchKind::Guess } else { kind };
    let url = format!("{}?text={}&kind={}", PLAYGROUND, encode(text), kind.value());
    if offset == 0 { url } else { format!("{url}&offset={offset}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_has_the_kind_unless_the_text_shows_it() {
        for (kind, text, offset, expected) in [
            (SearchKind::PostalCode, "100-0001", 0, "?text=100-0001&kind=guess"),
            (SearchKind::PostalQuery, "a&b", 20, "?text=a%26b&kind=query&offset=20"),
            (SearchKind::BankCode, "1000001", 0, "?text=1000001&kind=bank"),
        ] {
            assert_eq!(playground_url(kind, text, offset), format!("{PLAYGROUND}{expected}"));
        }
    }
}
