//! Content coding: which one a client accepts (`Accept-Encoding`), and compression.
//!
//! zstd is preferred to gzip if the client accepts both equally: it is smaller and cheaper. A client that refuses
//! everything, identity too, gets identity, which is more useful than 406.

use std::cell::RefCell;
use std::io::Write;

use flate2::write::GzEncoder;
use hyper::HeaderMap;
use hyper::header::{ACCEPT_ENCODING, HeaderName, HeaderValue};

/// Bodies below this size are sent as they are: the saving would not fill a packet.
pub const COMPRESS_BYTES_MIN: usize = 2 * 1024;

/// Level 1 of zstd: a tenth of the size at 0.5 ms a megabyte; level 3 takes half again for 5% less.
const ZSTD_LEVEL: i32 = 1;

/// Highest level whose window stays within 8 MiB.
const ZSTD_LEVEL_BEST: i32 = 19;

/// Level 1 of gzip, for the same reason.
const GZIP_LEVEL: flate2::Compression = flate2::Compression::fast();

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    Identity,
    Gzip,
    Zstd,
}

impl Coding {
    /// Its `Content-Encoding`; `None` for identity.
    pub fn header(self) -> Option<HeaderValue> {
        match self {
            Coding::Identity => None,
            Coding::Gzip => Some(HeaderValue::from_static("gzip")),
            Coding::Zstd => Some(HeaderValue::from_static("zstd")),
        }
    }
}

pub fn coding(headers: &HeaderMap) -> Coding {
    let (mut gzip, mut zstd, mut other) = (None, None, None);
    for (name, weight) in elements(headers, &ACCEPT_ENCODING) {
        let weight = weight_thousandths(weight);
        match name {
            name if name.eq_ignore_ascii_case("gzip") => gzip = Some(weight),
            name if name.eq_ignore_ascii_case("x-gzip") => gzip = gzip.or(Some(weight)),
            name if name.eq_ignore_ascii_case("zstd") => zstd = Some(weight),
            "*" => other = Some(weight),
            _ => {}
        }
    }
    let gzip = gzip.or(other).unwrap_or(0);
    let zstd = zstd.or(other).unwrap_or(0);
    match (zstd, gzip) {
        (0, 0) => Coding::Identity,
        (zstd, gzip) if zstd >= gzip => Coding::Zstd,
        _ => Coding::Gzip,
    }
}

/// Most elements that are read of such a header. A browser sends up to ten languages.
const ELEMENTS_MAX: usize = 32;

/// The elements of a header that says what a client accepts: the name of each, and its parameters.
pub fn elements<'h>(
    headers: &'h HeaderMap,
    name: &HeaderName,
) -> impl Iterator<Item = (&'h str, &'h str)> {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|list| list.split(',')).take(ELEMENTS_MAX).map(|element| {
        let (name, parameters) = element.split_once(';').unwrap_or((element, ""));
        (name.trim(), parameters)
    })
}

/// The weight among the parameters of an element, in thousandths.
pub fn weight(parameters: &str) -> u16 {
    let own = parameters.split(';').map(str::trim).find(|it| it.starts_with("q="));
    weight_thousandths(own.unwrap_or_default())
}

/// `q=0.5` as 500; 1000 without a weight, 0 for one that is invalid under RFC 9110.
pub fn weight_thousandths(parameter: &str) -> u16 {
    let parameter = parameter.trim();
    if parameter.is_empty() {
        return 1000;
    }
    let Some(("q" | "Q", value)) = parameter.split_once('=') else { return 0 };
    let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
    let digits = fraction.len() <= 3 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    match whole {
        "1" if digits && fraction.bytes().all(|byte| byte == b'0') => 1000,
        "0" if digits => format!("{fraction:0<3}").parse().unwrap_or(0),
        _ => 0,
    }
}

/// Compresses at a high level, for bodies that are sent many times; `None` as in [`compress`].
pub fn compress_best(coding: Coding, body: &[u8]) -> Option<Vec<u8>> {
    let compressed = match coding {
        Coding::Identity => return None,
        Coding::Gzip => gzip(body, flate2::Compression::best())?,
        Coding::Zstd => zstd::bulk::compress(body, ZSTD_LEVEL_BEST).ok()?,
    };
    (compressed.len() < body.len()).then_some(compressed)
}

