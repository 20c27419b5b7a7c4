//! Authentication and authorisation: the `Authorization` header, or a public key in the URL, checked against the
//! keyring.
//!
//! A key in the URL needs no preflight. Proxies, logs and histories keep URLs, so a secret key there is refused,
//! even beside a header, and the log reports the leak without the key. The header takes precedence over a public
//! key in the URL: a client may use a parameter of that name for its own purposes.
//!
//! Checks run after routing and before any parameter, in this order: 401 for the credentials, 401 for a public key
//! where a secret one is needed, 403 for the origin, 403 for the plan. `account` defines what a plan includes.

use std::borrow::Cow;
use std::sync::Arc;

use hyper::header::HeaderValue;
use jiff::Timestamp;

use super::params::{KEY_PARAMETER, Occurrence, Params, RequestHeaders};
use crate::account::{
    self, Account, Denied, KEY_LENGTH, KeyEntry, KeyKind, Keyring, Origin, Rights,
};
use crate::api::error::{ApiError, Code};
use crate::text::key_mask::mask_keys;
use crate::text::percent::{PlusSign, decode};

pub fn find_key<'k>(
    headers: &RequestHeaders<'_>,
    params: Params<'_>,
    keyring: &'k Keyring,
) -> Result<&'k KeyEntry, ApiError> {
    let url_key = key_in_url(params, keyring)?;
    let entry = match (headers.authorization, url_key) {
        (Occurrence::Never, Some(key)) => keyring.find(key?.as_bytes()),
        (authorization, _) => keyring.find(key_in_header(authorization)?),
    };
    live(entry)
}

/// The entry of a presented key, unless there is none or the key has expired.
fn live(entry: Option<&Arc<KeyEntry>>) -> Result<&KeyEntry, ApiError> {
    let entry = entry.ok_or_else(|| ApiError::new(Code::InvalidKey, "unknown API key"))?;
    match entry.expired_at(Timestamp::now) {
        None => Ok(entry),
        Some(at) => {
            let detail = format!("expected a key in use; found one that expired at {at}");
            Err(ApiError::new(Code::InvalidKey, detail))
        }
    }
}

/// Longest key in a URL, each letter percent-encoded. A longer value is not decoded.
const ENCODED_KEY_BYTES_MAX: usize = 3 * KEY_LENGTH;

/// The public key in the URL, if that parameter exists; the inner error if it is not a key. A secret key is an
/// error in any case.
fn key_in_url<'q>(
    params: Params<'q>,
    keyring: &Keyring,
) -> Result<Option<Result<Cow<'q, str>, ApiError>>, ApiError> {
    let mut found = None;
    if params.is_empty() {
        return Ok(found);
    }
    for value in params.encoded_values(KEY_PARAMETER) {
        let value = match value.len() > ENCODED_KEY_BYTES_MAX {
            false => decode(value, PlusSign::Space).map_err(|fault| invalid_key(fault.to_string())),
            true => Err(invalid_key("expected a key; found a longer text")),
        };
        if let Ok(key) = &value
            && KeyKind::from_prefix(key) == Some(KeyKind::Secret)
        {
            return Err(report_leak(key, keyring));
        }
        found = match found {
            Some(_) => Some(Err(invalid_key("a parameter is given once; found it twice"))),
            None => Some(value).filter(|value| value.as_deref() != Ok("")),
        };
    }
    Ok(found)
}

fn invalid_key(detail: impl Into<Cow<'static, str>>) -> ApiError {
    ApiError::in_parameter(KEY_PARAMETER, Code::InvalidKey, detail)
}

/// The error of a secret key in the URL. Logs the leak if the key exists; any other text is not logged.
fn report_leak(key: &str, keyring: &Keyring) -> ApiError {
    if let Some(entry) = keyring.find(key) {
        let (account, label) = (entry.account.name.as_str(), mask_keys(key));
        tracing::warn!(account, key = %label, id = %entry.id, "a secret key leaked: it was in the URL of a \
            request, where proxies, logs and browser histories store it; revoke it and create a new one");
    }
    let detail = "expected a public key in the URL; found a secret key, which has now leaked; \
                  revoke it, and send secret keys in the header Authorization";
    ApiError::in_parameter(KEY_PARAMETER, Code::SecretKeyInUrl, detail)
}

