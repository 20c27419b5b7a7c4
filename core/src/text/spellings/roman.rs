//! Roman spellings of syllables in the common systems: Hepburn, Kunrei, and what people type into input methods.
//!
//! ン, ッ and long vowels depend on their neighbours and are missing here. Kana are large and voiced as in the
//! compared form of readings: ヂ is ジ, ヅ is ズ.

/// Each spelling and its kana.
#[rustfmt::skip] // The syllables of one sound a line.
pub(super) const SYLLABLES: &[(&str, &str)] = &[
    ("a", "ア"), ("i", "イ"), ("u", "ウ"), ("e", "エ"), ("o", "オ"),
    ("ka", "カ"), ("ki", "キ"), ("ku", "ク"), ("ke", "ケ"), ("ko", "コ"),
    ("sa", "サ"), ("shi", "シ"), ("si", "シ"), ("su", "ス"), ("se", "セ"), ("so", "ソ"),
    ("ta", "タ"), ("chi", "チ"), ("ti", "チ"), ("tsu", "ツ"), ("tu", "ツ"), ("te", "テ"), ("to", "ト"),
    ("na", "ナ"), ("ni", "ニ"), ("nu", "ヌ"), ("ne", "ネ"), ("no", "ノ"),
    ("ha", "ハ"), ("hi", "ヒ"), ("fu", "フ"), ("hu", "フ"), ("he", "ヘ"), ("ho", "ホ"),
    ("ma", "マ"), ("mi", "ミ"), ("mu", "ム"), ("me", "メ"), ("mo", "モ"),
    ("ya", "ヤ"), ("yu", "ユ"), ("yo", "ヨ"),
    ("ra", "ラ"), ("ri", "リ"), ("ru", "ル"), ("re", "レ"), ("ro", "ロ"),
    ("wa", "ワ"), ("wo", "オ"), ("wi", "ウイ"), ("we", "ウエ"),
    ("ga", "ガ"), ("gi", "ギ"), ("gu", "グ"), ("ge", "ゲ"), ("go", "ゴ"),
    ("za", "ザ"), ("ji", "ジ"), ("zi", "ジ"), ("zu", "ズ"), ("ze", "ゼ"), ("zo", "ゾ"),
    ("da", "ダ"), ("di", "ジ"), ("du", "ズ"), ("dzu", "ズ"), ("de", "デ"), ("do", "ド"),
    ("ba", "バ"), ("bi", "ビ"), ("bu", "ブ"), ("be", "ベ"), ("bo", "ボ"),
    ("pa", "パ"), ("pi", "ピ"), ("pu", "プ"), ("pe", "ペ"), ("po", "ポ"),
    ("va", "ヴア"), ("vi", "ヴイ"), ("vu", "ヴ"), ("ve", "ヴエ"), ("vo", "ヴオ"),
    ("kya", "キヤ"), ("kyu", "キユ"), ("kyo", "キヨ"),
    ("sha", "シヤ"), ("shu", "シユ"), ("she", "シエ"), ("sho", "シヨ"),
    ("sya", "シヤ"), ("syu", "シユ"), ("syo", "シヨ"),
    ("cha", "チヤ"), ("chu", "チユ"), ("che", "チエ"), ("cho", "チヨ"),
    ("tya", "チヤ"), ("tyu", "チユ"), ("tyo", "チヨ"),
    ("cya", "チヤ"), ("cyu", "チユ"), ("cyo", "チヨ"),
    ("nya", "ニヤ"), ("nyu", "ニユ"), ("nyo", "ニヨ"),
    ("hya", "ヒヤ"), ("hyu", "ヒユ"), ("hyo", "ヒヨ"),
    ("mya", "ミヤ"), ("myu", "ミユ"), ("myo", "ミヨ"),
    ("rya", "リヤ"), ("ryu", "リユ"), ("ryo", "リヨ"),
    ("gya", "ギヤ"), ("gyu", "ギユ"), ("gyo", "ギヨ"),
    ("ja", "ジヤ"), ("ju", "ジユ"), ("je", "ジエ"), ("jo", "ジヨ"),
    ("jya", "ジヤ"), ("jyu", "ジユ"), ("jyo", "ジヨ"),
    ("zya", "ジヤ"), ("zyu", "ジユ"), ("zyo", "ジヨ"),
    ("dya", "ジヤ"), ("dyu", "ジユ"), ("dyo", "ジヨ"),
    ("bya", "ビヤ"), ("byu", "ビユ"), ("byo", "ビヨ"),
    ("pya", "ピヤ"), ("pyu", "ピユ"), ("pyo", "ピヨ"),
    ("fa", "フア"), ("fi", "フイ"), ("fe", "フエ"), ("fo", "フオ"),
];
