//! The header `traceparent` (W3C Trace Context): the trace that a request belongs to, for the access log.
//!
//! A client or a proxy makes it. An invalid one is ignored, as the standard says; nothing is made up in its place.

/// Length of the header in version 00; later versions begin with the same parts.
const LENGTH: usize = 55;

/// A valid `traceparent`: version, trace, parent and flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceParent([u8; LENGTH]);

impl TraceParent {
    pub fn parse(value: &[u8]) -> Option<TraceParent> {
        let (known, rest) = value.split_first_chunk::<LENGTH>()?;
        let is_hex = |part: &[u8]| part.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let is_id = |part: &[u8]| is_hex(part) && part.iter().any(|byte| *byte != b'0');
        let version = &known[..2];
        let is_valid = is_hex(version)
            && version != b"ff"
            && (rest.is_empty() || (version != b"00" && rest.starts_with(b"-")))
            && [known[2], known[35], known[52]] == [b'-'; 3]
            && is_id(&known[3..35])
            && is_id(&known[36..52])
            && is_hex(&known[53..]);
        is_valid.then_some(TraceParent(*known))
    }

    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.0).expect("hexadecimal digits and hyphens")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const VALID: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn only_a_valid_trace_is_kept() {
        #[track_caller]
        fn check(text: &str, expected: Option<&str>) {
            let found = TraceParent::parse(text.as_bytes());
            assert_eq!(found.as_ref().map(TraceParent::as_str), expected, "{text:?}");
        }
        check(VALID, Some(VALID));
        let later = VALID.replacen("00", "cc", 1);
        check(&later, Some(&later));
        // A later version may add parts.
        check(&format!("{later}-more"), Some(&later));
        check(&format!("{later}more"), None);
        check(&format!("{VALID}-more"), None);
        check(&VALID.replacen("00", "ff", 1), None);
        check(&VALID.replace("4bf9", "4BF9"), None);
        check(&VALID.replace("4bf9", "4bg9"), None);
        check(&VALID.replace("4bf92f3577b34da6a3ce929d0e0e4736", &"0".repeat(32)), None);
        check(&VALID.replace("00f067aa0ba902b7", &"0".repeat(16)), None);
        check(&VALID[..54], None);
        check(&VALID.replace('-', "_"), None);
        check(&format!(" {VALID}"), None);
        check("", None);
    }

    proptest! {
        #[test]
        fn any_bytes_can_be_read(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = TraceParent::parse(&bytes);
        }
    }
}