/// The public key in another place of the URL than the parameter: the path, or the id of a foreign protocol.
pub fn find_url_key<'k>(key: &str, keyring: &'k Keyring) -> Result<&'k KeyEntry, ApiError> {
    if KeyKind::from_prefix(key) == Some(KeyKind::Secret) {
        return Err(report_leak(key, keyring));
    }
    live(keyring.find(key))
}

/// Decides whether a key has the rights that a request needs, from the request's origin.
pub fn authorize(
    headers: &RequestHeaders<'_>,
    entry: &KeyEntry,
    needs: Rights,
) -> Result<(), ApiError> {
    let decided = account::authorize(entry.kind, &entry.account, needs);
    if decided == Err(Denied::SecretKeyRequired) {
        return Err(forbidden(Denied::SecretKeyRequired, &entry.account));
    }
    if !entry.allows_origin(header_text(headers.origin), header_text(headers.referer)) {
        let expected = "expected an Origin (or Referer) registered for the public key";
        return Err(origin_not_allowed(expected, headers));
    }
    decided.map_err(|denied| forbidden(denied, &entry.account))
}

/// An error repeats at most this many characters of an origin.
const ORIGIN_CHARS_MAX: usize = 100;

/// The error of a request from another origin than `expected`, with the origin that the request names.
pub fn origin_not_allowed(expected: &str, headers: &RequestHeaders<'_>) -> ApiError {
    let found = match (headers.origin, headers.referer) {
        (Some(origin), _) => quoted(&String::from_utf8_lossy(origin.as_bytes())),
        (None, Some(referer)) => {
            // The rest of a referrer is nobody's business.
            let origin = header_text(Some(referer)).and_then(Origin::from_referer);
            let origin = origin.map(|origin| quoted(origin.as_str()) + " in the Referer");
            origin.unwrap_or_else(|| "a Referer that is no web page".to_owned())
        }
        (None, None) => "neither".to_owned(),
    };
    ApiError::new(Code::OriginNotAllowed, format!("{expected}; found {found}"))
}

/// A text from a header, cut and in quotes; marks that would act on a terminal or a page are escaped.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(ORIGIN_CHARS_MAX) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// The key of an `Authorization` header, as it was sent.
fn key_in_header(authorization: Occurrence<'_>) -> Result<&[u8], ApiError> {
    let value = match authorization {
        Occurrence::Once(value) => value.as_bytes().trim_ascii(),
        Occurrence::Never => {
            let detail = "expected the header Authorization: Token KEY; found none";
            return Err(ApiError::new(Code::MissingKey, detail));
        }
        Occurrence::Repeated => {
            let detail = "expected one Authorization header; found several";
            return Err(ApiError::new(Code::InvalidKey, detail));
        }
    };
    if !value.is_ascii() {
        let detail = "expected a key of ASCII letters and digits; found other bytes";
        return Err(ApiError::new(Code::InvalidKey, detail));
    }
    let end = value.iter().position(|byte| *byte == b' ').unwrap_or(value.len());
    let (scheme, key) = value.split_at(end);
    if !scheme.eq_ignore_ascii_case(b"Token") {
        // Do not repeat the scheme: a client that omits it sends the key in its place.
        let detail = "expected the scheme Token; found another";
        return Err(ApiError::new(Code::UnsupportedScheme, detail));
    }
    let key = key.trim_ascii_start();
    if key.is_empty() {
        let detail = "expected the header Authorization: Token KEY; found no key after Token";
        return Err(ApiError::new(Code::MissingKey, detail));
    }
    Ok(key)
}

