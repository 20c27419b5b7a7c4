//! The header of the PROXY protocol, with which a proxy that only passes bytes on says who its client is. It comes before
//! everything else on a connection, also before TLS.
//!
//! Versions 1 (text) and 2 (binary) are read; the crate `ppp` parses them. Reads exactly the header: what follows belongs
//! to TLS or HTTP. Whether a peer may be believed is decided by the caller.

use std::io;
use std::net::IpAddr;

use ppp::{v1, v2};
use tokio::io::{AsyncRead, AsyncReadExt};

/// The beginning of a header of version 2, and of its part with a fixed length.
const SIGNATURE: &[u8] = v2::PROTOCOL_PREFIX;
const FIXED_BYTES: usize = 16;

/// Most bytes after the fixed part: addresses, and values such as the name of a client's certificate.
const VARIABLE_BYTES_MAX: usize = 2048;

/// The longest header of version 1, by the specification.
const TEXT_BYTES_MAX: usize = 107;

/// The header of a connection that the proxy opened for itself, such as a health check.
pub const LOCAL: [u8; FIXED_BYTES] = *b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0";

#[derive(Debug, thiserror::Error)]
pub enum ProxyHeaderError {
    #[error("{EXPECTED}; found {found:?}; {REMEDY}")]
    Missing { found: String },
    #[error("{EXPECTED}; found version 1 with a fault: {0}")]
    Text(#[from] v1::BinaryParseError),
    #[error("{EXPECTED}; found version 2 with a fault: {0}")]
    Binary(#[from] v2::ParseError),
    #[error("expected a header of the PROXY protocol of at most {max} bytes; found more")]
    Long { max: usize },
    #[error("{EXPECTED}; found the end of the connection ({0})")]
    Disconnected(#[from] io::Error),
    #[error("{EXPECTED} within {seconds} seconds; found nothing complete; {REMEDY}")]
    TimedOut { seconds: u64 },
}

const EXPECTED: &str = "expected a header of the PROXY protocol, version 1 or 2";
const REMEDY: &str = "let the proxy send it (HAProxy: send-proxy-v2, nginx: proxy_protocol on), or start the server \
                      without --proxy-protocol";

/// Reads the header. `None` if it names no network address: the proxy speaks for itself, or hides its client.
pub async fn read(
    stream: &mut (impl AsyncRead + Unpin),
) -> Result<Option<IpAddr>, ProxyHeaderError> {
    let mut header = vec![0; SIGNATURE.len()];
    stream.read_exact(&mut header).await?;
    if header == SIGNATURE {
        return read_binary(stream, header).await;
    }
    match header.starts_with(v1::PROTOCOL_PREFIX.as_bytes()) {
        true => read_text(stream, header).await,
        false => Err(ProxyHeaderError::Missing { found: header.escape_ascii().to_string() }),
    }
}

async fn read_binary(
    stream: &mut (impl AsyncRead + Unpin),
    mut header: Vec<u8>,
) -> Result<Option<IpAddr>, ProxyHeaderError> {
    header.resize(FIXED_BYTES, 0);
    stream.read_exact(&mut header[SIGNATURE.len()..]).await?;
    let length = usize::from(u16::from_be_bytes([header[14], header[15]]));
    if length > VARIABLE_BYTES_MAX {
        return Err(ProxyHeaderError::Long { max: FIXED_BYTES + VARIABLE_BYTES_MAX });
    }
    header.resize(FIXED_BYTES + length, 0);
    stream.read_exact(&mut header[FIXED_BYTES..]).await?;
    let header = v2::Header::try_from(header.as_slice())?;
    Ok(match (header.command, header.addresses) {
        (v2::Command::Proxy, v2::Addresses::IPv4(found)) => Some(found.source_address.into()),
        (v2::Command::Proxy, v2::Addresses::IPv6(found)) => Some(found.source_address.into()),
        (v2::Command::Proxy, v2::Addresses::Unix(_) | v2::Addresses::Unspecified)
        | (v2::Command::Local, _) => None,
    })
}

async fn read_text(
    stream: &mut (impl AsyncRead + Unpin),
    mut header: Vec<u8>,
) -> Result<Option<IpAddr>, ProxyHeaderError> {
    // The length is not known before the end of the line.
    while header.last() != Some(&b'\n') {
        if header.len() == TEXT_BYTES_MAX {
            return Err(ProxyHeaderError::Long { max: TEXT_BYTES_MAX });
        }
        header.push(stream.read_u8().await?);
    }
    let header = v1::Header::try_from(header.as_slice())?;
    Ok(match header.addresses {
        v1::Addresses::Tcp4(found) => Some(found.source_address.into()),
        v1::Addresses::Tcp6(found) => Some(found.source_address.into()),
        v1::Addresses::Unknown => None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The result, and the bytes that were left.
    fn parse(bytes: &[u8]) -> (Result<Option<String>, String>, usize) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let mut rest = bytes;
        let found = runtime.block_on(read(&mut rest));
        let found = found.map(|address| address.map(|address| address.to_string()));
        (found.map_err(|error| error.to_string()), rest.len())
    }

    fn binary(version_command: u8, family: u8, body: &[u8]) -> Vec<u8> {
        let length = u16::try_from(body.len()).expect("short").to_be_bytes();
        [SIGNATURE, &[version_command, family], &length, body].concat()
    }

    #[test]
    fn the_source_of_a_header_is_the_client() {
        #[track_caller]
        fn check(header: &[u8], expected: Option<&str>) {
            let (found, left) = parse(&[header, b"GET / HTTP/1.1\r\n"].concat());
            assert_eq!(found, Ok(expected.map(str::to_owned)), "{}", header.escape_ascii());
            assert_eq!(left, 16, "only the header is read");
        }
        let four = [192, 0, 2, 7, 10, 0, 0, 1, 0x1f, 0x90, 0, 80];
        let six: Vec<u8> =
            ["2001:db8::7".parse::<std::net::Ipv6Addr>().expect("an address").octets(), [1; 16]]
                .concat();
        let six = [&six[..], &[0, 1, 0, 2]].concat();
        // After the addresses: a value of type 4, which is empty.
        let with_value = [&four[..], &[4, 0, 0]].concat();
        check(&binary(0x21, 0x11, &four), Some("192.0.2.7"));
        check(&binary(0x21, 0x11, &with_value), Some("192.0.2.7"));
        check(&binary(0x21, 0x21, &six), Some("2001:db8::7"));
        check(&binary(0x21, 0x31, &[b'x'; 216]), None);
        check(&binary(0x21, 0x00, &[]), None);
        check(&binary(0x20, 0x11, &four), None);
        check(&LOCAL, None);
        check(b"PROXY TCP4 192.0.2.7 10.0.0.1 8080 80\r\n", Some("192.0.2.7"));
        check(b"PROXY TCP6 2001:db8::7 ::1 8080 80\r\n", Some("2001:db8::7"));
        check(b"PROXY UNKNOWN\r\n", None);
    }

    #[test]
    fn a_fault_says_what_was_expected_and_found() {
        for (bytes, part) in [
            (b"GET / HTTP/1.1\r\n".to_vec(), "found \"GET / HTTP/1\"; let the proxy send it"),
            (b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\0".to_vec(), "found \"\\\\x16"),
            (b"PROXY".to_vec(), "found the end of the connection"),
            (b"PROXY TCP4 192.0.2.7".to_vec(), "found the end of the connection"),
            (b"PROXY TCP4 192.0.2.700 10.0.0.1 8080 80\r\n".to_vec(), "version 1 with a fault"),
            (b"PROXY TCP5 192.0.2.7 10.0.0.1 8080 80\r\n".to_vec(), "version 1 with a fault"),
            ([b"PROXY TCP4 ".to_vec(), vec![b'1'; 200]].concat(), "at most 107 bytes"),
            (binary(0x11, 0x11, &[0; 12]), "version 2 with a fault"),
            (binary(0x2f, 0x11, &[0; 12]), "version 2 with a fault"),
            (binary(0x21, 0x11, &[0; 4]), "version 2 with a fault"),
            (binary(0x21, 0x11, &[0; 2049]), "at most 2064 bytes"),
            (binary(0x21, 0x11, &[0; 12])[..20].to_vec(), "found the end of the connection"),
        ] {
            let (found, _left) = parse(&bytes);
            let fault = found.expect_err("a fault");
            assert!(fault.contains("expected a header of the PROXY protocol"), "{fault}");
            assert!(fault.contains(part), "{fault}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_can_be_read(bytes in proptest::collection::vec(any::<u8>(), 0..64), kind in 0..3) {
            let start: &[u8] = match kind { 0 => SIGNATURE, 1 => b"PROXY ", _ => b"" };
            let _ = parse(&[start, &bytes].concat());
        }
    }
}
