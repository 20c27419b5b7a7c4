//! What a receiver verifies: signatures as Standard Webhooks 1.0.0 has them.
//!
//! `webhook-signature` is `v1,` and the base64 of HMAC-SHA256 over `ID.TIMESTAMP.BODY`. While an
//! older secret still lives there are two of them, a space between, so that a receiver may take up
//! the newer one at any time in between.

use std::fmt;

use data_encoding::BASE64;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::event::DeliveryId;

/// What a secret's text begins with.
const PREFIX: &str = "whsec_";

/// Bytes of a secret, as the standard has them.
const LENGTH: std::ops::RangeInclusive<usize> = 24..=64;

/// Random bytes of the secrets that are made here.
pub const SECRET_RANDOM_LENGTH: usize = 32;

/// How long the older secret signs beside the newer one, in seconds: a day to take it up.
pub const ROTATION_SECONDS: i64 = 24 * 60 * 60;

/// A secret that sender and receiver share. Its text never stands in a log: `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Box<[u8]>);

/// A text, or bytes, that cannot be a secret. It does not say what was found there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SecretFault {
    /// It does not begin as it should.
    #[error("a webhook's secret begins with {PREFIX}; found another text")]
    Prefix,
    /// What stands behind is not base64.
    #[error("a webhook's secret is base64 behind {PREFIX}; found other characters")]
    Base64,
    /// Too short or too long.
    #[error("a webhook's secret has 24 to 64 bytes; found {found}")]
    Length {
        /// Bytes found.
        found: usize,
    },
}

impl Secret {
    /// The secret of these random bytes.
    pub fn from_random(random: [u8; SECRET_RANDOM_LENGTH]) -> Secret {
        Secret(random.into())
    }

    /// The secret of bytes that were kept.
    pub fn from_bytes(bytes: &[u8]) -> Result<Secret, SecretFault> {
        if !LENGTH.contains(&bytes.len()) {
            return Err(SecretFault::Length { found: bytes.len() });
        }
        Ok(Secret(bytes.into()))
    }

    /// Reads `whsec_` and base64.
    pub fn parse(text: &str) -> Result<Secret, SecretFault> {
        let base64 = text.strip_prefix(PREFIX).ok_or(SecretFault::Prefix)?;
        let bytes = BASE64.decode(base64.as_bytes()).map_err(|_cause| SecretFault::Base64)?;
        Secret::from_bytes(&bytes)
    }

    /// The bytes, to be kept.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text for the receiver.
    pub fn reveal(&self) -> String {
        format!("{PREFIX}{}", BASE64.encode(&self.0))
    }

    /// One signature.
    fn sign(&self, id: &DeliveryId, timestamp: i64, body: &[u8]) -> String {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes a key of any length");
        mac.update(format!("{id}.{timestamp}.").as_bytes());
        mac.update(body);
        format!("v1,{}", BASE64.encode(&mac.finalize().into_bytes()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(hidden)")
    }
}

/// The secrets of one webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secrets {
    /// The one that receivers are to use.
    pub current: Secret,
    /// The one before, and the second since 1970 from which it signs no more.
    pub previous: Option<(Secret, i64)>,
}

impl Secrets {
    /// A first secret.
    pub fn first(current: Secret) -> Secrets {
        Secrets { current, previous: None }
    }

    /// The value of `webhook-signature` at `timestamp`.
    pub fn sign(&self, id: &DeliveryId, timestamp: i64, body: &[u8]) -> String {
        let mut signatures = self.current.sign(id, timestamp, body);
        if let Some((previous, until)) = &self.previous
            && timestamp < *until
        {
            signatures.push(' ');
            signatures.push_str(&previous.sign(id, timestamp, body));
        }
        signatures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    /// The vector of the standard's own libraries. Its id is of another make than ours.
    #[test]
    fn the_signature_is_that_of_the_standard() {
        let secret = Secret::parse(TEXT).expect("a secret");
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any length");
        mac.update(b"msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{\"test\": 2432232314}");
        let expected = "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(BASE64.encode(&mac.finalize().into_bytes()), expected);
    }

    #[test]
    fn an_older_secret_signs_beside_the_newer_until_its_time_is_over() {
        let id = DeliveryId::from_random([7; 15]);
        let (old, new) = (Secret::from_random([1; 32]), Secret::from_random([2; 32]));
        let secrets = Secrets { current: new.clone(), previous: Some((old.clone(), 1000)) };
        let both = format!("{} {}", new.sign(&id, 999, b"{}"), old.sign(&id, 999, b"{}"));
        assert_eq!(secrets.sign(&id, 999, b"{}"), both);
        assert_eq!(secrets.sign(&id, 1000, b"{}"), new.sign(&id, 1000, b"{}"));
        assert_eq!(Secrets::first(new.clone()).sign(&id, 5, b"{}"), new.sign(&id, 5, b"{}"));
        assert!(new.sign(&id, 5, b"{}").starts_with("v1,"));
        assert_ne!(new.sign(&id, 5, b"{}"), new.sign(&id, 6, b"{}"));
        assert_ne!(new.sign(&id, 5, b"{}"), new.sign(&id, 5, b"{ }"));
    }

    #[test]
    fn a_secret_reads_back_and_hides_itself() {
        let secret = Secret::parse(TEXT).expect("a secret");
        assert_eq!(secret.reveal(), TEXT);
        assert_eq!(Secret::from_bytes(secret.as_bytes()), Ok(secret.clone()));
        assert_eq!(format!("{secret:?}"), "Secret(hidden)");
        assert_eq!(Secret::parse("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), Err(SecretFault::Prefix));
        assert_eq!(Secret::parse("whsec_"), Err(SecretFault::Length { found: 0 }));
        assert_eq!(Secret::parse("whsec_AAAA"), Err(SecretFault::Length { found: 3 }));
        assert_eq!(Secret::parse("whsec_台"), Err(SecretFault::Base64));
        assert_eq!(Secret::from_bytes(&[0; 65]), Err(SecretFault::Length { found: 65 }));
    }
}
