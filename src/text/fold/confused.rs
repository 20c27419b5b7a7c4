//! Letters that are confused in addresses only: they differ, but people write one for the other in place names.
//!
//! Merging them is safe in addresses, since a town is searched among those of one municipality and no two of these
//! differ only in such letters (except 日の出 and 日之出 in 清須市; a test of the official file checks this). Elsewhere they
//! distinguish names.

/// Pairs of a letter at the level Kanji and its form at the level Address.
///
/// `か` and `カ` stay: ヶ is read か, but nobody writes it so, and both are letters of many names. 己 已 巳, 埼 崎, 惣 総, 芦
/// 葦, 堺 界, 阪 坂, 兎 菟, 廻 回 and 裏 里 stay too: they are different words.
pub(super) const ADDRESS: &str = "\
    ヶケがケガケヵケゖケゕケのノ之ノ乃ノっツッツつツ\
    祗祇斉斎釜竃薗園栢柏栖棲籐藤碕崎洲州荘庄苅刈盃杯";
