//! Kana folding: voiced marks are composed, small and old forms become the common ones.
//!
//! Katakana and hiragana stay apart, except the few that addresses mix (`table.rs`).

/// The voiced mark as a separate character; every other form of it folds to this one.
const VOICED: char = '゛';
const SEMIVOICED: char = '゜';

/// Whether a character at the level Width is a voiced or semi-voiced mark.
pub(super) fn is_voiced_mark(character: char) -> bool {
    matches!(character, VOICED | SEMIVOICED)
}

/// Composes カ and ゛ to ガ; `None` if the pair has no composition.
pub(super) fn compose(kana: char, mark: char) -> Option<char> {
    let distance = match (mark, kana) {
        (VOICED, 'ウ') => return Some('ヴ'),
        (VOICED, 'う') => return Some('ゔ'),
        (VOICED, 'ワ' | 'ヰ' | 'ヱ' | 'ヲ') => 8,
        (VOICED, 'ゝ' | 'ヽ') => 1,
        (VOICED, _) if is_in_ka_sa_ta_rows(kana) => 1,
        (VOICED, _) if is_in_ha_row(kana) => 1,
        (SEMIVOICED, _) if is_in_ha_row(kana) => 2,
        _ => return None,
    };
    char::from_u32(u32::from(kana) + distance)
}

/// Plain kana of the rows か さ た. In the Unicode block each voiced kana follows its plain one.
fn is_in_ka_sa_ta_rows(kana: char) -> bool {
    "かきくけこさしすせそたちつてとカキクケコサシスセソタチツテト".contains(kana)
}

/// Plain kana of the row は, the only row that also has semi-voiced forms.
fn is_in_ha_row(kana: char) -> bool {
    matches!(kana, 'は' | 'ひ' | 'ふ' | 'へ' | 'ほ' | 'ハ' | 'ヒ' | 'フ' | 'ヘ' | 'ホ')
}

/// Pairs at the level Search: small to large, old to new, with the small letters of Ainu.
pub(super) const SEARCH: &str = "\
    ぁあぃいぅうぇえぉおっつゃやゅゆょよゎわゕかゖけゐいゑえ\
    ァアィイゥウェエォオッツャヤュユョヨヮワヵカヶケヰイヱエ\
    ㇰクㇱシㇲスㇳトㇴヌㇵハㇶヒㇷフㇸヘㇹホㇺムㇻラㇼリㇽルㇾレㇿロ";
