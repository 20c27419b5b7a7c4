//! The Hepburn syllable table: one or two katakana to lower-case Roman letters.
//!
//! Syllables with ァ ィ ゥ ェ ォ and ヴ are not in the official table. They have the usual spelling of extended syllables
//! (`ti`, `fa`, `je`), where Japan Post spells letter by letter (`SHITEI` for シティ). ン, ッ and ー are missing: their
//! letters depend on the neighbours.

/// A small letter without the mark of a long vowel, a macron or a circumflex; any other as it is.
pub(super) fn without_macron(letter: char) -> char {
    match letter {
        'ā' | 'â' => 'a',
        'ī' | 'î' => 'i',
        'ū' | 'û' => 'u',
        'ē' | 'ê' => 'e',
        'ō' | 'ô' => 'o',
        other => other,
    }
}

/// The Roman letters of the syllable that begins here, and its length in characters; `None` if none does.
pub(super) fn syllable(first: char, second: Option<char>) -> Option<(&'static str, usize)> {
    if let Some(second) = second
        && let Some(roman) = pair(first, second)
    {
        return Some((roman, 2));
    }
    single(first).map(|roman| (roman, 1))
}

/// Two characters: a syllable with ャ ュ ョ, or a loan-word syllable with a small vowel.
#[rustfmt::skip] // The syllables of one sound a line.
fn pair(first: char, second: char) -> Option<&'static str> {
    Some(match (first, second) {
        ('キ', 'ャ') => "kya", ('キ', 'ュ') => "kyu", ('キ', 'ョ') => "kyo",
        ('ギ', 'ャ') => "gya", ('ギ', 'ュ') => "gyu", ('ギ', 'ョ') => "gyo",
        ('シ', 'ャ') => "sha", ('シ', 'ュ') => "shu", ('シ', 'ョ') => "sho", ('シ', 'ェ') => "she",
        ('ジ' | 'ヂ', 'ャ') => "ja", ('ジ' | 'ヂ', 'ュ') => "ju", ('ジ' | 'ヂ', 'ョ') => "jo", ('ジ', 'ェ') => "je",
        ('チ', 'ャ') => "cha", ('チ', 'ュ') => "chu", ('チ', 'ョ') => "cho", ('チ', 'ェ') => "che",
        ('ニ', 'ャ') => "nya", ('ニ', 'ュ') => "nyu", ('ニ', 'ョ') => "nyo",
        ('ヒ', 'ャ') => "hya", ('ヒ', 'ュ') => "hyu", ('ヒ', 'ョ') => "hyo",
        ('ビ', 'ャ') => "bya", ('ビ', 'ュ') => "byu", ('ビ', 'ョ') => "byo",
        ('ピ', 'ャ') => "pya", ('ピ', 'ュ') => "pyu", ('ピ', 'ョ') => "pyo",
        ('ミ', 'ャ') => "mya", ('ミ', 'ュ') => "myu", ('ミ', 'ョ') => "myo",
        ('リ', 'ャ') => "rya", ('リ', 'ュ') => "ryu", ('リ', 'ョ') => "ryo",
        ('テ', 'ャ') => "tya", ('テ', 'ュ') => "tyu", ('テ', 'ョ') => "tyo", ('テ', 'ィ') => "ti", ('ト', 'ゥ') => "tu",
        ('デ', 'ャ') => "dya", ('デ', 'ュ') => "dyu", ('デ', 'ョ') => "dyo", ('デ', 'ィ') => "di", ('ド', 'ゥ') => "du",
        ('フ', 'ャ') => "fya", ('フ', 'ュ') => "fyu", ('フ', 'ョ') => "fyo",
        ('フ', 'ァ') => "fa", ('フ', 'ィ') => "fi", ('フ', 'ェ') => "fe", ('フ', 'ォ') => "fo",
        ('ヴ', 'ャ') => "vya", ('ヴ', 'ュ') => "vyu", ('ヴ', 'ョ') => "vyo",
        ('ヴ', 'ァ') => "va", ('ヴ', 'ィ') => "vi", ('ヴ', 'ェ') => "ve", ('ヴ', 'ォ') => "vo",
        ('ツ', 'ァ') => "tsa", ('ツ', 'ィ') => "tsi", ('ツ', 'ェ') => "tse", ('ツ', 'ォ') => "tso",
        ('ウ', 'ィ') => "wi", ('ウ', 'ェ') => "we", ('ウ', 'ォ') => "wo", ('イ', 'ェ') => "ye",
        ('ク', 'ァ') => "kwa", ('グ', 'ァ') => "gwa",
        _ => return None,
    })
}

/// One character. A small vowel or glide outside the tables reads as its large form.
#[rustfmt::skip] // The rows of the kana table, five vowels a line.
fn single(kana: char) -> Option<&'static str> {
    Some(match kana {
        'ア' | 'ァ' => "a", 'イ' | 'ィ' | 'ヰ' => "i", 'ウ' | 'ゥ' => "u", 'エ' | 'ェ' | 'ヱ' => "e", 'オ' | 'ォ' | 'ヲ' => "o",
        'カ' | 'ヵ' => "ka", 'キ' => "ki", 'ク' => "ku", 'ケ' | 'ヶ' => "ke", 'コ' => "ko",
        'サ' => "sa", 'シ' => "shi", 'ス' => "su", 'セ' => "se", 'ソ' => "so",
        'タ' => "ta", 'チ' => "chi", 'ツ' => "tsu", 'テ' => "te", 'ト' => "to",
        'ナ' => "na", 'ニ' => "ni", 'ヌ' => "nu", 'ネ' => "ne", 'ノ' => "no",
        'ハ' => "ha", 'ヒ' => "hi", 'フ' => "fu", 'ヘ' => "he", 'ホ' => "ho",
        'マ' => "ma", 'ミ' => "mi", 'ム' => "mu", 'メ' => "me", 'モ' => "mo",
        'ヤ' | 'ャ' => "ya", 'ユ' | 'ュ' => "yu", 'ヨ' | 'ョ' => "yo",
        'ラ' => "ra", 'リ' => "ri", 'ル' => "ru", 'レ' => "re", 'ロ' => "ro",
        'ワ' | 'ヮ' => "wa",
        'ガ' => "ga", 'ギ' => "gi", 'グ' => "gu", 'ゲ' => "ge", 'ゴ' => "go",
        'ザ' => "za", 'ジ' | 'ヂ' => "ji", 'ズ' | 'ヅ' => "zu", 'ゼ' => "ze", 'ゾ' => "zo",
        'ダ' => "da", 'デ' => "de", 'ド' => "do",
        'バ' => "ba", 'ビ' => "bi", 'ブ' => "bu", 'ベ' => "be", 'ボ' => "bo",
        'パ' => "pa", 'ピ' => "pi", 'プ' => "pu", 'ペ' => "pe", 'ポ' => "po",
        'ヴ' => "vu",
        _ => return None,
    })
}
