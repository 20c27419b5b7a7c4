//! Completes the pieces found in a text to spans that cover all of it.

use super::result::{Piece, Span};
use super::units::{is_dash, is_separator};

/// Makes `spans` cover the text: gaps become separators or unplaced; where pieces overlap, the first keeps its
/// bytes.
pub fn cover(text: &str, pieces: &mut Vec<Span>, spans: &mut Vec<Span>) {
    pieces.retain(|piece| piece.start < piece.end);
    pieces.sort_by_key(|piece| piece.start);
    spans.clear();
    let whole = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let mut behind = 0;
    for piece in pieces.iter() {
        between(text, behind, piece.start, spans);
        let start = piece.start.max(behind);
        if start < piece.end {
            push(spans, Span { start, ..*piece });
        }
        behind = behind.max(piece.end);
    }
    between(text, behind, whole, spans);
}

/// The gap between two parts: separators at its ends, unplaced inside.
fn between(text: &str, start: u32, end: u32, spans: &mut Vec<Span>) {
    let Some(gap) = text.get(start as usize..end.max(start) as usize) else { return };
    let is_outer = |character: char| {
        is_separator(character)
            || matches!(character, '〒' | '(' | ')' | '（' | '）' | '-' | '－')
            || u16::try_from(u32::from(character)).is_ok_and(is_dash)
    };
    let first = gap.len() - gap.trim_start_matches(is_outer).len();
    let last = first + gap.trim_matches(is_outer).len();
    let offset = |at: usize| start + u32::try_from(at).unwrap_or(u32::MAX - start);
    for (piece, from, to) in [
        (Piece::Separator, 0, first),
        (Piece::Unplaced, first, last),
        (Piece::Separator, last, gap.len()),
    ] {
        if from < to {
            push(spans, Span { piece, start: offset(from), end: offset(to) });
        }
    }
}

fn push(spans: &mut Vec<Span>, span: Span) {
    match spans.last_mut() {
        Some(last) if last.piece == span.piece && last.end == span.start => last.end = span.end,
        _ => spans.push(span),
    }
}
