//! Where the key that encrypts webhook secrets is: in a file or an environment variable, never in the store.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, fchown};
use std::path::{Path, PathBuf};

use data_encoding::BASE64;
use tempfile::NamedTempFile;

use super::stored_secret::{DecryptFault, ENCRYPTION_KEY_LENGTH, EncryptionKey};
use crate::account::random_bytes;

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
    fn path(&self) -> Option<PathBuf> {
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
    pub(super) fn display_name(&self) -> String {
        match (self, self.path()) {
            (KeyLocation::Variable { name, .. }, _) => (*name).to_owned(),
            (_, path) => path.map_or_else(String::new, |path| path.display().to_string()),
        }
    }

    pub(super) fn read(&self) -> Result<EncryptionKey, EncryptionKeyFault> {
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

fn parse(bytes: &[u8]) -> Result<EncryptionKey, NotAKey> {
    if bytes.len() as u64 > TEXT_BYTES_MAX {
        return Err(NotAKey::TooLong);
    }
    let text = str::from_utf8(bytes).map_err(|_not_utf8| NotAKey::NotText)?.trim();
    let key = BASE64.decode(text.as_bytes()).ok();
    match key.and_then(|key| <[u8; ENCRYPTION_KEY_LENGTH]>::try_from(key).ok()) {
        Some(key) => Ok(EncryptionKey::from_bytes(&key)),
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
        if let Ok(owner) = fs::metadata(state)
            && owner.uid() != file.as_file().metadata()?.uid()
        {
            fchown(file.as_file(), Some(owner.uid()), Some(owner.gid()))?;
        }
        file.as_file().sync_all()?;
        if let Err(refused) = file.persist_noclobber(path)
            && refused.error.kind() != ErrorKind::AlreadyExists
        {
            return Err(refused.error);
        }
        // The key must survive a power cut, because the secrets that it encrypts will.
        File::open(folder)?.sync_all()
    };
    write_file().map_err(|error| EncryptionKeyFault::Unwritable { path: path.into(), error })
}

#[cfg(test)]
mod tests {
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
