//! API keys: their text, which [`ApiKey`] draws, their checksum, and the hash by which they are stored.
//!
//! The fixed prefix and the checksum let scanners for leaked secrets recognise a key, and let commands tell a
//! mistyped key from an unknown one; they protect nothing else.
//!
//! Only [`ApiKey::reveal`] shows the text: `Debug` and `Display` print the beginning, which is safe to log.
//!
//! A [`KeySelector`] is how a person names a key; [`DisabledBy`] decides who may enable one again: an account cannot
//! enable a key that the operator disabled.

use data_encoding::{BASE32_NOPAD, HEXLOWER};
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::sign_in::Who;
use crate::text::key_mask::{PUBLIC_PREFIX, SECRET_PREFIX, VISIBLE_LETTERS};
use crate::text::named_enum::named_enum;

/// In characters and bytes.
pub const KEY_LENGTH: usize = CHECKED_LENGTH + 7;

/// Random bytes in a key: 160 bits, so that none can be guessed.
pub const KEY_RANDOM_LENGTH: usize = 20;

/// Length of the public prefix of a key: the fixed prefix and four random characters (20 of 160 bits).
pub const KEY_BEGINNING_LENGTH: usize = PREFIX_LENGTH + VISIBLE_LETTERS;

const PREFIX_LENGTH: usize = PUBLIC_PREFIX.len();

/// Characters that the checksum covers.
const CHECKED_LENGTH: usize = PREFIX_LENGTH + 32;

const _: () = assert!(KEY_RANDOM_LENGTH * 8 == 32 * 5, "base 32 without a spare bit");

named_enum! {
    fn as_str;
    pub enum KeyKind {
        /// May appear in the source of web pages; works only from registered origins.
        Public = "public",
        /// Stays on a server; works from anywhere and for all services.
        Secret = "secret",
    }
}

impl KeyKind {
    /// The kind of key whose prefix a text has, whatever follows.
    pub fn from_prefix(text: &str) -> Option<KeyKind> {
        KeyKind::ALL.into_iter().find(|kind| text.starts_with(kind.prefix()))
    }

    fn prefix(self) -> &'static str {
        match self {
            KeyKind::Public => PUBLIC_PREFIX,
            KeyKind::Secret => SECRET_PREFIX,
        }
    }
}

/// The store's number of a key; never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, derive_more::Display)]
pub struct KeyId(pub i64);

/// A well-formed key, whether or not it was ever issued.
///
/// ```text
/// dk_sec_ab12…  46 characters
/// offset  length  part
///      0       7  `dk_pub_` or `dk_sec_`
///      7      32  160 random bits, in base 32
///     39       7  CRC-32 of the 39 characters before, big endian, in base 32
/// ```
///
/// The alphabet is RFC 4648's base 32 in lower case, `abcdefghijklmnopqrstuvwxyz234567`, without padding.
#[derive(derive_more::Debug, Clone, derive_more::Display)]
#[debug("ApiKey({self})")]
#[display("{}…", self.beginning())]
pub struct ApiKey {
    kind: KeyKind,
    text: [u8; KEY_LENGTH],
}

/// Why a text is not a key. Does not carry the text, which may be a mistyped key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyFault {
    #[error("a key begins with dk_pub_ or dk_sec_; found another prefix")]
    Prefix,
    #[error("a key has {KEY_LENGTH} characters; found {found} bytes; copy all of it")]
    Length { found: usize },
    /// The position counts bytes from 1.
    #[error(
        "after its prefix a key has only the characters a-z and 2-7; found another at character {position}"
    )]
    Character { position: usize },
    #[error(
        "the last 7 characters of a key are its checksum; found a wrong checksum; copy the key again"
    )]
    Checksum,
}

impl ApiKey {
    /// The bytes must come from the system's random number generator.
    pub fn generate(kind: KeyKind, random: [u8; KEY_RANDOM_LENGTH]) -> ApiKey {
        let mut text = [0; KEY_LENGTH];
        text[..PREFIX_LENGTH].copy_from_slice(kind.prefix().as_bytes());
        BASE32_NOPAD.encode_mut(&random, &mut text[PREFIX_LENGTH..CHECKED_LENGTH]);
        text[PREFIX_LENGTH..CHECKED_LENGTH].make_ascii_lowercase();
        let checksum = checksum(&text[..CHECKED_LENGTH]);
        text[CHECKED_LENGTH..].copy_from_slice(&checksum);
        ApiKey { kind, text }
    }

