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
//!
//! The key is in a file or an environment variable, never in the store. It is read when it is first needed; after a
//! failure, each use tries again. Without a key the server works, except that no secret can be created and no delivery
//! can be signed.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use data_encoding::BASE64;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use super::webhook::signature::{SECRET_LENGTH_MAX, SecretFault};
use super::webhook::{Secret, Secrets};
use crate::account::{AccountId, random_bytes};
use crate::system::{disk, permissions};

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
#[derive(derive_more::Debug)]
#[debug("EncryptionKey({:02x?}…)", &id[..2])]
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
            create_key_file(&path, state)?;
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

/// The longest text of a key, in bytes: a key has 44 characters in base64, and white space may surround it.
const TEXT_BYTES_MAX: u64 = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyLocation {
    /// A file given by the operator.
    File(PathBuf),
    /// A file beside this state file, created when it is first needed.
    BesideState(PathBuf),
    /// An environment variable, and its text.
    Variable { name: &'static str, text: String },
    /// The store is a database server, and no key was given.
    NotConfigured,
}

#[derive(Debug, thiserror::Error)]
pub enum EncryptionKeyFault {
    #[error(
        "the key of webhook secrets: expected --webhook-key-file or DAICHO_WEBHOOK_KEY, found neither; \
         create a key with `head -c 32 /dev/urandom | base64` and give it to every server and command \
         that uses this database"
    )]
    NotConfigured,
    #[error(
        "the key of webhook secrets: expected the file {}, found none; restore it from a backup, or \
         write a new key there (`head -c 32 /dev/urandom | base64`) and replace the secret of each \
         webhook (`daicho account set NAME --webhook-secret rotate`)", .0.display()
    )]
    Missing(PathBuf),
    #[error("the key of webhook secrets: {} cannot be read: {error}; allow this user to read it", .path.display())]
    Unreadable { path: PathBuf, error: io::Error },
    #[error("the key of webhook secrets: {} cannot be created: {error}; make its folder writable", .path.display())]
    Unwritable { path: PathBuf, error: io::Error },
    /// Does not repeat the text, which may be most of a key.
    #[error(
        "the key of webhook secrets: expected 32 bytes in base64 in {location}, found {found}; create a key with \
         `head -c 32 /dev/urandom | base64`"
    )]
    Malformed { location: String, found: NotAKey },
    #[error("the key of webhook secrets: {location}: {fault}; provide the key that encrypted it")]
    Wrong { location: String, fault: DecryptFault },
    #[error("the system did not provide random numbers: {0}")]
    Random(#[from] getrandom::Error),
}

/// What is there instead of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAKey {
    #[error("nothing")]
    Nothing,
    #[error("{0} characters of something else")]
    Characters(usize),
    #[error("bytes that are not text")]
    NotText,
    #[error("more than {TEXT_BYTES_MAX} bytes")]
    TooLong,
}

impl KeyLocation {
    /// The path of the key file; `None` if the key is not in a file.
    pub fn path(&self) -> Option<PathBuf> {
        match self {
            KeyLocation::File(path) => Some(path.clone()),
            KeyLocation::BesideState(state) => {
                let mut path = state.clone().into_os_string();
                path.push(".webhook-key");
                Some(path.into())
            }
            KeyLocation::Variable { .. } | KeyLocation::NotConfigured => None,
        }
    }

    /// The path or the name of the variable, for messages.
    pub fn display_name(&self) -> String {
        match (self, self.path()) {
            (KeyLocation::Variable { name, .. }, _) => (*name).to_owned(),
            (_, path) => path.map_or_else(String::new, |path| path.display().to_string()),
        }
    }

    pub(super) fn read(&self) -> Result<EncryptionKey, EncryptionKeyFault> {
        self.bytes().map(|key| EncryptionKey::from_bytes(&key))
    }

    /// The key as the text of a key file. Handle it like the key.
    pub fn text(&self) -> Result<String, EncryptionKeyFault> {
        self.bytes().map(|key| BASE64.encode(&key))
    }

    fn bytes(&self) -> Result<[u8; ENCRYPTION_KEY_LENGTH], EncryptionKeyFault> {
        let bytes = match (self, self.path()) {
            (KeyLocation::Variable { text, .. }, _) => text.clone().into_bytes(),
            (_, Some(path)) => read_file(&path)?,
            (_, None) => return Err(EncryptionKeyFault::NotConfigured),
        };
        let malformed =
            |found| EncryptionKeyFault::Malformed { location: self.display_name(), found };
        parse(&bytes).map_err(malformed)
    }
}

fn parse(bytes: &[u8]) -> Result<[u8; ENCRYPTION_KEY_LENGTH], NotAKey> {
    if bytes.len() as u64 > TEXT_BYTES_MAX {
        return Err(NotAKey::TooLong);
    }
    let text = str::from_utf8(bytes).map_err(|_not_utf8| NotAKey::NotText)?.trim();
    let key = BASE64.decode(text.as_bytes()).ok();
    match key.and_then(|key| <[u8; ENCRYPTION_KEY_LENGTH]>::try_from(key).ok()) {
        Some(key) => Ok(key),
        None if text.is_empty() => Err(NotAKey::Nothing),
        None => Err(NotAKey::Characters(text.chars().count())),
    }
}

