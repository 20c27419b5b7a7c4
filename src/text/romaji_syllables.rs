//! The Hepburn syllable table: one or two katakana to lower-case Roman letters.
//!
//! Syllables with ァ ィ ゥ ェ ォ and ヴ are not in the official table; they have the spelling common to the extended
//! ones (`ti`, `fa`, `je`), where Japan Post spells letter by letter (`SHITEI` for シティ). Not here: ン, ッ and ー, whose
//! letters depend on their neighbours.

/// Roman letters of the syllable at the start of (`first`, `second`), and how many of the two
/// characters it takes; `None` if `first` is no syllable. Both must be katakana of normal width.
pub(super) fn syllable(first: char, second: Option<char>) -> Option<(&'static str, usize)> {
    if let Some(second) = second
        && let Some(roman) = glide(first, second).or_else(|| loan(first, second))
    {
        return Some((roman, 2));
    }
    single(first).map(|roman| (roman, 1))
}

fn glide(first: char, second: char) -> Option<&'static str> {
    let column = match second {
        'ャ' => 0,
        'ュ' => 1,
        'ョ' => 2,
        _ => return None,
    };
    let row = match first {
        'キ' => ["kya", "kyu", "kyo"],
        'ギ' => ["gya", "gyu", "gyo"],
        'シ' => ["sha", "shu", "sho"],
        'ジ' | 'ヂ' => ["ja", "ju", "jo"],
        'チ' => ["cha", "chu", "cho"],
        'ニ' => ["nya", "nyu", "nyo"],
        'ヒ' => ["hya", "hyu", "hyo"],
        'ビ' => ["bya", "byu", "byo"],
        'ピ' => ["pya", "pyu", "pyo"],
        'ミ' => ["mya", "myu", "myo"],
        'リ' => ["rya", "ryu", "ryo"],
        'フ' => ["fya", "fyu", "fyo"],
        'デ' => ["dya", "dyu", "dyo"],
        'テ' => ["tya", "tyu", "tyo"],
        'ヴ' => ["vya", "vyu", "vyo"],
        _ => return None,
    };
    Some(row[column])
}

/// A syllable of loan words, with ァ ィ ゥ ェ ォ.
fn loan(first: char, second: char) -> Option<&'static str> {
    Some(match (first, second) {
        ('ウ', 'ィ') => "wi",
        ('ウ', 'ェ') => "we",
        ('ウ', 'ォ') => "wo",
        ('ク', 'ァ') => "kwa",
        ('グ', 'ァ') => "gwa",
        ('シ', 'ェ') => "she",
        ('ジ', 'ェ') => "je",
        ('チ', 'ェ') => "che",
        ('ツ', 'ァ') => "tsa",
        ('ツ', 'ィ') => "tsi",
        ('ツ', 'ェ') => "tse",
        ('ツ', 'ォ') => "tso",
        ('テ', 'ィ') => "ti",
        ('デ', 'ィ') => "di",
        ('ト', 'ゥ') => "tu",
        ('ド', 'ゥ') => "du",
        ('フ', 'ァ') => "fa",
        ('フ', 'ィ') => "fi",
        ('フ', 'ェ') => "fe",
        ('フ', 'ォ') => "fo",
        ('ヴ', 'ァ') => "va",
        ('ヴ', 'ィ') => "vi",
        ('ヴ', 'ェ') => "ve",
        ('ヴ', 'ォ') => "vo",
        ('イ', 'ェ') => "ye",
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
