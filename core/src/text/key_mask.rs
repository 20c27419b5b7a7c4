//! Masks API keys in other texts, such as a path in the log: only the beginning that may be shown remains.
//!
//! Knows the prefixes and the letters of keys. A key that is cut off, runs into other letters, or has
//! percent-encoded or capital letters is masked too, since a reader of the text could reconstruct it.

use std::borrow::Cow;

use memchr::memchr2;

pub const PUBLIC_PREFIX: &str = "dk_pub_";
pub const SECRET_PREFIX: &str = "dk_sec_";

/// Letters after the prefix that may be shown: 20 of 160 bits.
pub const VISIBLE_LETTERS: usize = 4;

/// Replaces all but the beginning of each key in the text by `…`.
pub fn mask_keys(text: &str) -> Cow<'_, str> {
    // Every key has an underscore, plain or encoded. Most texts have neither, so return early.
    if memchr2(b'_', b'%', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut masked = String::new();
    let (mut copied, mut offset) = (0, 0);
    while offset < text.len() {
        match leading_key(&text.as_bytes()[offset..]) {
            Some(key) => {
                masked.push_str(&text[copied..offset + key.visible_length]);
                masked.push('…');
                offset += key.length;
                copied = offset;
            }
            None => offset += 1,
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    masked.push_str(&text[copied..]);
    Cow::Owned(masked)
}

/// The lengths in bytes of a key in a text. All its bytes are ASCII.
struct KeyLengths {
    /// Of the beginning that may be shown.
    visible_length: usize,
    /// Of the whole key.
    length: usize,
}

/// The key that the bytes begin with.
fn leading_key(bytes: &[u8]) -> Option<KeyLengths> {
    let mut length = prefix_length(bytes)?;
    let (mut letters, mut visible_length) = (0, 0);
    while let Some((b'a'..=b'z' | b'2'..=b'7', letter_length)) = leading_letter(&bytes[length..]) {
        // `dk` are also letters of a key and may begin the next one.
        if letters > VISIBLE_LETTERS && prefix_length(&bytes[length..]).is_some() {
            break;
        }
        length += letter_length;
        letters += 1;
        if letters == VISIBLE_LETTERS {
            visible_length = length;
        }
    }
    (letters > VISIBLE_LETTERS).then_some(KeyLengths { visible_length, length })
}

/// The length of the key prefix that the bytes begin with.
fn prefix_length(bytes: &[u8]) -> Option<usize> {
    let length_of = |prefix: &str| {
        let mut length = 0;
        for expected in prefix.bytes() {
            let (letter, letter_length) = leading_letter(&bytes[length..])?;
            length += (letter == expected).then_some(letter_length)?;
        }
        Some(length)
    };
    length_of(SECRET_PREFIX).or_else(|| length_of(PUBLIC_PREFIX))
}

/// The letter that the bytes begin with, in lower case and percent-decoded, and its length in bytes.
fn leading_letter(bytes: &[u8]) -> Option<(u8, usize)> {
    let digit = |index: usize| bytes.get(index).and_then(|byte| char::from(*byte).to_digit(16));
    let (letter, length) = match (bytes.first()?, digit(1), digit(2)) {
        (b'%', Some(high), Some(low)) => (u8::try_from(high * 16 + low).ok()?, 3),
        (plain, ..) => (*plain, 1),
    };
    Some((letter.to_ascii_lowercase(), length))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KEY: &str = "dk_sec_aaaqeayeaudaocajbifqydiob4ibceqtutt4soy";

    #[test]
    fn keys_are_cut_to_their_beginning() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            assert_eq!(mask_keys(text), expected, "{text:?}");
        }
        check("", "");
        check("/v1/postalcode/1000001", "/v1/postalcode/1000001");
        check(
            "/v1/houjinbangou/radar/corporate_numbers",
            "/v1/houjinbangou/radar/corporate_numbers",
        );
        check("q=%E6%9D%B1", "q=%E6%9D%B1");
        check(KEY, "dk_sec_aaaq…");
        check(&KEY.replace("sec", "pub"), "dk_pub_aaaq…");
        check(&format!("/v1/{KEY}/x"), "/v1/dk_sec_aaaq…/x");
        check(&format!("key={KEY}&q=1"), "key=dk_sec_aaaq…&q=1");
        check(&format!("{KEY},{KEY}"), "dk_sec_aaaq…,dk_sec_aaaq…");
        check(&format!("東{KEY}京"), "東dk_sec_aaaq…京");
        // Truncated, doubled, and followed by letters.
        check(&KEY[..20], "dk_sec_aaaq…");
        check(&format!("{KEY}{KEY}"), "dk_sec_aaaq…dk_sec_aaaq…");
        check(&format!("{KEY}abc.html"), "dk_sec_aaaq….html");
        // Percent-encoded, and in capital letters.
        check(&KEY.replace('_', "%5F"), "dk%5Fsec%5Faaaq…");
        check(&KEY.replace('_', "%5f").replace('a', "%61"), "dk%5fsec%5f%61%61%61q…");
        check(&KEY.to_uppercase(), "DK_SEC_AAAQ…");
        // Only a beginning, and texts that merely look like a key.
        check("dk_sec_aaaq", "dk_sec_aaaq");
        check("dk_sec_", "dk_sec_");
        check("dk_sec_%", "dk_sec_%");
        check("dk_set_aaaqeayeaudaoc", "dk_set_aaaqeayeaudaoc");
        check("%", "%");
        check("dk%5", "dk%5");
    }

    proptest! {
        #[test]
        fn keys_are_removed_and_other_text_stays(
            before in "\\PC{0,10}", letters in "[a-z2-7]{39}", after in "([^a-zA-Z2-7%]\\PC{0,10})?",
        ) {
            let key = format!("dk_sec_{letters}");
            let masked = mask_keys(&format!("{before}{key}{after}")).into_owned();
            prop_assert!(!masked.contains(&letters[4..]));
            let beginning = format!("dk_sec_{}…", &letters[..4]);
            prop_assert!(masked.contains(&beginning));
        }

        #[test]
        fn masking_never_panics(text in "(\\PC|[%_dksecpub2-7]){0,60}") {
            mask_keys(&text);
        }
    }
}
