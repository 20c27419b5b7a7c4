//! Secrets of webhooks as the store keeps them: encrypted with a key that is not in the store.
//!
//! ```text
//! offset  length  part
//!      0       1  1, the version of this form
//!      1       8  which key: the beginning of its SHA-256
//!      9      12  nonce, random
//!     21      65  encrypted: the secret's length, the secret, zeros
//!     86      16  tag
//! ```
//!
//! ChaCha20-Poly1305; the account's number is authenticated too, so that a secret moved to another account is refused.
//! A secret that an earlier version stored is in plain bytes, at most 64 of them. Knows no file and no clock.

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use sha2::{Digest, Sha256};

use super::webhook::Secret;
use super::webhook::signature::{SECRET_LENGTH_MAX, SecretFault};
use crate::account::AccountId;

pub const SEAL_KEY_LENGTH: usize = 32;
pub const NONCE_LENGTH: usize = 12;

const VERSION: u8 = 1;
const ID_LENGTH: usize = 8;
const HEAD_LENGTH: usize = 1 + ID_LENGTH + NONCE_LENGTH;
const PADDED_LENGTH: usize = 1 + SECRET_LENGTH_MAX;
pub const SEALED_LENGTH: usize = HEAD_LENGTH + PADDED_LENGTH + 16;

const _: () = assert!(SEALED_LENGTH > SECRET_LENGTH_MAX, "the length tells sealed from plain");

/// The key. `Debug` shows only which one it is.
pub struct SealKey {
    key: LessSafeKey,
    id: [u8; ID_LENGTH],
}

/// A secret in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredSecret {
    /// Stored by an earlier version.
    Plain(Secret),
    Sealed(Box<[u8; SEALED_LENGTH]>),
}

/// The secrets of a webhook in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSecrets {
    pub current: StoredSecret,
    /// The previous one, and the second since 1970 at which it expires.
    pub previous: Option<(StoredSecret, i64)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OpenFault {
    #[error("the secret was encrypted with another key")]
    OtherKey,
    #[error("the encrypted secret is damaged, or is that of another account")]
    Damaged,
}

impl SealKey {
    /// The bytes must come from the system's random number generator.
    pub fn from_bytes(bytes: &[u8; SEAL_KEY_LENGTH]) -> SealKey {
        let key = UnboundKey::new(&CHACHA20_POLY1305, bytes).expect("32 bytes are its length");
        let hash = Sha256::new().chain_update(b"daicho webhook key").chain_update(bytes);
        let hash = hash.finalize();
        SealKey { key: LessSafeKey::new(key), id: std::array::from_fn(|at| hash[at]) }
    }

    /// The nonce must be random.
    pub fn seal(
        &self,
        account: AccountId,
        secret: &Secret,
        nonce: [u8; NONCE_LENGTH],
    ) -> StoredSecret {
        let bytes = secret.as_bytes();
        let mut padded = [0; PADDED_LENGTH];
        padded[0] = u8::try_from(bytes.len()).expect("at most 64 bytes");
        padded[1..=bytes.len()].copy_from_slice(bytes);
        let tag = self
            .key
            .seal_in_place_separate_tag(
                Nonce::assume_unique_for_key(nonce),
                aad(account),
                &mut padded,
            )
            .expect("a text of 65 bytes is below the bound of the algorithm");
        let parts = [&[VERSION][..], &self.id, &nonce, &padded, tag.as_ref()].concat();
        StoredSecret::Sealed(Box::new(parts.try_into().expect("the lengths of the parts")))
    }

    pub fn open(&self, account: AccountId, stored: &StoredSecret) -> Result<Secret, OpenFault> {
        let sealed = match stored {
            StoredSecret::Plain(secret) => return Ok(secret.clone()),
            StoredSecret::Sealed(sealed) => sealed,
        };
        let (head, body) = sealed.split_at(HEAD_LENGTH);
        let (id, nonce) = head[1..].split_at(ID_LENGTH);
        if id != self.id {
            return Err(OpenFault::OtherKey);
        }
        let nonce = Nonce::try_assume_unique_for_key(nonce).expect("twelve bytes");
        let mut body = body.to_vec();
        let padded = self.key.open_in_place(nonce, aad(account), &mut body);
        let padded = padded.map_err(|_unspecified| OpenFault::Damaged)?;
        let secret = padded.split_first().and_then(|(length, rest)| rest.get(..(*length).into()));
        secret.and_then(|bytes| Secret::from_bytes(bytes).ok()).ok_or(OpenFault::Damaged)
    }
}