fn gzip(body: &[u8], level: flate2::Compression) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 4), level);
    encoder.write_all(body).and_then(|()| encoder.finish()).ok()
}

thread_local! {
    /// Reused: allocating zstd's tables takes longer than compressing a small body.
    static ZSTD: RefCell<Option<zstd::bulk::Compressor<'static>>> = const { RefCell::new(None) };
}

/// The body in this coding; `None` if that would not be smaller, or failed.
pub fn compress(coding: Coding, body: &[u8]) -> Option<Vec<u8>> {
    let compressed = match coding {
        Coding::Identity => return None,
        Coding::Gzip => gzip(body, GZIP_LEVEL)?,
        Coding::Zstd => ZSTD.with_borrow_mut(|kept| {
            if kept.is_none() {
                *kept = zstd::bulk::Compressor::new(ZSTD_LEVEL).ok();
            }
            kept.as_mut()?.compress(body).ok()
        })?,
    };
    (compressed.len() < body.len()).then_some(compressed)
}

/// Whether compressing a body of this length takes longer than a thread of connections may be busy. gzip takes some 9 ms a
/// megabyte, zstd 1 to 2 ms.
pub fn takes_long(coding: Coding, bytes: usize) -> bool {
    match coding {
        Coding::Identity => false,
        Coding::Gzip => bytes > GZIP_BYTES_MAX,
        Coding::Zstd => bytes > 4 * GZIP_BYTES_MAX,
    }
}

/// Longest text that gzip compresses within half of the time that a [turn](super::thread_time) may take.
pub const GZIP_BYTES_MAX: usize = 6 * 1024;

/// Streaming compression of a body that comes in pieces.
pub enum Coder {
    Identity,
    Gzip(GzEncoder<Vec<u8>>),
    Zstd(zstd::stream::write::Encoder<'static, Vec<u8>>),
}

impl Coder {
    /// Begins a body in this coding, or uncompressed if the coder cannot be created.
    pub fn begin(coding: Coding) -> Coder {
        match coding {
            Coding::Identity => Coder::Identity,
            Coding::Gzip => Coder::Gzip(GzEncoder::new(Vec::new(), GZIP_LEVEL)),
            Coding::Zstd => match zstd::stream::write::Encoder::new(Vec::new(), ZSTD_LEVEL) {
                Ok(encoder) => Coder::Zstd(encoder),
                Err(_no_memory) => Coder::Identity,
            },
        }
    }

    pub fn coding(&self) -> Coding {
        match self {
            Coder::Identity => Coding::Identity,
            Coder::Gzip(_) => Coding::Gzip,
            Coder::Zstd(_) => Coding::Zstd,
        }
    }

    /// Bytes that it codes in a turn of a connection.
    pub fn turn_bytes(&self) -> usize {
        match self {
            Coder::Identity => usize::MAX,
            Coder::Gzip(_) => GZIP_BYTES_MAX,
            Coder::Zstd(_) => 4 * GZIP_BYTES_MAX,
        }
    }

