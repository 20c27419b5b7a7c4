//! Encrypts and decrypts webhook secrets with the key of this process.
//!
//! The key is read when it is first needed; after a failure, each use tries again. Without a key the server works,
//! except that no secret can be created and no delivery can be signed.

use std::sync::{Arc, OnceLock};

use super::key_location::{self, EncryptionKeyFault, KeyLocation};
use super::stored_secret::{EncryptionKey, StoredSecret, StoredSecrets};
use super::webhook::{Secret, Secrets};
use crate::account::AccountId;
use crate::account::random_bytes;

/// Clones share the key.
#[derive(Debug, Clone)]
pub struct SecretCipher {
    location: Arc<KeyLocation>,
    /// Empty until the key has been read.
    key: Arc<OnceLock<EncryptionKey>>,
}

impl SecretCipher {
    pub fn new(location: KeyLocation) -> SecretCipher {
        SecretCipher { location: Arc::new(location), key: Arc::default() }
    }

    pub fn key(&self) -> Result<&EncryptionKey, EncryptionKeyFault> {
        match self.key.get() {
            Some(key) => Ok(key),
            None => self.location.read().map(|key| self.key.get_or_init(|| key)),
        }
    }

    /// Creates a missing key beside the state file. Call it only if the store has no encrypted secrets: a new key could
    /// not decrypt them.
    pub fn create_key_if_missing(&self) -> Result<(), EncryptionKeyFault> {
        if let (Err(EncryptionKeyFault::Missing(path)), KeyLocation::BesideState(state)) =
            (self.key(), &*self.location)
        {
            key_location::create_key_file(&path, state)?;
            let file = path.display();
            tracing::info!(%file, "created the key of webhook secrets; back it up with the state");
        }
        Ok(())
    }

    pub fn encrypt(
        &self,
        account: AccountId,
        secret: &Secret,
    ) -> Result<StoredSecret, EncryptionKeyFault> {
        Ok(self.key()?.encrypt(account, secret, random_bytes()?))
    }

    /// Decrypts the secrets of a webhook. Leaves out a previous secret that was encrypted with another key, because
    /// the current one is enough to sign.
    pub fn decrypt(
        &self,
        account: AccountId,
        stored: &StoredSecrets,
    ) -> Result<Secrets, EncryptionKeyFault> {
        let wrong_key =
            |fault| EncryptionKeyFault::Wrong { location: self.location.display_name(), fault };
        let decrypt = |secret: &StoredSecret| match secret {
            // No key is needed, so deliveries are signed even before there is one.
            StoredSecret::Plain(plain) => Ok(plain.clone()),
            StoredSecret::Encrypted(_) => self.key()?.decrypt(account, secret).map_err(wrong_key),
        };
        let previous = stored.previous.as_ref();
        Ok(Secrets {
            current: decrypt(&stored.current)?,
            previous: previous.and_then(|(secret, until)| Some((decrypt(secret).ok()?, *until))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACCOUNT: AccountId = AccountId(1);

    #[test]
    fn a_previous_secret_encrypted_with_another_key_is_left_out() {
        let key = |letter: &str| {
            let text = format!("{}=", letter.repeat(43));
            SecretCipher::new(KeyLocation::Variable { name: "DAICHO_WEBHOOK_KEY", text })
        };
        let (ours, other) = (key("A"), key("I"));
        let secret = |seed| Secret::from_random([seed; 32]);
        let encrypted =
            |key: &SecretCipher, seed| key.encrypt(ACCOUNT, &secret(seed)).expect("encrypted");
        let stored = |current: StoredSecret, previous: StoredSecret| StoredSecrets {
            current,
            previous: Some((previous, 1000)),
        };
        let both = ours.decrypt(ACCOUNT, &stored(encrypted(&ours, 1), encrypted(&ours, 2)));
        let both = both.expect("ours");
        assert_eq!((both.current, both.previous), (secret(1), Some((secret(2), 1000))));
        let one = ours.decrypt(ACCOUNT, &stored(encrypted(&ours, 1), encrypted(&other, 2)));
        assert_eq!(one.expect("ours").previous, None);
        let fault = ours.decrypt(ACCOUNT, &stored(encrypted(&other, 1), encrypted(&ours, 2)));
        let fault = fault.expect_err("encrypted with another key").to_string();
        assert!(fault.contains("DAICHO_WEBHOOK_KEY: the secret was encrypted with another key"));
        let keyless = SecretCipher::new(KeyLocation::NotConfigured);
        let plain = StoredSecrets { current: StoredSecret::Plain(secret(1)), previous: None };
        assert_eq!(keyless.decrypt(ACCOUNT, &plain).expect("plain").current, secret(1));
        keyless
            .decrypt(ACCOUNT, &stored(encrypted(&ours, 1), encrypted(&ours, 2)))
            .expect_err("no key");
    }

    #[test]
    fn a_missing_key_is_read_again_until_it_exists() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("key");
        let cipher = SecretCipher::new(KeyLocation::File(path.clone()));
        assert!(matches!(cipher.key(), Err(EncryptionKeyFault::Missing(_))));
        cipher.create_key_if_missing().expect("a file named by an option is not created");
        assert!(!path.exists());
        std::fs::write(&path, format!("{}=\n", "A".repeat(43))).expect("written");
        cipher.key().expect("the file exists now");
    }
}
