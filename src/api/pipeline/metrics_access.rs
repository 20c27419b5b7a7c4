//! Where `/metrics` is served, and to whom: to anybody, or to clients with the token.

use hyper::header::{AUTHORIZATION, HeaderMap};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::api::error::{ApiError, Code};

/// In characters: long enough not to be guessed, short enough for a header.
const TOKEN_LENGTH_MIN: usize = 16;
const TOKEN_LENGTH_MAX: usize = 200;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MetricsPlace {
    #[default]
    WithApi,
    Apart,
    Nowhere,
}

#[derive(Debug, Clone, Default)]
pub struct MetricsAccess {
    pub place: MetricsPlace,
    pub token: Option<MetricsToken>,
}

/// The SHA-256 of a token, so that a comparison takes the same time for every wrong one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetricsToken([u8; 32]);

/// Why a text cannot be a token. Does not repeat it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenFault {
    #[error(
        "a token has {TOKEN_LENGTH_MIN} to {TOKEN_LENGTH_MAX} characters; found {found}; choose another"
    )]
    Length { found: usize },
    /// The position counts from 1.
    #[error("a token has letters, digits and -._~+/= only; found another at character {position}")]
    Character { position: usize },
}

impl MetricsToken {
    pub fn parse(text: &str) -> Result<MetricsToken, TokenFault> {
        let found = text.chars().count();
        if !(TOKEN_LENGTH_MIN..=TOKEN_LENGTH_MAX).contains(&found) {
            return Err(TokenFault::Length { found });
        }
        // The characters of a bearer token in RFC 6750.
        let is_known = |letter: char| letter.is_ascii_alphanumeric() || "-._~+/=".contains(letter);
        match text.chars().position(|letter| !is_known(letter)) {
            Some(index) => Err(TokenFault::Character { position: index + 1 }),
            None => Ok(MetricsToken(Sha256::digest(text).into())),
        }
    }

    fn matches(&self, presented: &[u8]) -> bool {
        let presented: [u8; 32] = Sha256::digest(presented).into();
        self.0.ct_eq(&presented).into()
    }
}

impl MetricsAccess {
    /// Refuses requests without the token, if there is one.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        let Some(token) = &self.token else { return Ok(()) };
        let refused = |found: &str| {
            let detail = format!("expected the header Authorization: Bearer TOKEN; found {found}");
            Err(ApiError::new(Code::InvalidToken, detail))
        };
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let value = match (values.next(), values.next()) {
            (Some(value), None) => value.as_bytes().trim_ascii(),
            (None, _) => return refused("none"),
            (Some(_), Some(_)) => return refused("several"),
        };
        let (scheme, presented) = value.split_at_checked("Bearer ".len()).unwrap_or((value, b""));
        if !scheme.eq_ignore_ascii_case(b"Bearer ") {
            return refused("another scheme");
        }
        if token.matches(presented.trim_ascii()) { Ok(()) } else { refused("another token") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_a_limited_length_and_header_characters_only() {
        #[track_caller]
        fn check(text: &str, expected: Result<(), TokenFault>) {
            assert_eq!(MetricsToken::parse(text).map(drop), expected, "{text:?}");
        }
        check("abcdefghijklmnop", Ok(()));
        check("AZaz09-._~+/AAA==", Ok(()));
        check(&"x".repeat(200), Ok(()));
        check("", Err(TokenFault::Length { found: 0 }));
        check("abcdefghijklmno", Err(TokenFault::Length { found: 15 }));
        check(&"x".repeat(201), Err(TokenFault::Length { found: 201 }));
        check("abcdefgh ijklmnop", Err(TokenFault::Character { position: 9 }));
        check("abcdefghijklmnop\n", Err(TokenFault::Character { position: 17 }));
        check("鍵abcdefghijklmnop", Err(TokenFault::Character { position: 1 }));
    }

    #[test]
    fn only_the_token_gives_access() {
        let token = MetricsToken::parse("abcdefghijklmnop").expect("a token");
        let access = MetricsAccess { place: MetricsPlace::WithApi, token: Some(token) };
        let asked = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(AUTHORIZATION, value.parse().expect("a value"));
            }
            access.check(&headers).map_err(|error| error.detail.into_owned())
        };
        for right in ["Bearer abcdefghijklmnop", "bearer  abcdefghijklmnop "] {
            assert_eq!(asked(&[right]), Ok(()));
        }
        for (wrong, found) in [
            (&[][..], "found none"),
            (&["Bearer abcdefghijklmnop", "Bearer abcdefghijklmnop"], "found several"),
            (&["Token abcdefghijklmnop"], "another scheme"),
            (&["abcdefghijklmnop"], "another scheme"),
            (&["Bearer"], "another scheme"),
            (&["Bearer abcdefghijklmnoq"], "another token"),
            (&["Bearer abcdefghijklmno"], "another token"),
            (&["Bearer "], "another"),
        ] {
            let detail = asked(wrong).expect_err("refused");
            assert!(detail.contains(found), "{wrong:?}: {detail}");
        }
        assert_eq!(MetricsAccess::default().check(&HeaderMap::new()), Ok(()));
    }
}
