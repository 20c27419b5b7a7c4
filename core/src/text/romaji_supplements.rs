//! Facts that romanisation needs and a reading alone does not show: word ends inside names, and the islands written
//! before the names of two villages.
//!
//! A reading has no word divisions, and long vowels must not fold across one: 大島区牛ケ鼻 is オオシマク ウシガハナ, not
//! `Oshimakushigahana`. Divisions that Japan Post has not yet printed in Roman letters are missing.

use std::sync::LazyLock;

/// Kanji and reading of the localities whose name begins a town, sorted by kanji.
pub(super) static LOCALITIES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let lines = include_str!("localities.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('\t')).collect()
});

/// Readings of the islands that stand before the name of their only village, as a county would.
///
/// Source: column 4 of KEN_ALL.CSV, rows of 13381 三宅島三宅村 and 13401 八丈島八丈町.
pub(super) const ISLANDS: &[&str] = &["ミヤケジマ", "ハチジョウジマ"];

/// Byte offsets into `kana` where a word ends inside the name, ascending.
pub(super) fn town_boundaries(kana: &str, kanji: &str) -> [Option<usize>; 2] {
    let first = locality_end(kana, kanji).or_else(|| ward_end(kana, kanji));
    // In マツオツ (松尾乙) the locality's reading マツオ overlaps the オツ of 乙.
    let last = last_part_start(kana, kanji).filter(|last| first.is_none_or(|first| first <= *last));
    [first, last]
}

/// The end of the reading of a locality in [`LOCALITIES`].
fn locality_end(kana: &str, kanji: &str) -> Option<usize> {
    // Entries that are prefixes of the name sort at or before it, and no entry is a prefix of another.
    let after = LOCALITIES.partition_point(|(locality, _)| *locality <= kanji);
    let (locality, reading) = LOCALITIES.get(after.checked_sub(1)?)?;
    let divides = kanji.starts_with(locality) && kana.starts_with(reading);
    divides.then_some(reading.len())
}

/// The end of 区 before a word that begins with ウ: a ward of a merged city (地域自治区), such as 大潟区.
fn ward_end(kana: &str, kanji: &str) -> Option<usize> {
    let ward = kanji.find('区')?;
    if ward + '区'.len_utf8() == kanji.len() {
        return None;
    }
    let start = kana.find("クウ")?;
    (kana.rfind("クウ") == Some(start)).then_some(start + 'ク'.len_utf8())
}

/// The start of a final 乙: the second part (甲, 乙, 丙) of a divided locality.
fn last_part_start(kana: &str, kanji: &str) -> Option<usize> {
    if !kanji.ends_with('乙') {
        return None;
    }
    kana.strip_suffix("オツ").filter(|locality| !locality.is_empty()).map(str::len)
}
