//! Signing in to the dashboard: sessions, passwords, and the wait between attempts. Does not know cookies.
//!
//! A token is 256 random bits. The store keeps only its SHA-256, so that reading the store does not allow taking over
//! a session. The token against forged requests (CSRF) is derived from it and expires with it.
//!
//! Attempts after wrong passwords count for the typed name (known or not) at its network, and for the network as a
//! whole. Each has some free attempts; every further one doubles the wait, up to a limit. A name alone is never
//! locked, so that guesses from one place do not lock out users elsewhere. A known device, one that signed in before,
//! never waits: it has a number of attempts, after which it counts as unknown. Pure: the store keeps the counts, so
//! that all servers share them and a restart resets nothing. Open sessions are not affected.
//!
//! The Argon2id hash of a password is kept as its PHC text, which carries its own parameters: old hashes keep working
//! when stronger ones are chosen. Hashing takes 19 MiB and some 20 ms on purpose, so callers bound how many run at
//! once. `Debug` hides the text.

use argon2::Argon2;
use argon2::password_hash::{PasswordHasher, PasswordVerifier, phc};
use data_encoding::BASE32_NOPAD;
use hmac::{Hmac, KeyInit, Mac};
use jiff::SignedDuration;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::identity::AccountId;
use crate::text::network::Network;

/// How long a session lasts: a working day.
pub const SESSION_TIME: SignedDuration = SignedDuration::from_hours(12);

/// Random bytes in a token.
pub const TOKEN_LENGTH: usize = 32;

const TEXT_LENGTH: usize = 52;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    Operator,
    Account(AccountId),
}

impl Who {
    /// The account's number; `None` is the operator.
    pub fn account(self) -> Option<AccountId> {
        match self {
            Who::Operator => None,
            Who::Account(own) => Some(own),
        }
    }

    pub fn may_see(self, account: AccountId) -> bool {
        self.account().is_none_or(|own| own == account)
    }
}

/// The secret of the browser. Only [`Token::reveal`] prints it.
#[derive(derive_more::Debug, Clone)]
#[debug("Token(…)")]
pub struct Token(String);

impl Token {
    /// The bytes must come from the system's random number generator.
    pub fn generate(random: [u8; TOKEN_LENGTH]) -> Token {
        Token(BASE32_NOPAD.encode(&random).to_ascii_lowercase())
    }

    pub fn parse(text: &str) -> Option<Token> {
        let fits = text.len() == TEXT_LENGTH
            && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'2'..=b'7'));
        fits.then(|| Token(text.to_owned()))
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// For the store. 256 random bits need neither a salt nor a slow hash.
    pub fn hash(&self) -> TokenHash {
        TokenHash(Sha256::digest(&self.0).into())
    }

    /// The token that every form of the session carries.
    pub fn form_token(&self) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.0.as_bytes())
            .expect("HMAC takes keys of any length");
        mac.update(b"form");
        BASE32_NOPAD.encode(&mac.finalize().into_bytes()).to_ascii_lowercase()
    }

    /// Compares in constant time.
    pub fn has_form_token(&self, presented: &str) -> bool {
        self.form_token().as_bytes().ct_eq(presented.as_bytes()).into()
    }
}

/// The SHA-256 of a token's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenHash(pub [u8; 32]);

/// The first wait; each further attempt doubles it.
const FIRST_WAIT_SECONDS: i64 = 2;

const WAIT_SECONDS_MAX: i64 = 15 * 60;

/// Attempts are forgotten when none was made for this long. Longer than the longest wait.
pub const FORGOTTEN_AFTER: SignedDuration = SignedDuration::from_hours(1);

/// How long a device is known after it last signed in: a year, near what browsers keep a cookie.
pub const DEVICE_TIME: SignedDuration = SignedDuration::from_hours(365 * 24);

/// Wrong passwords in a row after which a device is forgotten, so that a stolen cookie is worth no more guesses.
pub const DEVICE_ATTEMPTS_MAX: i64 = 20;

/// Known devices of the operator, and of each account; beyond them, the one not used for longest is dropped.
pub const DEVICES_MAX: i64 = 50;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The owner of the typed name; `None` if there is none.
    pub who: Option<Who>,
    /// The cookie of a device that may have signed in before.
    pub device: Option<TokenHash>,
    /// The network comes first: one that must wait adds no count for each name that is tried from it.
    pub subjects: [Subject; 2],
}

impl Attempt {
    /// `name` is the typed name; `None` is the operator.
    pub fn new(
        name: Option<&str>,
        network: Network,
        who: Option<Who>,
        device: Option<TokenHash>,
    ) -> Attempt {
        let name = Subject::Name(name.map(str::to_owned), network);
        Attempt { who, device, subjects: [Subject::Network(network), name] }
    }
}

