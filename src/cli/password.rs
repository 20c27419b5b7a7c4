//! Reads passwords from a file, standard input or a variable, never from the command line, which every user of the
//! machine can read.

use std::io::{self, Read};
use std::{env::VarError, fs::File, path::Path};

use super::error::CommandError;
use crate::account::{PASSWORD_LENGTH_MAX, Password, PasswordHash, SALT_LENGTH, random_bytes};

pub fn read_password(option: &str, file: &Path) -> Result<Password, CommandError> {
    let shown = file.display();
    let failed = |error: io::Error| {
        CommandError::Failed(format!("{option}: {shown} cannot be read: {error}"))
    };
    // Four bytes per character, and some more to detect longer passwords.
    let bytes_max = 4 * PASSWORD_LENGTH_MAX + 3;
    let mut bytes = Vec::new();
    let reader: &mut dyn Read = if file.as_os_str() == "-" {
        &mut io::stdin()
    } else {
        &mut File::open(file).map_err(failed)?
    };
    reader.take(bytes_max as u64).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() == bytes_max {
        remove_incomplete_character(&mut bytes);
    }
    let text = String::from_utf8(bytes)
        .map_err(|error| failed(io::Error::new(io::ErrorKind::InvalidData, error)))?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    parse_password(option, text.strip_suffix('\r').unwrap_or(text))
}

/// Removes the bytes of a character that the end of the bytes cuts off.
fn remove_incomplete_character(bytes: &mut Vec<u8>) {
    if let Err(error) = str::from_utf8(bytes)
        && error.error_len().is_none()
    {
        bytes.truncate(error.valid_up_to());
    }
}

/// The text of an environment variable, if it is set. An empty one counts as not set.
pub fn variable(name: &str) -> Result<Option<String>, CommandError> {
    match std::env::var(name) {
        Ok(text) => Ok(Some(text).filter(|text| !text.is_empty())),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => {
            Err(CommandError::Usage(format!("{name} must be UTF-8 text; found other bytes")))
        }
    }
}

/// Checks a password; `source` is the option or variable that it came from.
pub fn parse_password(source: &str, text: &str) -> Result<Password, CommandError> {
    Password::parse(text).map_err(|fault| CommandError::Usage(format!("{source}: {fault}")))
}

pub fn hash(password: &Password) -> Result<PasswordHash, CommandError> {
    let hash = password.hash(random_bytes::<SALT_LENGTH>()?);
    hash.map_err(CommandError::failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_file_holds_one_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("password");
        #[track_caller]
        fn check(path: &Path, content: &[u8], expected: Result<&str, &str>) {
            std::fs::write(path, content).expect("written");
            match (read_password("--admin-password-file", path), expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found.reveal(), expected),
                (Err(error), Err(part)) => {
                    let message = error.to_string();
                    assert!(
                        message.contains("--admin-password-file") && message.contains(part),
                        "{message}"
                    );
                }
                (found, expected) => panic!("{found:?}, expected {expected:?}"),
            }
        }
        check(&path, "正しい馬 battery\n".as_bytes(), Ok("正しい馬 battery"));
        check(&path, b"correct horse\r\n", Ok("correct horse"));
        check(&path, b" correct horse ", Ok(" correct horse "));
        check(&path, b"", Err("10 to 200 characters; found 0"));
        check(&path, b"short\n", Err("found 5"));
        check(&path, b"two lines\nof it\n", Err("control characters"));
        check(&path, &[b'x'; 100_000], Err("found 803"));
        check(&path, "馬".repeat(500).as_bytes(), Err("found 267"));
        check(&path, b"\xff\xfe no text at all", Err("cannot be read"));
        let missing = read_password("--admin-password-file", &folder.path().join("none"));
        assert!(missing.expect_err("missing").to_string().contains("cannot be read"));
    }
}
