//! The addresses that proxies write into the head of a request: `X-Forwarded-For`, and `Forwarded` (RFC 7239).
//!
//! Each proxy appends the address that it was asked from, so the last entry is the newest. Only reads the headers: whether
//! the peer may be believed is decided in [`proxies`](super::proxies).

use std::net::{IpAddr, SocketAddr};

use hyper::HeaderMap;
use hyper::header::{FORWARDED, HeaderName};

pub const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The addresses, the newest first; `None` for an entry that is none, such as `unknown`. Several lines of a header are one
/// list. `Forwarded` counts only without `X-Forwarded-For`: most proxies append to that one and pass on what a client
/// wrote into the other.
pub fn addresses(headers: &HeaderMap) -> Box<dyn Iterator<Item = Option<IpAddr>> + '_> {
    if headers.contains_key(FORWARDED_FOR) {
        let lines = headers.get_all(FORWARDED_FOR).iter().rev();
        let entries = lines.flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b','));
        return Box::new(entries.map(|entry| parse_node(str::from_utf8(entry).ok()?)));
    }
    let lines = headers.get_all(FORWARDED).iter().rev();
    Box::new(lines.flat_map(|line| {
        let elements = line.to_str().ok().and_then(elements);
        // A malformed line has one entry, which is no address.
        elements.unwrap_or_else(|| vec![None]).into_iter().rev()
    }))
}

/// Parses an address as proxies write it: bare, or with a port. A port in `Forwarded` may be a name such as `_p1`.
fn parse_node(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let bracketed = || {
        let (address, port) = text.strip_prefix('[')?.split_once(']')?;
        let is_port = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
        address.parse().ok().filter(|_| is_port).map(IpAddr::V6)
    };
    let with_port = || {
        let (address, port) = text.split_once(':')?;
        address.parse().ok().filter(|_| is_port(port)).map(IpAddr::V4)
    };
    let whole = || text.parse().ok().map(|address: SocketAddr| address.ip());
    text.parse().ok().or_else(whole).or_else(bracketed).or_else(with_port)
}

/// Whether a text is the port of a node: digits, or an obfuscated name.
fn is_port(text: &str) -> bool {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    match text.strip_prefix('_') {
        Some(name) => !name.is_empty() && name.bytes().all(is_name),
        None => text.parse::<u16>().is_ok() && text.bytes().all(|byte| byte.is_ascii_digit()),
    }
}

/// The addresses of the elements of one line of `Forwarded`; `None` if the line is malformed. Read strictly: a client
/// must not hide what a proxy appended behind a quote of its own.
fn elements(line: &str) -> Option<Vec<Option<IpAddr>>> {
    let mut elements = Vec::new();
    let mut address = None;
    let mut rest = line;
    loop {
        rest = rest.trim_start_matches([' ', '\t']);
        // Empty elements and pairs are allowed.
        if !rest.is_empty() && !rest.starts_with([',', ';']) {
            let (name, value) = rest.split_once('=')?;
            let (value, after) = parse_value(value)?;
            if !is_token(name) {
                return None;
            }
            if name.eq_ignore_ascii_case("for") {
                // Twice in an element is not allowed.
                if address.is_some() {
                    return None;
                }
                address = Some(parse_node(&value));
            }
            rest = after.trim_start_matches([' ', '\t']);
        }
        let separator = rest.chars().next();
        rest = rest.get(1..).unwrap_or_default();
        match separator {
            Some(';') => {}
            Some(',') => elements.push(address.take().flatten()),
            None => {
                elements.push(address.flatten());
                return Some(elements);
            }
            Some(_) => return None,
        }
    }
}

/// A token or a quoted text, and what follows it.
fn parse_value(text: &str) -> Option<(String, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([',', ';', ' ', '\t']).unwrap_or(text.len());
        // Not a token, but often written: an address with a colon or brackets, without quotes.
        let (value, rest) = text.split_at(end);
        let is_value = !value.is_empty() && !value.contains(['"', '\\', '=']);
        return is_value.then(|| (value.to_owned(), rest));
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((value, &quoted[at + 1..])),
            '\\' => value.push(characters.next()?.1),
            other => value.push(other),
        }
    }
    None
}