/// What attempts are counted for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// The typed name (`None` is the operator) and its network.
    Name(Option<String>, Network),
    Network(Network),
}

impl Subject {
    /// The key of the counts in the store. The network comes first because it contains no spaces; a name may.
    pub fn key(&self) -> String {
        match self {
            Subject::Name(None, network) => format!("{network} operator"),
            Subject::Name(Some(name), network) => format!("{network} account:{name}"),
            Subject::Network(network) => network.to_string(),
        }
    }

    /// Attempts without a wait. A network gets more: it may be a whole office.
    fn free_attempts(&self) -> i64 {
        match self {
            Subject::Name(..) => 5,
            Subject::Network(_) => 20,
        }
    }

    pub fn wait_after(&self, attempts: i64) -> SignedDuration {
        let excess = attempts.saturating_sub(self.free_attempts());
        if excess < 0 {
            return SignedDuration::ZERO;
        }
        let seconds = FIRST_WAIT_SECONDS << excess.min(20);
        SignedDuration::from_secs(seconds.min(WAIT_SECONDS_MAX))
    }
}

/// In characters.
pub const PASSWORD_LENGTH_MIN: usize = 10;

/// In characters, so that no client makes the server hash megabytes.
pub const PASSWORD_LENGTH_MAX: usize = 200;

pub const SALT_LENGTH: usize = 16;

#[derive(derive_more::Debug, Clone, PartialEq, Eq)]
#[debug("Password(…)")]
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
    fn only_well_formed_tokens_parse() {
        let token = Token::generate([0xa5; TOKEN_LENGTH]);
        let again = Token::parse(token.reveal()).expect("a token");
        assert_eq!(again.hash(), token.hash());
        assert_eq!(format!("{token:?}"), "Token(…)");
        let text = token.reveal();
        for wrong in ["", &text[1..], &format!("{text}a"), &text.to_uppercase(), &"1".repeat(52)] {
            assert!(Token::parse(wrong).is_none(), "{wrong:?}");
        }
    }

    #[test]
    fn a_form_token_belongs_to_one_session() {
        let (one, other) = (Token::generate([1; 32]), Token::generate([2; 32]));
        assert!(one.has_form_token(&one.form_token()));
        for wrong in ["", "x", &other.form_token(), one.reveal(), &one.form_token()[1..]] {
            assert!(!one.has_form_token(wrong), "{wrong}");
        }
    }

    #[test]
    fn an_account_sees_its_own_pages_and_the_operator_sees_all() {
        let (one, other) = (AccountId(1), AccountId(2));
        assert!(Who::Operator.may_see(one) && Who::Account(one).may_see(one));
        assert!(!Who::Account(one).may_see(other));
    }
}

#[cfg(test)]
mod lockout_tests {
    use super::*;

    fn network(text: &str) -> Network {
        Network::of_client(text.parse().expect("an address"))
    }

    #[test]
    fn the_wait_doubles_up_to_its_limit() {
        #[track_caller]
        fn check(subject: &Subject, attempts: i64, expected: i64) {
            assert_eq!(subject.wait_after(attempts).as_secs(), expected, "after {attempts}");
        }
        let here = network("192.0.2.1");
        let name = Subject::Name(Some("demo".to_owned()), here);
        for (attempts, expected) in
            [(0, 0), (4, 0), (5, 2), (6, 4), (10, 64), (13, 512), (14, 900), (i64::MAX, 900)]
        {
            check(&name, attempts, expected);
            check(&Subject::Name(None, here), attempts, expected);
        }
        let address = Subject::Network(here);
        check(&address, 19, 0);
        check(&address, 20, 2);
        assert!(FORGOTTEN_AFTER > name.wait_after(i64::MAX));
    }

    #[test]
    fn attempts_for_a_name_count_per_network() {
        let key = |text: &str| Subject::Network(network(text)).key();
        assert_eq!(key("2001:db8:1:2::1"), key("2001:db8:1:2:ffff::9"));
        assert_ne!(key("2001:db8:1:2::1"), key("2001:db8:1:3::1"));
        assert_ne!(key("192.0.2.1"), key("192.0.2.2"));
        let name = |name: Option<&str>, at: &str| {
            Subject::Name(name.map(str::to_owned), network(at)).key()
        };
        let all = [
            name(None, "192.0.2.1"),
            name(None, "192.0.2.2"),
            name(Some("operator"), "192.0.2.1"),
            name(Some("demo"), "192.0.2.1"),
            name(Some("demo"), "192.0.2.2"),
            name(Some("192.0.2.1/32 demo"), "192.0.2.2"),
            key("192.0.2.1"),
        ];
        for (at, one) in all.iter().enumerate() {
            assert!(!all[..at].contains(one), "{one}");
        }
    }
}

#[cfg(test)]
mod password_tests {
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