fn aad(account: AccountId) -> Aad<[u8; 8]> {
    Aad::from(account.0.to_be_bytes())
}

impl std::fmt::Debug for SealKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SealKey({:02x?}…)", &self.id[..2])
    }
}

impl StoredSecret {
    pub fn from_bytes(bytes: &[u8]) -> Result<StoredSecret, SecretFault> {
        match <&[u8; SEALED_LENGTH]>::try_from(bytes) {
            Ok(sealed) if sealed[0] == VERSION => Ok(StoredSecret::Sealed(Box::new(*sealed))),
            _ => Secret::from_bytes(bytes).map(StoredSecret::Plain),
        }
    }

    pub fn as_bytes(&self) -> &[u8] {
        match self {
            StoredSecret::Plain(secret) => secret.as_bytes(),
            StoredSecret::Sealed(sealed) => &sealed[..],
        }
    }

    pub fn is_sealed(&self) -> bool {
        matches!(self, StoredSecret::Sealed(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNER: AccountId = AccountId(7);

    fn key(seed: u8) -> SealKey {
        SealKey::from_bytes(&[seed; SEAL_KEY_LENGTH])
    }

    fn secret(length: usize) -> Secret {
        Secret::from_bytes(&vec![5; length]).expect("a secret")
    }

    #[test]
    fn secret_is_opened_by_its_key_for_its_account() {
        for length in [24, 32, 64] {
            let sealed = key(1).seal(OWNER, &secret(length), [9; NONCE_LENGTH]);
            let kept = StoredSecret::from_bytes(sealed.as_bytes()).expect("what was stored");
            assert_eq!((&kept, kept.as_bytes().len()), (&sealed, SEALED_LENGTH));
            assert_eq!(key(1).open(OWNER, &kept), Ok(secret(length)));
            assert_eq!(key(2).open(OWNER, &kept), Err(OpenFault::OtherKey));
            assert_eq!(key(1).open(AccountId(8), &kept), Err(OpenFault::Damaged));
            assert!(
                !kept.as_bytes().windows(4).any(|bytes| bytes == [5; 4]),
                "the secret is stored in plain text"
            );
        }
        let (one, other) = ([1; NONCE_LENGTH], [2; NONCE_LENGTH]);
        assert_ne!(key(1).seal(OWNER, &secret(32), one), key(1).seal(OWNER, &secret(32), other));
    }

    #[test]
    fn every_changed_bit_is_refused() {
        let sealed = key(1).seal(OWNER, &secret(32), [9; NONCE_LENGTH]);
        for bit in 0..SEALED_LENGTH * 8 {
            let mut bytes = sealed.as_bytes().to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let opened = StoredSecret::from_bytes(&bytes).map(|kept| key(1).open(OWNER, &kept));
            assert!(!matches!(opened, Ok(Ok(_))), "bit {bit}");
        }
    }

    #[test]
    fn plain_secrets_of_earlier_versions_are_read() {
        for length in [24, 64] {
            let kept = StoredSecret::from_bytes(&vec![5; length]).expect("a secret");
            assert!(!kept.is_sealed());
            assert_eq!(key(1).open(OWNER, &kept), Ok(secret(length)));
        }
        for length in [0, 23, 65, SEALED_LENGTH - 1, SEALED_LENGTH + 1, 1000] {
            StoredSecret::from_bytes(&vec![1; length]).expect_err("neither plain nor sealed");
        }
        StoredSecret::from_bytes(&[2; SEALED_LENGTH]).expect_err("another version");
    }

    #[test]
    fn printing_a_key_does_not_show_it() {
        let text = format!("{:?}", key(0xab));
        assert!(text.len() < 30 && !text.contains("ab, ab"), "{text}");
    }
}
