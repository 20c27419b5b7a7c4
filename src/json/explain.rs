//! The member `explain` of an address search: from which bytes each component was read, and why it is what it is.

use super::point::write_point;
use super::write::{push_number, push_number_or_null, push_or_null, push_string, put, write_list};
use crate::address::{Address, Component, SpanKind};
use crate::query::{Candidate, Explanation};

/// Appends the object. `text` is the one that the address was read from.
pub(super) fn write_explain(
    out: &mut Vec<u8>,
    text: &str,
    address: &Address,
    explained: &Explanation<'_>,
) {
    put(out, &["{\"match\":\"", address.resolved().name(), "\",\"components\":"]);
    let named = Component::ALL.into_iter().filter_map(|part| Some((part, address.get(part)?)));
    write_list(out, named, |out, (part, became)| write_part(out, text, address, part, became));
    out.extend_from_slice(b",\"corrections\":");
    write_list(out, address.corrections(), |out, one| {
        let (kind, component) = (one.kind.name(), one.component.name());
        put(out, &["{\"kind\":\"", kind, "\",\"component\":\"", component, "\""]);
        out.extend_from_slice(b",\"since\":");
        push_number_or_null(out, one.since);
        write_read(out, text, one.start, one.end);
        out.extend_from_slice(b",\"became\":");
        push_string(out, one.became);
        out.push(b'}');
    });
    out.extend_from_slice(b",\"candidates\":");
    write_list(out, explained.candidates.iter(), |out, Candidate { city, town }| {
        let code = format!("{:05}", city.jisx0402());
        put(out, &["{\"jisx0402\":\"", &code, "\",\"prefecture\":"]);
        push_string(out, city.prefecture().name.text);
        out.extend_from_slice(b",\"city\":");
        push_string(out, city.city().name.text);
        out.extend_from_slice(b",\"town\":");
        push_or_null(out, town.map(|record| record.town().name.text));
        out.push(b'}');
    });
    out.extend_from_slice(b",\"point\":");
    write_point(out, explained.point);
    out.push(b'}');
}

fn write_part(out: &mut Vec<u8>, text: &str, address: &Address, part: Component, became: &str) {
    put(out, &["{\"component\":\"", part.name(), "\""]);
    let spans = address.spans().iter().filter(|span| span.kind == SpanKind::Part(part));
    // A town and its koaza are one range, with the text between them.
    let read = spans.map(|span| (span.start, span.end)).reduce(|all, next| (all.0, next.1));
    let is_unchanged =
        |(start, end): (u32, u32)| text.get(start as usize..end as usize) == Some(became);
    let reason = match (address.corrections().find(|one| one.component == part), read) {
        (Some(correction), _) => correction.kind.name(),
        (None, None) => "completed",
        (None, Some(read)) if is_unchanged(read) => "as_is",
        (None, Some(_)) => "variant",
    };
    match read {
        Some((start, end)) => write_read(out, text, start, end),
        None => out.extend_from_slice(b",\"start\":null,\"end\":null,\"read\":null"),
    }
    out.extend_from_slice(b",\"became\":");
    push_string(out, became);
    put(out, &[",\"why\":\"", reason, "\"}"]);
}

fn write_read(out: &mut Vec<u8>, text: &str, start: u32, end: u32) {
    out.extend_from_slice(b",\"start\":");
    push_number(out, u64::from(start));
    out.extend_from_slice(b",\"end\":");
    push_number(out, u64::from(end));
    out.extend_from_slice(b",\"read\":");
    push_or_null(out, text.get(start as usize..end as usize));
}
