//! The key of webhook secrets, sealed with a passphrase: Argon2id makes a key of the passphrase, ChaCha20-Poly1305 seals
//! with it. The entry states the costs of Argon2id, so that they may be raised later.

use argon2::{Algorithm, Argon2, Params, Version};
use data_encoding::BASE64;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use serde::{Deserialize, Serialize};

use super::error::BackupError;
use crate::account::{Password, random_bytes};

const SALT_LENGTH: usize = 16;
const KEY_LENGTH: usize = 32;

/// Bounds for the costs that an entry may state: a damaged one must not take all memory.
const MEMORY_KIB_MAX: u32 = 1 << 20;
const PASSES_MAX: u32 = 100;
const LANES_MAX: u32 = 16;

/// What the seal is bound to.
const PURPOSE: &[u8] = b"daicho webhook key, sealed 1";

/// As an entry has it: bytes are in base64.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SealedKey {
    kdf: String,
    memory_kib: u32,
    passes: u32,
    lanes: u32,
    salt: String,
    nonce: String,
    sealed: String,
}

const KDF: &str = "argon2id";

impl SealedKey {
    /// Seals the text of a key.
    pub fn seal(text: &str, passphrase: &Password) -> Result<SealedKey, BackupError> {
        let params = Params::default();
        let mut sealed = SealedKey {
            kdf: KDF.to_owned(),
            memory_kib: params.m_cost(),
            passes: params.t_cost(),
            lanes: params.p_cost(),
            salt: BASE64.encode(&random_bytes::<SALT_LENGTH>()?),
            nonce: String::new(),
            sealed: String::new(),
        };
        let nonce = random_bytes::<NONCE_LEN>()?;
        let mut bytes = text.as_bytes().to_vec();
        sealed
            .key(passphrase)?
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(PURPOSE),
                &mut bytes,
            )
            .expect("a short text is below the bound of the algorithm");
        sealed.nonce = BASE64.encode(&nonce);
        sealed.sealed = BASE64.encode(&bytes);
        Ok(sealed)
    }

    /// The text of the key. The archive was checked before, so only the passphrase can be wrong.
    pub fn open(&self, passphrase: &Password) -> Result<String, BackupError> {
        let nonce = decode(&self.nonce)?;
        let nonce = Nonce::try_assume_unique_for_key(&nonce).map_err(|_length| malformed())?;
        let mut bytes = decode(&self.sealed)?;
        let key = self.key(passphrase)?;
        let opened = key.open_in_place(nonce, Aad::from(PURPOSE), &mut bytes);
        let text = opened.map_err(|_unspecified| BackupError::WrongPassphrase)?;
        String::from_utf8(text.to_vec()).map_err(|_bytes| malformed())
    }

    fn key(&self, passphrase: &Password) -> Result<LessSafeKey, BackupError> {
        let is_within = self.memory_kib <= MEMORY_KIB_MAX
            && self.passes <= PASSES_MAX
            && self.lanes <= LANES_MAX;
        if self.kdf != KDF || !is_within {
            return Err(malformed());
        }
        let params = Params::new(self.memory_kib, self.passes, self.lanes, Some(KEY_LENGTH));
        let argon = Argon2::new(
            Algorithm::Argon2id,
            Version::V0x13,
            params.map_err(|_params| malformed())?,
        );
        let mut key = [0; KEY_LENGTH];
        let made = argon.hash_password_into(
            passphrase.reveal().as_bytes(),
            &decode(&self.salt)?,
            &mut key,
        );
        made.map_err(|_error| BackupError::NoMemory)?;
        let key = UnboundKey::new(&CHACHA20_POLY1305, &key).expect("32 bytes are its length");
        Ok(LessSafeKey::new(key))
    }
}

fn decode(text: &str) -> Result<Vec<u8>, BackupError> {
    BASE64.decode(text.as_bytes()).map_err(|_not_base64| malformed())
}

fn malformed() -> BackupError {
    BackupError::damaged("the sealed key has another form")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passphrase(text: &str) -> Password {
        Password::parse(text).expect("long enough")
    }

    #[test]
    fn a_sealed_key_is_opened_only_with_its_passphrase() {
        let sealed = SealedKey::seal("the key", &passphrase("correct horse")).expect("sealed");
        assert!(!format!("{sealed:?}").contains("the key"));
        assert_eq!(sealed.open(&passphrase("correct horse")).expect("opened"), "the key");
        let wrong = sealed.open(&passphrase("correct hors3")).expect_err("wrong");
        assert!(matches!(wrong, BackupError::WrongPassphrase), "{wrong}");
        let again = SealedKey::seal("the key", &passphrase("correct horse")).expect("sealed");
        assert_ne!(sealed, again, "salt and nonce are random");
    }

    #[test]
    fn an_entry_of_another_form_is_damaged() {
        let sealed = SealedKey::seal("the key", &passphrase("correct horse")).expect("sealed");
        let changes: [fn(&mut SealedKey); 6] = [
            |it| it.kdf = "scrypt".to_owned(),
            |it| it.memory_kib = u32::MAX,
            |it| it.passes = 0,
            |it| it.lanes = 1000,
            |it| it.salt = "?".to_owned(),
            |it| it.nonce = "AAAA".to_owned(),
        ];
        for change in changes {
            let mut changed = sealed.clone();
            change(&mut changed);
            let error = changed.open(&passphrase("correct horse")).expect_err("damaged");
            assert!(error.is_damage(), "{error}");
        }
    }
}
