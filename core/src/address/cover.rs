//! Completes the spans found in a text so that they cover all of it.

use super::result::{Span, SpanKind};
use super::units::{is_dash, is_separator};

/// Fills `spans` from the spans found in the text, without gap or overlap: gaps become separators or unplaced; where
/// two overlap, the first keeps its bytes.
pub fn cover(text: &str, found: &mut Vec<Span>, spans: &mut Vec<Span>) {
    found.retain(|span| span.start < span.end);
    found.sort_by_key(|span| span.start);
    spans.clear();
    let whole = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let mut covered = 0;
    for span in found.iter() {
        push_gap(text, covered, span.start, spans);
        let start = span.start.max(covered);
        if start < span.end {
            push_span(spans, Span { start, ..*span });
        }
        covered = covered.max(span.end);
    }
    push_gap(text, covered, whole, spans);
}

/// Appends the gap between two parts: separators at its ends, unplaced text inside.
fn push_gap(text: &str, start: u32, end: u32, spans: &mut Vec<Span>) {
    let Some(gap) = text.get(start as usize..end.max(start) as usize) else { return };
    let is_separator_sign = |character: char| {
        is_separator(character)
            || matches!(character, '〒' | '(' | ')' | '（' | '）' | '-' | '－')
            || u16::try_from(u32::from(character)).is_ok_and(is_dash)
    };
    let first = gap.len() - gap.trim_start_matches(is_separator_sign).len();
    let last = first + gap.trim_matches(is_separator_sign).len();
    // 大字 between two names marks the second, and is no name itself.
    let (first, last) = match gap.get(first..last) {
        Some("大字" | "小字" | "字") => (gap.len(), gap.len()),
        _ => (first, last),
    };
    let offset = |length: usize| start + u32::try_from(length).unwrap_or(u32::MAX - start);
    for (kind, from, to) in [
        (SpanKind::Separator, 0, first),
        (SpanKind::Unplaced, first, last),
        (SpanKind::Separator, last, gap.len()),
    ] {
        if from < to {
            push_span(spans, Span { kind, start: offset(from), end: offset(to) });
        }
    }
}

/// Appends a span, or extends the last one if it is adjacent and of the same kind.
fn push_span(spans: &mut Vec<Span>, span: Span) {
    match spans.last_mut() {
        Some(last) if last.kind == span.kind && last.end == span.start => last.end = span.end,
        _ => spans.push(span),
    }
}
