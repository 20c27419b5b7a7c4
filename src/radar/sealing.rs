//! The key that encrypts webhook secrets, as used by one process.
//!
//! It is read when first needed; after a failure, reading is retried at each use. Without a key the server
//! works, except for new secrets and deliveries.

use std::sync::{Arc, OnceLock};

use super::key_place::{self, KeyFault, KeyPlace};
use super::seal::{OpenFault, SealKey, StoredSecret, StoredSecrets};
use super::webhook::{Secret, Secrets};
use crate::account::AccountId;
use crate::account::random::random_bytes;

#[derive(Debug, Clone)]
pub struct Sealing(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    place: KeyPlace,
    /// Empty until the key was read.
    key: OnceLock<SealKey>,
}

impl Sealing {
    pub fn of(place: KeyPlace) -> Sealing {
        Sealing(Arc::new(Inner { place, key: OnceLock::new() }))
    }

    pub fn key(&self) -> Result<&SealKey, KeyFault> {
        match self.0.key.get() {
            Some(key) => Ok(key),
            None => self.0.place.read().map(|key| self.0.key.get_or_init(|| key)),
        }
    }

    /// Creates a missing key beside the state file. Only for a store without encrypted secrets.
    pub fn make_missing(&self) -> Result<(), KeyFault> {
        if let (Err(KeyFault::Missing(path)), KeyPlace::Beside(state)) = (self.key(), &self.0.place)
        {
            key_place::make(&path, state)?;
            let file = path.display();
            tracing::info!(%file, "created the key of webhook secrets; back it up with the state");
        }
        Ok(())
    }

    pub fn seal(&self, account: AccountId, secret: &Secret) -> Result<StoredSecret, KeyFault> {
        Ok(self.key()?.seal(account, secret, random_bytes()?))
    }

    /// Decrypts the secrets of a webhook. Leaves out a previous one encrypted with another key: the current one
    /// signs.
    pub fn open(&self, account: AccountId, stored: &StoredSecrets) -> Result<Secrets, KeyFault> {
        let open = |secret: &StoredSecret| match secret {
            // Deliveries work even without a key yet.
            StoredSecret::Plain(plain) => Ok(plain.clone()),
            StoredSecret::Sealed(_) => {
                self.key()?.open(account, secret).map_err(|fault| self.wrong(fault))
            }
        };
        let previous = stored.previous.as_ref();
        Ok(Secrets {
            current: open(&stored.current)?,
            previous: previous.and_then(|(secret, until)| Some((open(secret).ok()?, *until))),
        })
    }

    fn wrong(&self, fault: OpenFault) -> KeyFault {
        KeyFault::Wrong { place: self.0.place.shown(), fault }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACCOUNT: AccountId = AccountId(1);

    #[test]
    fn a_previous_secret_sealed_with_another_key_is_left_out() {
        let key = |letter: &str| {
            let text = format!("{}=", letter.repeat(43));
            Sealing::of(KeyPlace::Variable { name: "DAICHO_WEBHOOK_KEY", text })
        };
        let (ours, other) = (key("A"), key("I"));
        let secret = |seed| Secret::from_random([seed; 32]);
        let sealed = |key: &Sealing, seed| key.seal(ACCOUNT, &secret(seed)).expect("sealed");
        let stored = |current: StoredSecret, previous: StoredSecret| StoredSecrets {
            current,
            previous: Some((previous, 1000)),
        };
        let both = ours.open(ACCOUNT, &stored(sealed(&ours, 1), sealed(&ours, 2)));
        let both = both.expect("ours");
        assert_eq!((both.current, both.previous), (secret(1), Some((secret(2), 1000))));
        let one = ours.open(ACCOUNT, &stored(sealed(&ours, 1), sealed(&other, 2)));
        assert_eq!(one.expect("ours").previous, None);
        let fault = ours.open(ACCOUNT, &stored(sealed(&other, 1), sealed(&ours, 2)));
        let fault = fault.expect_err("sealed with another key").to_string();
        assert!(fault.contains("DAICHO_WEBHOOK_KEY: the secret was encrypted with another key"));
        let nowhere = Sealing::of(KeyPlace::Nowhere);
        let plain = StoredSecrets { current: StoredSecret::Plain(secret(1)), previous: None };
        assert_eq!(nowhere.open(ACCOUNT, &plain).expect("plain").current, secret(1));
        nowhere.open(ACCOUNT, &stored(sealed(&ours, 1), sealed(&ours, 2))).expect_err("no key");
    }

    #[test]
    fn a_missing_key_is_read_again_until_it_exists() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("key");
        let sealing = Sealing::of(KeyPlace::File(path.clone()));
        assert!(matches!(sealing.key(), Err(KeyFault::Missing(_))));
        sealing.make_missing().expect("a file named by an option is not created");
        assert!(!path.exists());
        std::fs::write(&path, format!("{}=\n", "A".repeat(43))).expect("written");
        sealing.key().expect("the file exists now");
    }
}
