//! How much of a text is folded.

/// How much is folded. Each level does what those before it do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// One width and one encoding of the same letter, which is all that `en_name` gets: full-width ASCII
    /// becomes half-width, half-width kana full-width, compatibility characters (`①`, `㈱`, `㎡`) what they
    /// stand for; variation selectors and characters that show nothing are dropped.
    Width,
    /// Forms of one kanji become one. The exact modes of the corporate search.
    Kanji,
    /// Small kana become large, ゐゑヰヱ いえイエ, letters small. The partial searches.
    Search,
    /// What addresses alone confuse: ヶケがガヵ are ケ, のノ之乃 ノ, ッツっつ ツ, and a dozen kanji such as
    /// 祗 for 祇 (`confused` lists them).
    Address,
}

impl Level {
    /// From the least to the most.
    pub const ALL: [Level; 4] = [Level::Width, Level::Kanji, Level::Search, Level::Address];
}