    /// Replaces `piece` by its coded form, as far as the coder has it; after the `last` piece all of it.
    pub fn code(&mut self, piece: &mut Vec<u8>, last: bool) -> std::io::Result<()> {
        let coded = match self {
            Coder::Identity => return Ok(()),
            Coder::Gzip(encoder) => {
                encoder.write_all(piece)?;
                if last {
                    encoder.try_finish()?;
                }
                encoder.get_mut()
            }
            Coder::Zstd(encoder) => {
                encoder.write_all(piece)?;
                if last {
                    encoder.do_finish()?;
                }
                encoder.get_mut()
            }
        };
        piece.clear();
        piece.append(coded);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use hyper::header::HeaderValue;

    use super::*;

    fn headers(values: &[&'static str]) -> HeaderMap {
        let values = values.iter().map(|value| (ACCEPT_ENCODING, HeaderValue::from_static(value)));
        values.collect()
    }

    #[test]
    fn the_coding_with_the_greatest_weight_wins() {
        #[track_caller]
        fn check(values: &[&'static str], expected: Coding) {
            assert_eq!(coding(&headers(values)), expected, "{values:?}");
        }
        check(&[], Coding::Identity);
        check(&[""], Coding::Identity);
        check(&["gzip"], Coding::Gzip);
        check(&["GZIP"], Coding::Gzip);
        check(&["x-gzip"], Coding::Gzip);
        check(&["zstd"], Coding::Zstd);
        check(&["gzip, deflate, br, zstd"], Coding::Zstd);
        check(&["gzip;q=1.0, zstd;q=0.5"], Coding::Gzip);
        check(&["gzip;q=0.5", "zstd;q=0.501"], Coding::Zstd);
        check(&["gzip;q=0"], Coding::Identity);
        check(&["*"], Coding::Zstd);
        check(&["zstd;q=0, *"], Coding::Gzip);
        check(&["*;q=0"], Coding::Identity);
        check(&["br, deflate, identity"], Coding::Identity);
        check(&["gzip ; q=0.3 , zstd ; q=0.2"], Coding::Gzip);
        for bad in ["gzip;q=2", "gzip;q=", "gzip;q=0.1234", "gzip;q=-1", "gzip;x=1", "gzip;q=1.1"] {
            assert_eq!(coding(&headers(&[bad])), Coding::Identity, "{bad}");
        }
    }

    #[test]
    fn both_codings_read_back_and_small_bodies_are_not_coded() {
        let body = "{\"postal_code\":\"1000001\",\"town\":\"千代田\"},".repeat(100);
        let gzip = compress(Coding::Gzip, body.as_bytes()).expect("smaller");
        let mut text = String::new();
        flate2::read::GzDecoder::new(&*gzip).read_to_string(&mut text).expect("gzip");
        assert_eq!(text, body);
        let zstd = compress(Coding::Zstd, body.as_bytes()).expect("smaller");
        let back = zstd::bulk::decompress(&zstd, body.len()).expect("zstd");
        assert_eq!(back, body.as_bytes());
        let best = compress_best(Coding::Gzip, body.as_bytes()).expect("smaller");
        text.clear();
        flate2::read::GzDecoder::new(&*best).read_to_string(&mut text).expect("gzip");
        assert!(text == body && best.len() < gzip.len());
        let best = compress_best(Coding::Zstd, body.as_bytes()).expect("smaller");
        assert_eq!(zstd::bulk::decompress(&best, body.len()).expect("zstd"), body.as_bytes());
        assert_eq!(compress_best(Coding::Identity, body.as_bytes()), None);
        assert_eq!(compress_best(Coding::Gzip, b"x"), None);
        assert_eq!(compress(Coding::Identity, body.as_bytes()), None);
        assert_eq!(compress(Coding::Gzip, b"x"), None);
        assert_eq!(compress(Coding::Zstd, b"x"), None);
        for coding in [Coding::Identity, Coding::Gzip, Coding::Zstd] {
            let mut coder = Coder::begin(coding);
            assert_eq!(coder.coding(), coding);
            let pieces: Vec<&[u8]> = body.as_bytes().chunks(1000).collect();
            let mut coded = Vec::new();
            for (at, piece) in pieces.iter().enumerate() {
                let mut piece = piece.to_vec();
                coder.code(&mut piece, at + 1 == pieces.len()).expect("coded");
                coded.extend_from_slice(&piece);
            }
            let mut back = Vec::new();
            match coding {
                Coding::Identity => back.clone_from(&coded),
                Coding::Gzip => {
                    let read = flate2::read::GzDecoder::new(&*coded).read_to_end(&mut back);
                    assert_eq!(read.expect("gzip"), body.len());
                }
                Coding::Zstd => back = zstd::stream::decode_all(&*coded).expect("zstd"),
            }
            assert_eq!(back, body.as_bytes(), "{coding:?}");
        }
    }
}
