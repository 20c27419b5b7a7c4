//! The member `point`: latitude and longitude in decimal degrees, and the kind of place.

use std::io::Write as _;

use super::write::put;
use crate::address::Point;

/// Appends the object, or null without a point.
pub(super) fn write_point(out: &mut Vec<u8>, point: Option<Point>) {
    let Some(Point { lat, lon, level }) = point else {
        return out.extend_from_slice(b"null");
    };
    write!(out, "{{\"lat\":{lat},\"lon\":{lon}").expect("a vector takes every byte");
    put(out, &[",\"level\":\"", level.name(), "\"}"]);
}
