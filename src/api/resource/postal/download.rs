//! `GET /v1/download/postalcode/latest/kenall.json.xz`: all data of the newest version, in one file.
//!
//! The file is mapped, and an answer is a slice of the mapping. As in RFC 9110, one range is answered with that
//! part, several ranges or another unit with the whole file, and `If-Range` allows a part only if its tag is still
//! the file's. The tag is strong and made of the file's checksum, so a download may be resumed at another
//! server with the same file.

use std::ops::Range;

use hyper::header::{ACCEPT_RANGES, CONTENT_RANGE, HeaderMap, HeaderValue, IF_RANGE, RANGE};
use hyper::{Method, StatusCode};

use crate::api::error::{ApiError, Code};
use crate::api::pipeline::reply::Reply;
use crate::api::pipeline::request::ApiRequest;
use crate::api::pipeline::tag::EntityTag;
use crate::api::resource::version::latest_data;
use crate::dataset::Catalog;
use crate::snapshot::Dataset;

pub fn latest(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    let requested = latest_data(request, Catalog::postal)?;
    let file = request.data.downloads.open(requested.data.file().path()).map_err(|error| {
        tracing::error!(%error, request = %request.id, "cannot read a download");
        let detail = "the server cannot read the download";
        ApiError::new(Code::DamagedData, detail)
    })?;
    let Some(file) = file else {
        let version = requested.version();
        let detail = format!("version {version} was built without a download");
        return Err(ApiError::new(Code::NoSuchDownload, detail));
    };
    let length = file.bytes.len() as u64;
    let tag = EntityTag::of_file(requested.version(), file.checksum, length);
    let headers = &request.head.headers;
    let range = match request.head.method == Method::GET && allows_part(headers, &tag) {
        true => requested_range(headers, length),
        false => RequestedRange::Whole,
    };
    let mut reply = match &range {
        RequestedRange::Whole => Reply::file(headers, tag, file.bytes),
        RequestedRange::Part(range) => {
            let part = file.bytes.slice(range.start as usize..range.end as usize);
            Reply::file(headers, tag, part).with_status(StatusCode::PARTIAL_CONTENT)
        }
        RequestedRange::Outside => {
            let detail =
                format!("expected a range that starts before byte {length}; found one after it");
            Reply::error(&ApiError::new(Code::RangeNotSatisfiable, detail))
        }
    };
    reply = reply.with_header(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    let range = match range {
        RequestedRange::Whole => return Ok(reply),
        RequestedRange::Part(Range { start, end }) => format!("bytes {start}-{}/{length}", end - 1),
        RequestedRange::Outside => format!("bytes */{length}"),
    };
    let range = HeaderValue::try_from(range).expect("digits and ASCII marks");
    Ok(reply.with_header(CONTENT_RANGE, range))
}

/// The part of a file that a request asks for with `Range`.
#[derive(Debug, Clone, PartialEq, Eq)]
enum RequestedRange {
    Whole,
    Part(Range<u64>),
    /// It is outside of the file.
    Outside,
}

/// Whether `If-Range` allows a part: it is absent, or it is the file's own strong tag.
fn allows_part(headers: &HeaderMap, tag: &EntityTag) -> bool {
    headers.get(IF_RANGE).is_none_or(|value| value == tag.value())
}

/// The range that `Range` selects in a file of this length. A header that is invalid under RFC 9110 is ignored.
fn requested_range(headers: &HeaderMap, length: u64) -> RequestedRange {
    let mut values = headers.get_all(RANGE).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return RequestedRange::Whole };
    let Some((unit, set)) = value.to_str().ok().and_then(|value| value.split_once('=')) else {
        return RequestedRange::Whole;
    };
    if !unit.trim().eq_ignore_ascii_case("bytes") || set.contains(',') {
        return RequestedRange::Whole;
    }
    let Some((first, last)) = set.trim().split_once('-') else { return RequestedRange::Whole };
    match (position(first), position(last)) {
        (Some(Some(first)), Some(last)) if last.is_none_or(|last| first <= last) => {
            let end = last.map_or(length, |last| last.saturating_add(1).min(length));
            if first < length { RequestedRange::Part(first..end) } else { RequestedRange::Outside }
        }
        (Some(None), Some(Some(suffix))) => match suffix.min(length) {
            0 => RequestedRange::Outside,
            suffix => RequestedRange::Part(length - suffix..length),
        },
        _ => RequestedRange::Whole,
    }
}

/// A position of a range: `Some(None)` if empty, `None` if it is not a number.
fn position(text: &str) -> Option<Option<u64>> {
    if text.is_empty() {
        return Some(None);
    }
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| Some(text.parse().unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn headers(values: &[&str]) -> HeaderMap {
        let values = values.iter().map(|value| {
            (RANGE, HeaderValue::from_bytes(value.as_bytes()).expect("a header value"))
        });
        values.collect()
    }

    #[test]
    fn ranges_are_parsed_as_in_the_rfc() {
        #[track_caller]
        fn check(value: &str, length: u64, expected: RequestedRange) {
            assert_eq!(
                requested_range(&headers(&[value]), length),
                expected,
                "{value:?} of {length}"
            );
        }
        use RequestedRange::{Outside, Part, Whole};
        check("bytes=0-", 10, Part(0..10));
        check("bytes=0-0", 10, Part(0..1));
        check("bytes=3-5", 10, Part(3..6));
        check("bytes=9-", 10, Part(9..10));
        check("bytes=5-99999999999999999999999", 10, Part(5..10));
        check("bytes=-3", 10, Part(7..10));
        check("bytes=-99", 10, Part(0..10));
        check("Bytes= 3-5 ", 10, Part(3..6));
        check("bytes=10-", 10, Outside);
        check("bytes=10-12", 10, Outside);
        check("bytes=99999999999999999999999-", 10, Outside);
        check("bytes=-0", 10, Outside);
        check("bytes=0-", 0, Outside);
        check("bytes=-1", 0, Outside);
        // For several ranges, another unit or an invalid range, the whole file is sent.
        for other in [
            "",
            "bytes",
            "bytes=",
            "bytes=-",
            "bytes=5-3",
            "bytes=a-b",
            "bytes=1-b",
            "bytes=+1-2",
            "bytes=0-1,3-4",
            "bytes=0-1,",
            "items=0-1",
            "0-1",
            "bytes=1",
            "bytes 0-1",
            "bytes=1--2",
        ] {
            check(other, 10, Whole);
        }
        assert_eq!(requested_range(&headers(&[]), 10), Whole);
        assert_eq!(requested_range(&headers(&["bytes=0-1", "bytes=0-1"]), 10), Whole);
    }

    proptest! {
        #[test]
        fn a_part_lies_inside_the_file(text in "bytes=[0-9]{0,20}-[0-9]{0,20}", length in 0u64..100) {
            if let RequestedRange::Part(range) = requested_range(&headers(&[&text]), length) {
                prop_assert!(range.start < range.end && range.end <= length);
            }
        }
    }
}
