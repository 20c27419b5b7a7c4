//! Characters that people type for a hyphen between numbers.

/// Hyphens in every shape, but not 一, which is also a numeral.
#[rustfmt::skip] // Several characters a line.
pub fn is_hyphen(character: char) -> bool {
    matches!(character, '-' | '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' | 'ー' | '─'
        | '━' | '﹣' | '﹘' | '⁃' | '⎯' | '⏤' | '₋' | '⁻' | '˗' | 'ｰ' | '－')
}
