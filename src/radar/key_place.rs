//! The place of the key that encrypts webhook secrets: a file or a variable, never the store.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, fchown};
use std::path::{Path, PathBuf};

use data_encoding::BASE64;
use tempfile::NamedTempFile;

use super::seal::{OpenFault, SEAL_KEY_LENGTH, SealKey};
use crate::account::random::random_bytes;

/// Characters of a key in base64, and some white space.
const TEXT_BYTES_MAX: u64 = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyPlace {
    /// A file given by the operator.
    File(PathBuf),
    /// Beside this state file.
    Beside(PathBuf),
    /// The text of this variable.
    Variable { name: &'static str, text: String },
    /// The store is a database server, and no key was given.
    Nowhere,
}

#[derive(Debug, thiserror::Error)]
pub enum KeyFault {
    #[error(
        "the key of webhook secrets: expected --webhook-key-file or DAICHO_WEBHOOK_KEY, found neither; \
         create a key with `head -c 32 /dev/urandom | base64` and give it to every server and command \
         that uses this database"
    )]
    Nowhere,
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
        "the key of webhook secrets: expected 32 bytes in base64 in {place}, found {found} characters \
         of something else; create a key with `head -c 32 /dev/urandom | base64`"
    )]
    Malformed { place: String, found: usize },
    #[error("the key of webhook secrets: {place}: {fault}; provide the key that encrypted it")]
    Wrong { place: String, fault: OpenFault },
    #[error("the system did not provide random numbers: {0}")]
    Random(#[from] getrandom::Error),
}

impl KeyPlace {
    /// The file with the key, if it is in a file.
    fn path(&self) -> Option<PathBuf> {
        match self {
            KeyPlace::File(path) => Some(path.clone()),
            KeyPlace::Beside(state) => {
                let mut path = state.clone().into_os_string();
                path.push(".webhook-key");
                Some(path.into())
            }
            KeyPlace::Variable { .. } | KeyPlace::Nowhere => None,
        }
    }

    /// For messages.
    pub(super) fn shown(&self) -> String {
        match (self, self.path()) {
            (KeyPlace::Variable { name, .. }, _) => (*name).to_owned(),
            (_, path) => path.map_or_else(String::new, |path| path.display().to_string()),
        }
    }

    pub(super) fn read(&self) -> Result<SealKey, KeyFault> {
        let text = match (self, self.path()) {
            (KeyPlace::Variable { text, .. }, _) => text.clone(),
            (_, Some(path)) => read_text(&path)?,
            (_, None) => return Err(KeyFault::Nowhere),
        };
        let text = text.trim();
        let bytes = BASE64.decode(text.as_bytes()).ok();
        let bytes = bytes.and_then(|bytes| <[u8; SEAL_KEY_LENGTH]>::try_from(bytes).ok());
        let found = text.chars().count();
        let malformed = || KeyFault::Malformed { place: self.shown(), found };
        Ok(SealKey::from_bytes(&bytes.ok_or_else(malformed)?))
    }
}

fn read_text(path: &Path) -> Result<String, KeyFault> {
    let mut text = String::new();
    let read =
        File::open(path).and_then(|file| file.take(TEXT_BYTES_MAX).read_to_string(&mut text));
    match read {
        Ok(_) => Ok(text),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(KeyFault::Missing(path.into())),
        // Not UTF-8.
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            Err(KeyFault::Malformed { place: path.display().to_string(), found: 0 })
        }
        Err(error) => Err(KeyFault::Unreadable { path: path.into(), error }),
    }
}

/// Writes a new key that only the owner of the state file can read. Keeps a key that another process created
/// meanwhile.
pub(super) fn make(path: &Path, state: &Path) -> Result<(), KeyFault> {
    let key = BASE64.encode(&random_bytes::<SEAL_KEY_LENGTH>()?);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let write = || {
        let mut file = NamedTempFile::new_in(folder)?;
        writeln!(file, "{key}")?;
        // If root runs the command, the server's user must still be able to read the key.
        if let Ok(owner) = fs::metadata(state)
            && owner.uid() != file.as_file().metadata()?.uid()
        {
            fchown(file.as_file(), Some(owner.uid()), Some(owner.gid()))?;
        }
        file.as_file().sync_all()?;
        match file.persist_noclobber(path) {
            Err(refused) if refused.error.kind() != ErrorKind::AlreadyExists => {
                return Err(refused.error);
            }
            _ => {}
        }
        // After a power cut the key must exist if secrets encrypted with it do.
        File::open(folder)?.sync_all()
    };
    write().map_err(|error| KeyFault::Unwritable { path: path.into(), error })
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
            let place = KeyPlace::Variable { name: "DAICHO_WEBHOOK_KEY", text: text.to_owned() };
            match (place.read(), expected) {
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
        check("", Err("in DAICHO_WEBHOOK_KEY, found 0 characters"));
        check(&KEY[..43], Err("found 43 characters"));
        check(&KEY[4..], Err("found 40 characters"));
        check(&format!("AAAA{KEY}"), Err("found 48 characters"));
        check(&KEY.replace('A', "*"), Err("32 bytes in base64"));
        check("鍵", Err("found 1 characters"));
    }

    #[test]
    fn file_is_named_in_every_fault() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("key");
        let fault = |place: KeyPlace| place.read().expect_err("no key").to_string();
        let shown = path.display().to_string();
        let missing = fault(KeyPlace::File(path.clone()));
        assert!(missing.contains(&shown) && missing.contains("restore it"), "{missing}");
        fs::write(&path, b"\xff\xfe").expect("written");
        assert!(fault(KeyPlace::File(path.clone())).contains(&shown));
        fs::write(&path, "x".repeat(10_000)).expect("written");
        assert!(fault(KeyPlace::File(path.clone())).contains("found 200 characters"));
        let unreadable = fault(KeyPlace::File(folder.path().into()));
        assert!(unreadable.contains("cannot be read"), "{unreadable}");
        assert!(fault(KeyPlace::Nowhere).contains("--webhook-key-file"));
    }

    #[test]
    fn a_generated_key_file_is_private_and_never_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path().join("daicho.db");
        fs::write(&state, "").expect("written");
        let path = KeyPlace::Beside(state.clone()).path().expect("a file");
        assert!(path.ends_with("daicho.db.webhook-key"), "{path:?}");
        make(&path, &state).expect("made");
        let first = fs::read_to_string(&path).expect("read");
        assert_eq!(path.metadata().expect("a file").permissions().mode() & 0o777, 0o600);
        make(&path, &state).expect("there already");
        assert_eq!(fs::read_to_string(&path).expect("read"), first);
        KeyPlace::Beside(state.clone()).read().expect("a key");
        let fault = make(&folder.path().join("none/key"), &state).expect_err("no folder");
        assert!(fault.to_string().contains("none/key cannot be created"), "{fault}");
    }
}