fn is_token(text: &str) -> bool {
    let is_tchar = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_tchar)
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(lines: &[(HeaderName, &str)], expected: &[Option<&str>]) {
        let mut headers = HeaderMap::new();
        for (name, line) in lines {
            headers.append(name, HeaderValue::from_bytes(line.as_bytes()).expect("a value"));
        }
        let found: Vec<_> =
            addresses(&headers).map(|address| address.map(|address| address.to_string())).collect();
        let found: Vec<_> = found.iter().map(Option::as_deref).collect();
        assert_eq!(found, expected, "{lines:?}");
    }

    #[test]
    fn entries_are_read_from_the_end() {
        check(&[], &[]);
        check(&[(FORWARDED_FOR, "192.0.2.1, 192.0.2.2")], &[Some("192.0.2.2"), Some("192.0.2.1")]);
        check(
            &[(FORWARDED_FOR, "192.0.2.1"), (FORWARDED_FOR, "x,192.0.2.3:80 ")],
            &[Some("192.0.2.3"), None, Some("192.0.2.1")],
        );
        check(
            &[
                (FORWARDED, "for=192.0.2.1, For=\"[2001:db8::17]:4711\";proto=https"),
                (FORWARDED, "proto=http;FOR=\"192.0.2.3:_p1\";by=10.0.0.1"),
            ],
            &[Some("192.0.2.3"), Some("2001:db8::17"), Some("192.0.2.1")],
        );
        // What a client writes into the other header does not count.
        check(&[(FORWARDED_FOR, "192.0.2.1"), (FORWARDED, "for=192.0.2.9")], &[Some("192.0.2.1")]);
    }

    #[test]
    fn nodes_are_addresses_with_or_without_a_port() {
        for (node, expected) in [
            ("192.0.2.1", Some("192.0.2.1")),
            ("\"192.0.2.1:65535\"", Some("192.0.2.1")),
            ("192.0.2.1:80", Some("192.0.2.1")),
            ("\"[2001:db8::1]\"", Some("2001:db8::1")),
            ("\"[2001:db8::1]:_x-1.y\"", Some("2001:db8::1")),
            ("\"2001:db8::1\"", Some("2001:db8::1")),
            ("\"192\\.0.2.1\"", Some("192.0.2.1")),
            ("unknown", None),
            ("_hidden", None),
            ("\"_hidden:80\"", None),
            ("\"192.0.2.1:\"", None),
            ("\"192.0.2.1:+80\"", None),
            ("\"192.0.2.1:65536\"", None),
            ("\"192.0.2.1:_\"", None),
            ("\"[192.0.2.1]\"", None),
            ("\"[2001:db8::1\"", None),
            ("\"\"", None),
        ] {
            check(&[(FORWARDED, &format!("for={node}"))], &[expected]);
        }
    }

    #[test]
    fn a_malformed_line_has_one_entry_without_an_address() {
        for line in [
            "for",
            "for=",
            "for=\"192.0.2.1",
            "for=\"192.0.2.1\"x",
            "for=192.0.2.1 for=192.0.2.2",
            "for=192.0.2.1;for=192.0.2.2",
            "for =192.0.2.1",
            "=192.0.2.1",
            "for=\"\\",
            "例=1",
            // A client opened a quote before what the proxy appended.
            "for=\"198.51.100.1, for=192.0.2.1",
            "for=198.51.100.1;x=\", for=\"[2001:db8::1]\"",
        ] {
            check(&[(FORWARDED, line)], &[None]);
        }
        check(&[(FORWARDED, "")], &[None]);
        check(&[(FORWARDED, ", ;for=192.0.2.1;,")], &[None, Some("192.0.2.1"), None]);
        check(&[(FORWARDED, "proto=https")], &[None]);
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(text in any::<String>()) {
            let _ = elements(&text);
            let _ = parse_node(&text);
        }
    }
}
