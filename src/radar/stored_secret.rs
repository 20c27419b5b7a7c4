//! A webhook's secret as the store keeps it: encrypted with a key that is not in the store.
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
//! The cipher is ChaCha20-Poly1305. The account's number is authenticated too, so that a secret moved to another
//! account is refused. Earlier versions stored secrets in plain bytes, at most 64 of them; these are still read. Knows
//! no file and no clock.

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use sha2::{Digest, Sha256};

use super::webhook::Secret;
use super::webhook::signature::{SECRET_LENGTH_MAX, SecretFault};
use crate::account::AccountId;

pub const ENCRYPTION_KEY_LENGTH: usize = 32;
pub const NONCE_LENGTH: usize = 12;

const VERSION: u8 = 1;
const KEY_ID_LENGTH: usize = 8;
const HEAD_LENGTH: usize = 1 + KEY_ID_LENGTH + NONCE_LENGTH;
/// Every secret is padded to this length, so that the length of the encrypted bytes does not show it.
const PADDED_LENGTH: usize = 1 + SECRET_LENGTH_MAX;
const TAG_LENGTH: usize = 16;
pub const ENCRYPTED_LENGTH: usize = HEAD_LENGTH + PADDED_LENGTH + TAG_LENGTH;

const _: () = assert!(
    ENCRYPTED_LENGTH > SECRET_LENGTH_MAX,
    "the length distinguishes encrypted secrets from plain ones"
);

/// The key that encrypts secrets. `Debug` shows only the beginning of its id.
pub struct EncryptionKey {
    key: LessSafeKey,
    /// The beginning of its hash: tells a wrong key from a damaged secret.
    id: [u8; KEY_ID_LENGTH],
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredSecret {
    /// Stored by an earlier version.
    Plain(Secret),
    Encrypted(Box<[u8; ENCRYPTED_LENGTH]>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSecrets {
    pub current: StoredSecret,
    /// The secret before the last rotation, and when it expires, in seconds since 1970.
    pub previous: Option<(StoredSecret, i64)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecryptFault {
    #[error("the secret was encrypted with another key")]
    OtherKey,
    #[error("the encrypted secret is damaged, or is that of another account")]
    Damaged,
}

impl EncryptionKey {
    /// The bytes must come from the system's random number generator.
    pub fn from_bytes(bytes: &[u8; ENCRYPTION_KEY_LENGTH]) -> EncryptionKey {
        let key = UnboundKey::new(&CHACHA20_POLY1305, bytes).expect("32 bytes are its length");
        let hash = Sha256::new().chain_update(b"daicho webhook key").chain_update(bytes);
        let hash = hash.finalize();
        EncryptionKey { key: LessSafeKey::new(key), id: std::array::from_fn(|index| hash[index]) }
    }

    /// Encrypts a secret. The nonce must be random.
    pub fn encrypt(
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
                account_data(account),
                &mut padded,
            )
            .expect("a text of 65 bytes is below the bound of the algorithm");
        let parts = [&[VERSION][..], &self.id, &nonce, &padded, tag.as_ref()].concat();
        StoredSecret::Encrypted(Box::new(parts.try_into().expect("the lengths of the parts")))
    }

    pub fn decrypt(
        &self,
        account: AccountId,
        stored: &StoredSecret,
    ) -> Result<Secret, DecryptFault> {
        let encrypted = match stored {
            StoredSecret::Plain(secret) => return Ok(secret.clone()),
            StoredSecret::Encrypted(encrypted) => encrypted,
        };
        let (head, body) = encrypted.split_at(HEAD_LENGTH);
        let (id, nonce) = head[1..].split_at(KEY_ID_LENGTH);
        if id != self.id {
            return Err(DecryptFault::OtherKey);
        }
        let nonce = Nonce::try_assume_unique_for_key(nonce).expect("twelve bytes");
        let mut body = body.to_vec();
        let padded = self.key.open_in_place(nonce, account_data(account), &mut body);
        let padded = padded.map_err(|_unspecified| DecryptFault::Damaged)?;
        let secret = padded.split_first().and_then(|(length, rest)| rest.get(..(*length).into()));
        secret.and_then(|bytes| Secret::from_bytes(bytes).ok()).ok_or(DecryptFault::Damaged)
    }
}

/// The associated data that binds a secret to its account.
fn account_data(account: AccountId) -> Aad<[u8; 8]> {
    Aad::from(account.0.to_be_bytes())
}

impl std::fmt::Debug for EncryptionKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "EncryptionKey({:02x?}…)", &self.id[..2])
    }
}

