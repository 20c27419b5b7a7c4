//! Signatures of events, after Standard Webhooks 1.0.0.
//!
//! The header `webhook-signature` is `v1,` and the base64 of HMAC-SHA256 over `ID.TIMESTAMP.BODY`. For a day after a
//! rotation it has two signatures, separated by a space: one by the new secret and one by the previous secret. So a
//! receiver may switch at any time within that day.

use data_encoding::BASE64;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::event::DeliveryId;

const PREFIX: &str = "whsec_";

/// Bytes of a secret that the standard allows.
const SECRET_LENGTHS: std::ops::RangeInclusive<usize> = 24..=SECRET_LENGTH_MAX;
pub const SECRET_LENGTH_MAX: usize = 64;

/// Bytes of a generated secret.
pub const SECRET_RANDOM_LENGTH: usize = 32;

/// How long the previous secret also signs, in seconds: a day.
pub const ROTATION_SECONDS: i64 = 24 * 60 * 60;

/// A secret that sender and receiver share. `Debug` hides it.
#[derive(derive_more::Debug, Clone, PartialEq, Eq)]
#[debug("Secret(hidden)")]
pub struct Secret(Box<[u8]>);

/// Why bytes cannot be a secret. Does not repeat them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a webhook secret has 24 to 64 bytes; found {found}")]
pub struct SecretFault {
    found: usize,
}

impl Secret {
    pub fn from_random(random: [u8; SECRET_RANDOM_LENGTH]) -> Secret {
        Secret(random.into())
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Secret, SecretFault> {
        if !SECRET_LENGTHS.contains(&bytes.len()) {
            return Err(SecretFault { found: bytes.len() });
        }
        Ok(Secret(bytes.into()))
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text for the receiver: `whsec_` and base64.
    pub fn reveal(&self) -> String {
        format!("{PREFIX}{}", BASE64.encode(&self.0))
    }

    fn sign(&self, id: &str, timestamp: i64, body: &[u8]) -> String {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes a key of any length");
        mac.update(format!("{id}.{timestamp}.").as_bytes());
        mac.update(body);
        format!("v1,{}", BASE64.encode(&mac.finalize().into_bytes()))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secrets {
    pub current: Secret,
    /// The secret before the last rotation, and when it expires, in seconds since 1970.
    pub previous: Option<(Secret, i64)>,
}

impl Secrets {
    /// The value of `webhook-signature`. `timestamp` is in seconds since 1970.
    pub fn sign(&self, id: &DeliveryId, timestamp: i64, body: &[u8]) -> String {
        let id = id.as_str();
        let mut signatures = self.current.sign(id, timestamp, body);
        if let Some((previous, expires_at)) = &self.previous
            && timestamp < *expires_at
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

    fn standard_secret() -> Secret {
        let base64 = TEXT.strip_prefix(PREFIX).expect("a secret");
        Secret::from_bytes(&BASE64.decode(base64.as_bytes()).expect("base64")).expect("a secret")
    }

    /// The test vector of the standard's own libraries; its id has another format than ours.
    #[test]
    fn the_signature_is_that_of_the_standard() {
        let (id, body) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", b"{\"test\": 2432232314}");
        let expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(standard_secret().sign(id, 1_614_265_330, body), expected);
    }

    #[test]
    fn the_previous_secret_signs_as_well_until_it_expires() {
        let id = DeliveryId::from_random([7; 15]);
        let (old, new) = (Secret::from_random([1; 32]), Secret::from_random([2; 32]));
        let secrets = Secrets { current: new.clone(), previous: Some((old.clone(), 1000)) };
        let one = |secret: &Secret, timestamp| secret.sign(id.as_str(), timestamp, b"{}");
        let both = format!("{} {}", one(&new, 999), one(&old, 999));
        assert_eq!(secrets.sign(&id, 999, b"{}"), both);
        assert_eq!(secrets.sign(&id, 1000, b"{}"), one(&new, 1000));
        let never_rotated = Secrets { current: new.clone(), previous: None };
        assert_eq!(never_rotated.sign(&id, 5, b"{}"), one(&new, 5));
        assert_ne!(one(&new, 5), one(&new, 6));
        assert_ne!(one(&new, 5), new.sign(id.as_str(), 5, b"{ }"));
    }

    #[test]
    fn secrets_have_a_bounded_length_and_are_hidden() {
        let secret = standard_secret();
        assert_eq!(secret.reveal(), TEXT);
        assert_eq!(Secret::from_bytes(secret.as_bytes()), Ok(secret.clone()));
        assert_eq!(format!("{secret:?}"), "Secret(hidden)");
        assert_eq!(Secret::from_bytes(&[0; 65]), Err(SecretFault { found: 65 }));
    }
}