    /// Strict: neither another case nor white space is accepted. Allocates nothing.
    pub fn parse(text: &str) -> Result<ApiKey, KeyFault> {
        let kind = KeyKind::from_prefix(text).ok_or(KeyFault::Prefix)?;
        let length = KeyFault::Length { found: text.len() };
        let text: [u8; KEY_LENGTH] = text.as_bytes().try_into().map_err(|_slice| length)?;
        // One pass without branches; the position is computed only on failure.
        let rest = &text[PREFIX_LENGTH..];
        if !rest.iter().fold(true, |all, byte| all & is_base32(*byte)) {
            let index = rest.iter().take_while(|byte| is_base32(**byte)).count();
            return Err(KeyFault::Character { position: PREFIX_LENGTH + index + 1 });
        }
        if text[CHECKED_LENGTH..] != checksum(&text[..CHECKED_LENGTH]) {
            return Err(KeyFault::Checksum);
        }
        Ok(ApiKey { kind, text })
    }

    pub fn kind(&self) -> KeyKind {
        self.kind
    }

    /// The first characters, safe to show and log: `dk_sec_ab12`.
    pub fn beginning(&self) -> &str {
        &self.reveal()[..KEY_BEGINNING_LENGTH]
    }

    /// The full key: show it once, to its owner, and nowhere else.
    pub fn reveal(&self) -> &str {
        str::from_utf8(&self.text).expect("generate and parse let only ASCII in")
    }

    pub fn hash(&self) -> KeyHash {
        KeyHash(Sha256::digest(self.text).into())
    }
}

const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

fn is_base32(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'2'..=b'7')
}

/// The last seven characters of a key: the bits of the CRC-32, five at a time, and three zeros.
fn checksum(text: &[u8]) -> [u8; KEY_LENGTH - CHECKED_LENGTH] {
    let bits = u64::from(crc32fast::hash(text)) << 3;
    std::array::from_fn(|index| ALPHABET[(bits >> (30 - 5 * index)) as usize % ALPHABET.len()])
}

/// The SHA-256 of a key: 160 random bits need neither salt nor a slow hash. Compares in constant time.
#[derive(derive_more::Debug, Clone, Copy)]
#[debug("KeyHash({}…)", HEXLOWER.encode(&_0[..4]))]
pub struct KeyHash(pub [u8; 32]);

impl KeyHash {
    /// `None` unless the text is as long as a key, so that clients cannot make the server hash kilobytes.
    pub fn of(text: &[u8]) -> Option<KeyHash> {
        (text.len() == KEY_LENGTH).then(|| KeyHash(Sha256::digest(text).into()))
    }

    /// The first eight bytes as a number, by which the keyring is sorted.
    pub fn leading(&self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    }
}

impl PartialEq for KeyHash {
    fn eq(&self, other: &KeyHash) -> bool {
        // All bits that differ in one number: `ct_eq` has an optimisation barrier for each element.
        let words = |hash: &KeyHash| -> [u64; 4] {
            std::array::from_fn(|at| {
                let word = hash.0[8 * at..].first_chunk().expect("four times eight bytes");
                u64::from_ne_bytes(*word)
            })
        };
        let pairs = words(self).into_iter().zip(words(other));
        pairs.fold(0, |differing, (one, two)| differing | one ^ two).ct_eq(&0).into()
    }
}

impl Eq for KeyHash {}

/// How long a disabled key can be enabled again.
pub const UNDO_TIME: SignedDuration = SignedDuration::from_mins(1);

named_enum! {
    fn as_str;
    pub enum DisabledBy {
        Operator = "operator",
        Account = "account",
    }
}

impl DisabledBy {
    pub fn of(who: Who) -> DisabledBy {
        match who {
            Who::Operator => DisabledBy::Operator,
            Who::Account(_) => DisabledBy::Account,
        }
    }

    /// Whether `who` may now enable a key that was disabled by this one at `at`.
    pub fn may_be_undone(self, at: Timestamp, who: Who, now: Timestamp) -> bool {
        let is_allowed = who == Who::Operator || self == DisabledBy::Account;
        is_allowed && now.duration_since(at) <= UNDO_TIME
    }
}

