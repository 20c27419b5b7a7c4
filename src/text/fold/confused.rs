//! What only addresses confuse: letters that differ, and that people write for one another in names
//! of places all the same.
//!
//! Merged for addresses, since there one town is found among those of a municipality, and no two
//! of these are told apart by them alone (but 日の出 and 日之出 of one town of 清須市; a test of the
//! official file says so). Elsewhere they tell names apart.

/// Pairs of a letter of the level Kanji and what it becomes at the level Address.
///
/// `か` and `カ` stay: ヶ is read か, but nobody writes it so, and both are letters of many names.
/// 己 已 巳, 埼 崎, 惣 総, 芦 葦, 堺 界, 阪 坂, 兎 菟, 廻 回 and 裏 里 stay too: they are different words.
pub(super) const ADDRESS: &str = "\
    ヶケがケガケヵケゖケゕケのノ之ノ乃ノっツッツつツ\
    祗祇斉斎釜竃薗園栢柏栖棲籐藤碕崎洲州荘庄苅刈盃杯";
