//! Sessions of the dashboard: the token in the browser, and its hash in the store. Does not know cookies.
//!
//! A token is 256 random bits. The store keeps only its SHA-256, so that reading the store does not allow
//! taking over a session. The token against forged requests (CSRF) is derived from it and expires with it.

use std::fmt;

use data_encoding::BASE32_NOPAD;
use hmac::{Hmac, KeyInit, Mac};
use jiff::SignedDuration;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::identity::AccountId;

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
#[derive(Clone)]
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

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// The SHA-256 of a token's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenHash(pub [u8; 32]);

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