impl StoredSecret {
    pub fn from_bytes(bytes: &[u8]) -> Result<StoredSecret, SecretFault> {
        match <&[u8; ENCRYPTED_LENGTH]>::try_from(bytes) {
            Ok(encrypted) if encrypted[0] == VERSION => {
                Ok(StoredSecret::Encrypted(Box::new(*encrypted)))
            }
            _ => Secret::from_bytes(bytes).map(StoredSecret::Plain),
        }
    }

    pub fn as_bytes(&self) -> &[u8] {
        match self {
            StoredSecret::Plain(secret) => secret.as_bytes(),
            StoredSecret::Encrypted(encrypted) => &encrypted[..],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNER: AccountId = AccountId(7);

    fn key(seed: u8) -> EncryptionKey {
        EncryptionKey::from_bytes(&[seed; ENCRYPTION_KEY_LENGTH])
    }

    fn secret(length: usize) -> Secret {
        Secret::from_bytes(&vec![5; length]).expect("a secret")
    }

    #[test]
    fn a_secret_is_decrypted_only_with_its_key_and_for_its_account() {
        for length in [24, 32, 64] {
            let encrypted = key(1).encrypt(OWNER, &secret(length), [9; NONCE_LENGTH]);
            let stored = StoredSecret::from_bytes(encrypted.as_bytes()).expect("what was stored");
            assert_eq!((&stored, stored.as_bytes().len()), (&encrypted, ENCRYPTED_LENGTH));
            assert_eq!(key(1).decrypt(OWNER, &stored), Ok(secret(length)));
            assert_eq!(key(2).decrypt(OWNER, &stored), Err(DecryptFault::OtherKey));
            assert_eq!(key(1).decrypt(AccountId(8), &stored), Err(DecryptFault::Damaged));
            assert!(
                !stored.as_bytes().windows(4).any(|bytes| bytes == [5; 4]),
                "the secret is stored in plain text"
            );
        }
        let (one, other) = ([1; NONCE_LENGTH], [2; NONCE_LENGTH]);
        assert_ne!(
            key(1).encrypt(OWNER, &secret(32), one),
            key(1).encrypt(OWNER, &secret(32), other)
        );
    }

    #[test]
    fn every_changed_bit_is_refused() {
        let encrypted = key(1).encrypt(OWNER, &secret(32), [9; NONCE_LENGTH]);
        for bit in 0..ENCRYPTED_LENGTH * 8 {
            let mut bytes = encrypted.as_bytes().to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let decrypted =
                StoredSecret::from_bytes(&bytes).map(|stored| key(1).decrypt(OWNER, &stored));
            assert!(!matches!(decrypted, Ok(Ok(_))), "bit {bit}");
        }
    }

    #[test]
    fn plain_secrets_of_earlier_versions_are_read() {
        for length in [24, 64] {
            let stored = StoredSecret::from_bytes(&vec![5; length]).expect("a secret");
            assert!(matches!(stored, StoredSecret::Plain(_)));
            assert_eq!(key(1).decrypt(OWNER, &stored), Ok(secret(length)));
        }
        for length in [0, 23, 65, ENCRYPTED_LENGTH - 1, ENCRYPTED_LENGTH + 1, 1000] {
            StoredSecret::from_bytes(&vec![1; length]).expect_err("neither plain nor encrypted");
        }
        StoredSecret::from_bytes(&[2; ENCRYPTED_LENGTH]).expect_err("another version");
    }

    #[test]
    fn printing_a_key_does_not_show_it() {
        let text = format!("{:?}", key(0xab));
        assert!(text.len() < 30 && !text.contains("ab, ab"), "{text}");
    }
}
