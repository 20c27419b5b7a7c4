//! Kana: voiced marks composed, small and old forms made the common ones.
//!
//! Katakana and hiragana stay apart; the few that addresses mix are in [`super::confused`].

/// The voiced mark as a character of its own; every other writing of it folds to this one.
const VOICED: char = '゛';
const SEMIVOICED: char = '゜';

/// Whether a character of the level Width is a voiced or semi-voiced mark.
pub(super) fn is_mark(character: char) -> bool {
    matches!(character, VOICED | SEMIVOICED)
}

/// カ and ゛ make ガ; `None` where the two make nothing.
pub(super) fn compose(kana: char, mark: char) -> Option<char> {
    let step = match (mark, kana) {
        (VOICED, 'ウ') => return Some('ヴ'),
        (VOICED, 'う') => return Some('ゔ'),
        (VOICED, 'ワ' | 'ヰ' | 'ヱ' | 'ヲ') => 8,
        (VOICED, 'ゝ' | 'ヽ') => 1,
        (VOICED, _) if in_voiced_row(kana) => 1,
        (VOICED, _) if in_half_voiced_row(kana) => 1,
        (SEMIVOICED, _) if in_half_voiced_row(kana) => 2,
        _ => return None,
    };
    char::from_u32(u32::from(kana) + step)
}

/// Plain kana of the rows か さ た. In the block each voiced kana follows its plain one.
fn in_voiced_row(kana: char) -> bool {
    "かきくけこさしすせそたちつてとカキクケコサシスセソタチツテト".contains(kana)
}

/// Plain kana of the row は, which alone has semi-voiced forms too.
fn in_half_voiced_row(kana: char) -> bool {
    matches!(kana, 'は' | 'ひ' | 'ふ' | 'へ' | 'ほ' | 'ハ' | 'ヒ' | 'フ' | 'ヘ' | 'ホ')
}

/// Pairs at the level Search: small to large, old to new; the small letters of Ainu too.
pub(super) const SEARCH: &str = "\
    ぁあぃいぅうぇえぉおっつゃやゅゆょよゎわゕかゖけゐいゑえ\
    ァアィイゥウェエォオッツャヤュユョヨヮワヵカヶケヰイヱエ\
    ㇰクㇱシㇲスㇳトㇴヌㇵハㇶヒㇷフㇸヘㇹホㇺムㇻラㇼリㇽルㇾレㇿロ";
