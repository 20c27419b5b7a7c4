//! Passwords of the dashboard, and their Argon2id hashes.
//!
//! A hash is kept as its PHC text, which carries its own parameters: old hashes keep working when stronger ones are
//! chosen. Hashing takes 19 MiB and some 20 ms on purpose, so callers bound how many run at once. `Debug` hides the
//! text. Guessing is bounded by [`lockout`](super::lockout).

use std::fmt;

use argon2::Argon2;
use argon2::password_hash::phc;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};

/// In characters.
pub const PASSWORD_LENGTH_MIN: usize = 10;

/// In characters, so that no client makes the server hash megabytes.
pub const PASSWORD_LENGTH_MAX: usize = 200;

pub const SALT_LENGTH: usize = 16;

#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

/// Why a text cannot be a password. Does not carry the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PasswordFault {
    #[error(
        "a password has {PASSWORD_LENGTH_MIN} to {PASSWORD_LENGTH_MAX} characters; found {found}; \
         choose another"
    )]
    Length { found: usize },
    /// A line break or the like, which cannot be typed into a form. The position counts from 1.
    #[error("a password has no control characters; found one at character {position}")]
    Control { position: usize },
}

impl Password {
    pub fn parse(text: &str) -> Result<Password, PasswordFault> {
        let found = text.chars().count();
        if !(PASSWORD_LENGTH_MIN..=PASSWORD_LENGTH_MAX).contains(&found) {
            return Err(PasswordFault::Length { found });
        }
        match text.chars().position(char::is_control) {
            Some(at) => Err(PasswordFault::Control { position: at + 1 }),
            None => Ok(Password(text.to_owned())),
        }
    }

    /// The salt must come from the system's random number generator.
    pub fn hash(&self, salt: [u8; SALT_LENGTH]) -> Result<PasswordHash, HashFault> {
        let hash = Argon2::default().hash_password_with_salt(self.0.as_bytes(), &salt);
        hash.map(|hash| PasswordHash(hash.to_string())).map_err(HashFault)
    }

    /// The text: show it once, to its owner.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

/// There was no memory for hashing.
#[derive(Debug, thiserror::Error)]
#[error("cannot hash a password: expected 19 MiB of free memory ({0}); free some")]
pub struct HashFault(#[source] argon2::password_hash::Error);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasswordHash(pub String);

impl PasswordHash {
    /// A hash that matches no password, so that checking unknown names takes as long as known ones.
    pub fn of_nobody() -> PasswordHash {
        let text = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$\
                    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        PasswordHash(text.to_owned())
    }

    /// Whether the text is the password. A damaged hash matches nothing.
    pub fn matches(&self, presented: &str) -> bool {
        // Longer texts cannot match, and clients must not make the server hash megabytes.
        if presented.chars().count() > PASSWORD_LENGTH_MAX {
            return false;
        }
        phc::PasswordHash::new(&self.0).is_ok_and(|hash| {
            Argon2::default().verify_password(presented.as_bytes(), &hash).is_ok()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_matches_its_own_hash_and_no_other() {
        let password = Password::parse("正しい馬 battery").expect("a password");
        let hash = password.hash([7; SALT_LENGTH]).expect("memory");
        assert!(hash.0.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash:?}");
        assert!(hash.matches("正しい馬 battery"));
        for wrong in ["", "正しい馬 Battery", "正しい馬 battery ", &"x".repeat(10_000)] {
            assert!(!hash.matches(wrong), "{wrong:.20}");
        }
        assert_ne!(
            hash,
            password.hash([8; SALT_LENGTH]).expect("memory"),
            "the salt changes the hash"
        );
        assert!(PasswordHash(hash.0.clone()).matches(password.reveal()));
    }

    #[test]
    fn a_damaged_hash_matches_nothing() {
        for text in ["", "$argon2id$", "plain", "$argon2id$v=19$m=1,t=0,p=0$AAAA$AAAA"] {
            assert!(!PasswordHash(text.to_owned()).matches(text), "{text}");
        }
        assert!(!PasswordHash::of_nobody().matches(""));
        phc::PasswordHash::new(&PasswordHash::of_nobody().0).expect("a well-formed hash");
    }

    #[test]
    fn passwords_have_a_bounded_length_and_can_be_typed() {
        #[track_caller]
        fn check(text: &str, expected: Result<(), PasswordFault>) {
            assert_eq!(Password::parse(text).map(drop), expected);
        }
        check("0123456789", Ok(()));
        check(&"長".repeat(200), Ok(()));
        check("", Err(PasswordFault::Length { found: 0 }));
        check("012345678", Err(PasswordFault::Length { found: 9 }));
        check(&"長".repeat(201), Err(PasswordFault::Length { found: 201 }));
        check("0123456789\n", Err(PasswordFault::Control { position: 11 }));
        let password = Password::parse("0123456789").expect("a password");
        assert_eq!(format!("{password:?}"), "Password(…)");
    }
}
