//! Folding levels: how much of a text is folded.

/// Folding level. Each also folds what the one before folds, but `Address` makes ヵ and ゕ ケ where `Search` makes them
/// カ and か.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// One width and one encoding of the same letter; the only folding of `en_name`. Full-width ASCII becomes
    /// half-width, half-width kana becomes full-width, compatibility characters (`①`, `㈱`, `㎡`) become the text
    /// they stand for; variation selectors and invisible characters are dropped.
    Width,
    /// Variants of one kanji become one. Used by the exact modes of the corporate search.
    Kanji,
    /// Small kana become large, ゐゑヰヱ become いえイエ, letters become lower-case. Used by partial searches.
    Search,
    /// Letters that are confused in addresses only: ヶケがガヵ are ケ, のノ之乃 ノ, ッツっつ ツ, and a dozen kanji such as 祗 for 祇
    /// (listed in `table.rs`).
    Address,
}

impl Level {
    /// From the least to the most.
    pub const ALL: [Level; 4] = [Level::Width, Level::Kanji, Level::Search, Level::Address];
}
