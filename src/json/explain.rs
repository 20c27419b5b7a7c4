//! The member `explain` of an address search: from which bytes each component was read, and why it is what it is.

use super::postal::write_point;
use super::write::{code, number, number_or_null, or_null, put, string, write_list};
use crate::address::{Address, Component, SpanKind};
use crate::dataset::postal::address_search::{Candidate, Explanation};

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
        number_or_null(out, ",\"since\":", one.since);
        write_read(out, text, one.start, one.end);
        string(out, ",\"became\":", one.became);
        out.push(b'}');
    });
    out.extend_from_slice(b",\"candidates\":");
    write_list(out, explained.candidates.iter(), |out, Candidate { city, town }| {
        code::<5>(out, "{\"jisx0402\":\"", city.jisx0402());
        string(out, "\",\"prefecture\":", city.prefecture().name.text);
        string(out, ",\"city\":", city.city().name.text);
        or_null(out, ",\"town\":", town.map(|record| record.town().name.text));
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
    string(out, ",\"became\":", became);
    put(out, &[",\"why\":\"", reason, "\"}"]);
}

fn write_read(out: &mut Vec<u8>, text: &str, start: u32, end: u32) {
    number(out, ",\"start\":", u64::from(start));
    number(out, ",\"end\":", u64::from(end));
    or_null(out, ",\"read\":", text.get(start as usize..end as usize));
}