#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
pub enum KeySelector {
    #[display("number {id}", id = _0)]
    Id(KeyId),
    #[display("this text")]
    Hash(KeyHash),
    /// The one live key with this beginning; if none is live, the one revoked key with it.
    #[display("the beginning {beginning}", beginning = _0)]
    Beginning(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeySelectorFault {
    /// Starts like a key, but is neither a full key nor its first characters.
    #[error(
        "a key is named by its number, by its first {KEY_BEGINNING_LENGTH} characters as \
         `daicho key list` shows them, or by its full text; found part of a key or a mistyped one ({0})"
    )]
    Key(KeyFault),
    #[error(
        "a key is named by its number, by its first {KEY_BEGINNING_LENGTH} characters as \
         `daicho key list` shows them, or by its full text; found none of these"
    )]
    Other,
}

impl KeySelector {
    /// Parses a number, first characters (with or without `…`) or a full key.
    pub fn parse(text: &str) -> Result<KeySelector, KeySelectorFault> {
        if text.bytes().all(|byte| byte.is_ascii_digit())
            && let Ok(id) = text.parse()
        {
            return Ok(KeySelector::Id(KeyId(id)));
        }
        let beginning = text.strip_suffix('…').unwrap_or(text);
        match ApiKey::parse(text) {
            Ok(key) => Ok(KeySelector::Hash(key.hash())),
            Err(KeyFault::Prefix) => Err(KeySelectorFault::Other),
            Err(_) if beginning.len() == KEY_BEGINNING_LENGTH => {
                Ok(KeySelector::Beginning(beginning.to_owned()))
            }
            Err(fault) => Err(KeySelectorFault::Key(fault)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn example(kind: KeyKind) -> ApiKey {
        ApiKey::generate(kind, std::array::from_fn(|at| u8::try_from(at).expect("below 20")))
    }

    #[test]
    fn printing_a_key_shows_only_its_beginning() {
        let key = example(KeyKind::Secret);
        assert_eq!(key.to_string(), "dk_sec_aaaq…");
        assert_eq!(format!("{key:?}"), "ApiKey(dk_sec_aaaq…)");
        assert_eq!(format!("{:?}", Some(&key)), "Some(ApiKey(dk_sec_aaaq…))");
    }

    #[test]
    fn a_hash_covers_the_whole_text() {
        // Both from other programs: Python's binascii.crc32 and base64, and sha256sum.
        const HASH: &str = "4de07d0cc332227746804d9278385a3c6714f31bfbef47e0e21a618e65b2e9a7";
        let key = example(KeyKind::Public);
        assert_eq!(key.reveal(), "dk_pub_aaaqeayeaudaocajbifqydiob4ibceqtutt4soy");
        assert_eq!(HEXLOWER.encode(&key.hash().0), HASH);
        assert_ne!(key.hash(), example(KeyKind::Secret).hash());
        assert_eq!(key.hash(), KeyHash(key.hash().0));
    }

    #[test]
    fn texts_that_are_no_keys_are_refused() {
        #[track_caller]
        fn check(text: &str, expected: KeyFault) {
            assert_eq!(ApiKey::parse(text).expect_err("refused"), expected, "{text:?}");
        }
        let key = example(KeyKind::Public);
        let text = key.reveal();
        check("", KeyFault::Prefix);
        check("dk_", KeyFault::Prefix);
        check("dk_pub", KeyFault::Prefix);
        check("Token dk_pub_", KeyFault::Prefix);
        check(&text.to_ascii_uppercase(), KeyFault::Prefix);
        check(&format!(" {text}"), KeyFault::Prefix);
        check("dk_pub_", KeyFault::Length { found: 7 });
        check(&text[..45], KeyFault::Length { found: 45 });
        check(&format!("{text} "), KeyFault::Length { found: 47 });
        check(&text.repeat(1000), KeyFault::Length { found: 46_000 });
        check(&text.replacen("aaaq", "aaa1", 1), KeyFault::Character { position: 11 });
        check(&text.replacen("aaaq", "Aaaq", 1), KeyFault::Character { position: 8 });
        check(&text.replacen("aaaq", "ａa", 1), KeyFault::Character { position: 8 });
        check(&text.replacen("aaaq", "aaar", 1), KeyFault::Checksum);
        check(&text.replacen("dk_pub_", "dk_sec_", 1), KeyFault::Checksum);
    }

    #[test]
    fn faults_do_not_repeat_the_text() {
        for fault in [
            KeyFault::Prefix,
            KeyFault::Length { found: 3 },
            KeyFault::Character { position: 9 },
            KeyFault::Checksum,
        ] {
            let message = fault.to_string();
            assert!(message.contains("; found "), "{message}");
        }
    }

    proptest! {
        #[test]
        fn keys_of_any_bytes_parse(random: [u8; 20], secret: bool) {
            let kind = if secret { KeyKind::Secret } else { KeyKind::Public };
            let key = ApiKey::generate(kind, random);
            let found = ApiKey::parse(key.reveal()).expect("a generated key");
            prop_assert_eq!(found.kind(), kind);
            prop_assert_eq!(found.hash(), key.hash());
            prop_assert!(key.reveal().starts_with(key.beginning()));
        }

        #[test]
        fn parsing_never_panics(text in "\\PC{0,60}|dk_(pub|sec)_[a-z2-7]{30,45}") {
            let found = ApiKey::parse(&text);
            prop_assert!(found.is_err() || found.is_ok_and(|key| key.reveal() == text));
        }

        #[test]
        fn one_wrong_character_is_refused(random: [u8; 20], at in 0..KEY_LENGTH, to in "[a-z2-7_]") {
            let text = ApiKey::generate(KeyKind::Secret, random).reveal().to_owned();
            let mut wrong = text.clone();
            wrong.replace_range(at..=at, &to);
            prop_assert_eq!(ApiKey::parse(&wrong).is_ok(), wrong == text);
        }

        #[test]
        fn two_swapped_characters_are_refused(random: [u8; 20], at in 0..KEY_LENGTH - 1) {
            let text = ApiKey::generate(KeyKind::Public, random).reveal().to_owned();
            let mut bytes = text.clone().into_bytes();
            bytes.swap(at, at + 1);
            let swapped = String::from_utf8(bytes).expect("still ASCII");
            prop_assert_eq!(ApiKey::parse(&swapped).is_ok(), swapped == text);
        }
    }
}

#[cfg(test)]
mod disabled_by_tests {
    use super::*;
    use crate::account::AccountId;

    #[test]
    fn an_account_cannot_enable_a_key_that_the_operator_disabled() {
        let at = Timestamp::UNIX_EPOCH;
        let (operator, account) = (Who::Operator, Who::Account(AccountId(1)));
        for (by, who, expected) in [
            (DisabledBy::Operator, operator, true),
            (DisabledBy::Account, operator, true),
            (DisabledBy::Account, account, true),
            (DisabledBy::Operator, account, false),
        ] {
            let after = |seconds| at + SignedDuration::from_secs(seconds);
            assert_eq!(by.may_be_undone(at, who, after(60)), expected, "{by} {who:?}");
            assert!(!by.may_be_undone(at, who, after(61)));
        }
    }
}

#[cfg(test)]
mod key_selector_tests {
    use super::*;
    use crate::account::KeyKind;
    use crate::account::tests::key;

    #[test]
    fn a_key_is_selected_by_number_beginning_or_text() {
        #[track_caller]
        fn check(text: &str, expected: Result<KeySelector, KeySelectorFault>) {
            assert_eq!(KeySelector::parse(text), expected, "{text:?}");
        }
        let whole = key(1, KeyKind::Secret);
        let beginning = || Ok(KeySelector::Beginning("dk_sec_aaaa".to_owned()));
        let length = |found| Err(KeySelectorFault::Key(KeyFault::Length { found }));
        check("7", Ok(KeySelector::Id(KeyId(7))));
        check("dk_sec_aaaa", beginning());
        check("dk_sec_aaaa…", beginning());
        check(whole.reveal(), Ok(KeySelector::Hash(whole.hash())));
        check(&whole.reveal()[..30], length(30));
        check("dk_sec_", length(7));
        check(
            &format!("{}a", &whole.reveal()[..45]),
            Err(KeySelectorFault::Key(KeyFault::Checksum)),
        );
        check("", Err(KeySelectorFault::Other));
        check("-1", Err(KeySelectorFault::Other));
        check("99999999999999999999", Err(KeySelectorFault::Other));
        check("demo", Err(KeySelectorFault::Other));
    }
}