/// The error of denied rights, with the operator's command that would allow it.
pub fn forbidden(denied: Denied, account: &Account) -> ApiError {
    let name = account.name.as_argument();
    match denied {
        Denied::SecretKeyRequired => {
            ApiError::new(Code::SecretKeyRequired, "expected a secret key; found a public one")
        }
        Denied::PlanTooLow { needed, has } => ApiError::new(
            Code::PlanTooLow,
            format!(
                "expected the plan {needed} or above; found the plan {has}; the operator changes it \
                 with `daicho account set {name} --plan {needed}`"
            ),
        ),
        Denied::BatchOptionMissing => ApiError::new(
            Code::BatchOptionMissing,
            format!(
                "expected an account with the batch option; found one without; the operator enables it with \
                 `daicho account set {name} --batch true`"
            ),
        ),
    }
}

/// A header as text; one that is not text counts as absent.
pub fn header_text(value: Option<&HeaderValue>) -> Option<&str> {
    value.and_then(|value| value.to_str().ok())
}

#[cfg(test)]
mod tests {
    use hyper::header::{AUTHORIZATION, HeaderMap, ORIGIN};

    use super::*;
    use crate::account::{AccountId, AccountName, ApiKey, KeyId, Meters, Plan, Quota};

    fn account(plan: Plan) -> Account {
        Account {
            id: AccountId(1),
            name: AccountName::parse("demo").expect("a name"),
            plan,
            batch: false,
            api_version: None,
        }
    }

    fn entry(key: &ApiKey, account: Account) -> KeyEntry {
        KeyEntry {
            id: KeyId(1),
            hash: key.hash(),
            kind: key.kind(),
            account: Arc::new(account),
            origins: Box::default(),
            quota: Quota::default(),
            meter: Meters::new(Timestamp::UNIX_EPOCH).of(AccountId(1)),
            expires_at: None,
        }
    }

    #[test]
    fn the_header_is_token_and_a_key() {
        #[track_caller]
        fn check(values: &[&[u8]], expected: Result<&str, Code>) {
            let values = values.iter().map(|value| {
                (AUTHORIZATION, HeaderValue::from_bytes(value).expect("a header value"))
            });
            let headers: HeaderMap = values.collect();
            let found = key_in_header(RequestHeaders::new(&headers).authorization);
            assert_eq!(found.map_err(|error| error.code), expected.map(str::as_bytes));
        }
        check(&[b"Token abc"], Ok("abc"));
        check(&[b"token abc"], Ok("abc"));
        check(&[b"TOKEN   abc "], Ok("abc"));
        check(&[], Err(Code::MissingKey));
        check(&[b"Token"], Err(Code::MissingKey));
        check(&[b"Token  "], Err(Code::MissingKey));
        check(&[b""], Err(Code::UnsupportedScheme));
        check(&[b"Bearer abc"], Err(Code::UnsupportedScheme));
        check(&[b"Basic YTpi"], Err(Code::UnsupportedScheme));
        check(&[b"abc"], Err(Code::UnsupportedScheme));
        check(&[b"Token\tabc"], Err(Code::UnsupportedScheme));
        check(&[b"Token \xff"], Err(Code::InvalidKey));
        check(&[b"Token a", b"Token a"], Err(Code::InvalidKey));
    }