/// The bytes of a key file, one more than a key may have if the file is longer.
fn read_file(path: &Path) -> Result<Vec<u8>, EncryptionKeyFault> {
    let mut bytes = Vec::new();
    let read =
        File::open(path).and_then(|file| file.take(TEXT_BYTES_MAX + 1).read_to_end(&mut bytes));
    match read {
        Ok(_) => Ok(bytes),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(EncryptionKeyFault::Missing(path.into()))
        }
        Err(error) => Err(EncryptionKeyFault::Unreadable { path: path.into(), error }),
    }
}

/// Writes a new key that only the owner of the state file can read. Keeps a key that another process created
/// meanwhile.
pub(super) fn create_key_file(path: &Path, state: &Path) -> Result<(), EncryptionKeyFault> {
    let key = BASE64.encode(&random_bytes::<ENCRYPTION_KEY_LENGTH>()?);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let write_file = || {
        let mut file = NamedTempFile::new_in(folder)?;
        writeln!(file, "{key}")?;
        // Root may run this command, but the user of the server must be able to read the key.
        if let Ok(state) = fs::metadata(state) {
            permissions::give_to_owner_of(file.as_file(), &state)?;
        }
        file.as_file().sync_all()?;
        if let Err(refused) = file.persist_noclobber(path)
            && refused.error.kind() != ErrorKind::AlreadyExists
        {
            return Err(refused.error);
        }
        // The key must survive a power cut, because the secrets that it encrypts will.
        disk::sync_folder(folder)
    };
    write_file().map_err(|error| EncryptionKeyFault::Unwritable { path: path.into(), error })
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

#[cfg(test)]
mod secret_cipher_tests {
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

#[cfg(test)]
mod key_location_tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    #[test]
    fn key_is_32_bytes_in_base64() {
        #[track_caller]
        fn check(text: &str, expected: Result<(), &str>) {
            let location =
                KeyLocation::Variable { name: "DAICHO_WEBHOOK_KEY", text: text.to_owned() };
            match (location.read(), expected) {
                (Ok(_), Ok(())) => {}
                (Err(fault), Err(part)) => {
                    let message = fault.to_string();
                    assert!(message.contains(part), "{message}");
                    assert!(text.len() < 9 || !message.contains(&text[..9]), "{message}");
                }
                (found, _) => panic!("{text:?}: {found:?}"),
            }
        }
        check(KEY, Ok(()));
        check(&format!(" {KEY}\n"), Ok(()));
        check("", Err("in DAICHO_WEBHOOK_KEY, found nothing;"));
        check(" \n", Err("found nothing;"));
        check(&KEY[..43], Err("found 43 characters"));
        check(&KEY[4..], Err("found 40 characters"));
        check(&format!("AAAA{KEY}"), Err("found 48 characters"));
        check(&KEY.replace('A', "*"), Err("32 bytes in base64"));
        check(&"鍵".repeat(44), Err("found 44 characters of something else;"));
        check(&KEY.repeat(5), Err("found more than 200 bytes;"));
    }

    #[test]
    fn every_fault_of_a_key_file_names_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("key");
        let fault = |location: KeyLocation| location.read().expect_err("no key").to_string();
        let name = path.display().to_string();
        let missing = fault(KeyLocation::File(path.clone()));
        assert!(missing.contains(&name) && missing.contains("restore it"), "{missing}");
        for (bytes, expected) in [
            (b"\xff\xfe".to_vec(), "found bytes that are not text;"),
            // Cut after 200 bytes, the last character would be incomplete.
            ("鍵".repeat(100).into_bytes(), "found more than 200 bytes;"),
            (vec![b'x'; 201], "found more than 200 bytes;"),
            (vec![b'x'; 200], "found 200 characters of something else;"),
            (Vec::new(), "found nothing;"),
        ] {
            fs::write(&path, bytes).expect("written");
            let message = fault(KeyLocation::File(path.clone()));
            assert!(message.contains(&format!("in {name}, {expected}")), "{message}");
        }
        let unreadable = fault(KeyLocation::File(folder.path().into()));
        assert!(unreadable.contains("cannot be read"), "{unreadable}");
        assert!(fault(KeyLocation::NotConfigured).contains("--webhook-key-file"));
    }

    #[test]
    fn a_generated_key_file_is_private_and_never_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path().join("daicho.db");
        fs::write(&state, "").expect("written");
        let path = KeyLocation::BesideState(state.clone()).path().expect("a file");
        assert!(path.ends_with("daicho.db.webhook-key"), "{path:?}");
        create_key_file(&path, &state).expect("made");
        let first = fs::read_to_string(&path).expect("read");
        assert_eq!(path.metadata().expect("a file").permissions().mode() & 0o777, 0o600);
        create_key_file(&path, &state).expect("there already");
        assert_eq!(fs::read_to_string(&path).expect("read"), first);
        KeyLocation::BesideState(state.clone()).read().expect("a key");
        let fault =
            create_key_file(&folder.path().join("none/key"), &state).expect_err("no folder");
        assert!(fault.to_string().contains("none/key cannot be created"), "{fault}");
    }
}
