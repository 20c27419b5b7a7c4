//! The event "watched entries of a register changed on a date": its body, its id, and the URL from which the receiver gets the
//! changes.

use std::str::FromStr;

use data_encoding::BASE32_NOPAD;
use sha2::{Digest, Sha256};

use super::webhook_url::{self, UrlError, UrlFault};
use crate::text::codes::{DataVersion, Register};

/// Random bytes in an id: enough that no two ids are equal.
pub const ID_RANDOM_LENGTH: usize = 15;

const ID_PREFIX: &str = "msg_";

/// Characters after the prefix: 15 bytes in base32.
const ID_LETTERS_LENGTH: usize = 24;

/// A delivery's id, the same at each attempt: `msg_` and 24 letters and digits, no full stop.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, derive_more::Display)]
pub struct DeliveryId(Box<str>);

/// Generates unique ids from one random seed.
#[derive(Debug)]
pub struct DeliveryIds {
    seed: [u8; 32],
    next: u64,
}

impl DeliveryIds {
    /// The seed must be random and used once.
    pub fn from_seed(seed: [u8; 32]) -> DeliveryIds {
        DeliveryIds { seed, next: 0 }
    }

    pub fn next_id(&mut self) -> DeliveryId {
        let hash = Sha256::new().chain_update(self.seed).chain_update(self.next.to_le_bytes());
        self.next += 1;
        let hash = hash.finalize();
        DeliveryId::from_random(std::array::from_fn(|index| hash[index]))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a delivery id is {ID_PREFIX} and {ID_LETTERS_LENGTH} letters and digits, as `daicho webhook list` \
     shows it; found {found:?}"
)]
pub struct DeliveryIdError {
    /// The text, cut to 80 characters.
    pub found: String,
}

impl DeliveryId {
    pub fn from_random(random: [u8; ID_RANDOM_LENGTH]) -> DeliveryId {
        let letters = BASE32_NOPAD.encode(&random).to_ascii_lowercase();
        DeliveryId(format!("{ID_PREFIX}{letters}").into())
    }

    pub fn parse(text: &str) -> Result<DeliveryId, DeliveryIdError> {
        let letters =
            text.strip_prefix(ID_PREFIX).filter(|letters| letters.len() == ID_LETTERS_LENGTH);
        let is_base32 = |byte| matches!(byte, b'a'..=b'z' | b'2'..=b'7');
        match letters {
            Some(letters) if letters.bytes().all(is_base32) => Ok(DeliveryId(text.into())),
            _ => Err(DeliveryIdError { found: text.chars().take(80).collect() }),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The URL at which clients reach this server, without a slash at the end.
#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
pub struct PublicUrl(Box<str>);

impl FromStr for PublicUrl {
    type Err = UrlError;

    /// Parses `http` or `https`, a host, and perhaps a path below which the API is.
    fn from_str(text: &str) -> Result<PublicUrl, UrlError> {
        let parsed = webhook_url::parse_url(text).and_then(|url| match url.query() {
            Some(_) => Err(UrlFault::Query),
            None => Ok(PublicUrl(url.as_str().trim_end_matches('/').into())),
        });
        let form = "the public URL has the form https://api.example.com or http://10.0.0.5:8080";
        parsed.map_err(|fault| UrlError::new(form, text, fault))
    }
}

impl PublicUrl {
    pub fn changes_url(&self, register: Register, date: DataVersion) -> String {
        let resource = match register {
            Register::Corporate => "houjinbangou",
            Register::Invoice => "invoice",
        };
        format!("{}/v1/{resource}/radar/{date}", self.0)
    }

    /// The event body for a date of a register, with exactly two members.
    pub fn event_body(&self, register: Register, date: DataVersion) -> String {
        // A parsed URL has no characters that need escaping in JSON.
        format!("{{\"url\":\"{}\",\"date\":\"{date}\"}}", self.changes_url(register, date))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn date() -> DataVersion {
        DataVersion::parse("2026-08-04").expect("a date")
    }

    #[test]
    fn only_well_formed_ids_parse() {
        let id = DeliveryId::from_random(*b"fifteen bytes!!");
        assert_eq!(id.as_str(), "msg_mzuwm5dfmvxcaytzorsxgijb");
        assert_eq!(DeliveryId::parse(id.as_str()), Ok(id.clone()));
        for text in ["", "msg_", "msg_mzuwm5dfmvxcaytzorsxgij", "MSG_mzuwm5dfmvxcaytzorsxgijb"] {
            assert!(DeliveryId::parse(text).is_err(), "{text:?}");
        }
        for letter in ['.', '1', 'A', '\n', '台'] {
            let text = format!("msg_{letter}zuwm5dfmvxcaytzorsxgijb");
            assert!(DeliveryId::parse(&text).is_err(), "{text:?}");
        }
        let long = DeliveryId::parse(&"x".repeat(1000)).expect_err("no id");
        assert_eq!(long.found.len(), 80);
    }

    #[test]
    fn generated_ids_are_unique() {
        let mut ids = DeliveryIds::from_seed([1; 32]);
        let mut other = DeliveryIds::from_seed([2; 32]);
        let mut given: Vec<DeliveryId> =
            (0..1000).flat_map(|_| [ids.next_id(), other.next_id()]).collect();
        given.sort();
        given.dedup();
        assert_eq!(given.len(), 2000);
    }

    #[test]
    fn the_body_has_two_members_and_the_url_is_the_radar_endpoint() {
        for text in ["https://api.example.com", "https://api.example.com/"] {
            let public: PublicUrl = text.parse().expect("a URL");
            for (register, expected) in [
                (
                    Register::Corporate,
                    r#"{"url":"https://api.example.com/v1/houjinbangou/radar/2026-08-04","date":"2026-08-04"}"#,
                ),
                (
                    Register::Invoice,
                    r#"{"url":"https://api.example.com/v1/invoice/radar/2026-08-04","date":"2026-08-04"}"#,
                ),
            ] {
                assert_eq!(public.event_body(register, date()), expected);
            }
        }
        let below: PublicUrl = "http://10.0.0.5:8080/daicho/".parse().expect("a URL");
        assert_eq!(
            below.changes_url(Register::Corporate, date()),
            "http://10.0.0.5:8080/daicho/v1/houjinbangou/radar/2026-08-04"
        );
    }

    #[test]
    fn bad_public_urls_are_refused_with_the_reason() {
        #[track_caller]
        fn check(text: &str, expected: UrlFault) {
            assert_eq!(text.parse::<PublicUrl>().map_err(|error| error.fault), Err(expected));
        }
        check("", UrlFault::Scheme);
        check("api.example.com", UrlFault::Scheme);
        check("ftp://api.example.com", UrlFault::Scheme);
        check("https://api.example.com?x=1", UrlFault::Query);
        check("https://u:p@api.example.com", UrlFault::User);
        check("https://api.example.com/#top", UrlFault::Fragment);
    }

    proptest! {
        #[test]
        fn the_body_is_json_for_every_url(path in "\\PC{0,40}") {
            if let Ok(public) = format!("https://api.example.com/{path}").parse::<PublicUrl>() {
                for register in Register::ALL {
                    let body: serde_json::Value =
                        serde_json::from_str(&public.event_body(register, date())).expect("JSON");
                    let url = public.changes_url(register, date());
                    prop_assert_eq!(body["url"].as_str(), Some(&*url));
                    prop_assert_eq!(body.as_object().map(|members| members.len()), Some(2));
                }
            }
        }
    }
}