    #[test]
    fn a_key_in_the_url_must_be_public_and_the_header_overrides_it() {
        let keys = [KeyKind::Public, KeyKind::Secret].map(|kind| ApiKey::generate(kind, [1; 20]));
        let keyring = Keyring::new(keys.iter().map(|key| entry(key, account(Plan::Standard))));
        let [public, secret] = keys.each_ref().map(ApiKey::reveal);
        let check = |query: String, header: Option<&str>, expected: Result<KeyKind, Code>| {
            let value = header.map(|key| HeaderValue::try_from(format!("Token {key}")));
            let headers = value.map(|value| (AUTHORIZATION, value.expect("ASCII")));
            let headers: HeaderMap = headers.into_iter().collect();
            let found =
                find_key(&RequestHeaders::new(&headers), Params::new(Some(&query)), &keyring);
            let found = found.map(|entry| entry.kind).map_err(|error| {
                assert!(!error.detail.contains("dk_"), "{}", error.detail);
                error.code
            });
            assert_eq!(found, expected, "{query}, {header:?}");
        };
        let (as_public, as_secret) = (Ok(KeyKind::Public), Ok(KeyKind::Secret));
        check(format!("key={public}"), None, as_public);
        check(format!("q=x&%6bey={}&y", public.replace('_', "%5f")), None, as_public);
        for (query, code) in [
            (String::new(), Code::MissingKey),
            ("key=".to_owned(), Code::MissingKey),
            ("key".to_owned(), Code::MissingKey),
            ("Key=x&keys=x".to_owned(), Code::MissingKey),
            ("key=x".to_owned(), Code::InvalidKey),
            ("key=%zz".to_owned(), Code::InvalidKey),
            ("key=%E6%9D%B1".to_owned(), Code::InvalidKey),
            (format!("key={public}&key={public}"), Code::InvalidKey),
            (format!("key={}", public.to_uppercase()), Code::InvalidKey),
            (format!("key=+{public}"), Code::InvalidKey),
        ] {
            check(query.clone(), None, Err(code));
            check(query.clone(), Some(public), as_public);
            check(query, Some(secret), as_secret);
        }
        check(format!("key={public}"), Some(secret), as_secret);
        check(format!("key={public}"), Some("x"), Err(Code::InvalidKey));
        for query in [
            format!("key={secret}"),
            format!("key={}", secret.replace('_', "%5F")),
            format!("key={public}&key={secret}"),
            format!("key=dk_sec_{}", "a".repeat(39)),
            "key=dk_sec_".to_owned(),
        ] {
            check(query.clone(), None, Err(Code::SecretKeyInUrl));
            check(query, Some(secret), Err(Code::SecretKeyInUrl));
        }
    }

    #[test]
    fn the_kind_of_key_is_checked_before_the_origin_and_the_origin_before_the_plan() {
        #[track_caller]
        fn check(
            account: Account,
            kind: KeyKind,
            origin: &'static str,
            needs: Rights,
            expected: Result<(), (Code, u16)>,
        ) {
            let key = ApiKey::generate(kind, [1; 20]);
            let value = HeaderValue::try_from(format!("Token {}", key.reveal())).expect("ASCII");
            let origin = HeaderValue::from_static(origin);
            let headers: HeaderMap =
                [(AUTHORIZATION, value), (ORIGIN, origin)].into_iter().collect();
            let keyring = Keyring::new([entry(&key, account)]);
            let headers = RequestHeaders::new(&headers);
            let params = Params::new(None);
            let found = find_key(&headers, params, &keyring)
                .and_then(|key| authorize(&headers, key, needs));
            let found = found.map_err(|error| (error.code, error.code.status().as_u16()));
            assert_eq!(found, expected);
        }
        let (near, far) = ("http://localhost", "https://far.example");
        let (standard, premium) = (account(Plan::Standard), account(Plan::Premium));
        let (public, secret) = (KeyKind::Public, KeyKind::Secret);
        check(standard.clone(), public, near, Rights::STANDARD, Ok(()));
        check(standard.clone(), secret, far, Rights::ANY_KEY, Ok(()));
        check(premium.clone(), secret, far, Rights::RADAR, Ok(()));
        let requires_secret_key = Err((Code::SecretKeyRequired, 401));
        check(standard.clone(), public, far, Rights::RADAR, requires_secret_key);
        check(premium.clone(), public, near, Rights::STANDARD_BATCH, requires_secret_key);
        let origin = Err((Code::OriginNotAllowed, 403));
        check(standard.clone(), public, far, Rights::PREMIUM, origin);
        let plan = Err((Code::PlanTooLow, 403));
        check(standard.clone(), public, near, Rights::PREMIUM, plan);
        check(standard, secret, far, Rights::RADAR, plan);
        check(premium, secret, far, Rights::STANDARD_BATCH, Err((Code::BatchOptionMissing, 403)));
    }
}
