//! Links to the playground.

use super::api_request::Kind;
use crate::dashboard::paths::PLAYGROUND;
use crate::text::percent::encode;

/// A link to the playground with this text, from this record on. The kind is omitted if the text implies it, so
/// that the user can type another text over it.
pub fn link(kind: Kind, text: &str, offset: u64) -> String {
    let kind = if Kind::of(text) == kind { Kind::Guess } else { kind };
    let page = format!("{}?text={}&kind={}", PLAYGROUND, encode(text), kind.value());
    if offset == 0 { page } else { format!("{page}&offset={offset}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_names_the_kind_unless_the_text_shows_it() {
        for (kind, text, offset, expected) in [
            (Kind::PostalCode, "100-0001", 0, "?text=100-0001&kind=guess"),
            (Kind::PostalQuery, "a&b", 20, "?text=a%26b&kind=query&offset=20"),
            (Kind::BankCode, "1000001", 0, "?text=1000001&kind=bank"),
        ] {
            assert_eq!(link(kind, text, offset), format!("{PLAYGROUND}{expected}"));
        }
    }
}
