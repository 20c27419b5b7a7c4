//! What a reading alone does not say and romanisation needs: where a word ends inside a name, and
//! the islands written before two villages' names.
//!
//! A reading has no word divisions, and folding long vowels across one gives a name that nobody
//! 大島区牛ケ鼻 is オオシマク ウシガハナ, not `Oshimakushigahana`: the divisions here are those that change the
//! letters. Unknown are those of names that Japan Post has not yet printed in Roman letters.

/// Localities whose name begins many towns or one: how the kanji begin, and the locality's reading.
///
/// Source: KEN_ALL_ROME.CSV of 3 June 2025, where a full-width space in the town column divides
/// locality and town; kept are the localities before which some town's letters would differ. The
/// kanji go beyond the locality where another town begins alike and is not divided (北新町). Sorted by
/// kanji.
#[rustfmt::skip] // Several names a line.
const LOCALITIES: &[(&str, &str)] = &[
    ("三郷", "ミサト"), ("上賀茂", "カミガモ"), ("上野", "ウエノ"), ("上高野", "カミタカノ"),
    ("下津", "オリヅ"), ("下鴨", "シモガモ"), ("与那城", "ヨナシロ"), ("中鈴蘭", "ナカスズラン"),
    ("京北", "ケイホク"), ("仁保", "ニホ"), ("今津", "イマヅ"), ("今熊野", "イマグマノ"),
    ("修学院", "シュウガクイン"), ("内里", "ウチザト"), ("出戸", "デト"), ("北平野", "キタヒラノ"),
    ("北新元金屋丁", "キタシン"), ("北新博労町", "キタシン"), ("北鈴蘭", "キタスズラン"),
    ("十勝川温泉", "トカチガワオンセン"), ("千本港町", "センボン"), ("千本緑町", "センボン"),
    ("南鈴蘭", "ミナミスズラン"), ("吉祥院", "キッショウイン"), ("国分", "コクブ"),
    ("塩山", "エンザン"), ("大信", "タイシン"), ("大原野", "オオハラノ"),
    ("大将軍", "タイショウグン"), ("嬉野", "ウレシノ"), ("学園緑ヶ丘", "ガクエン"),
    ("宇多野", "ウタノ"), ("小栗栖", "オグリス"), ("山中温泉", "ヤマナカオンセン"),
    ("岩作", "ヤザコ"), ("嵯峨大覚寺門前", "サガダイカクジモンゼン"), ("嵯峨水尾", "サガミズオ"),
    ("嵯峨釈迦堂門前", "サガシャカドウモンゼン"), ("嵯峨野", "サガノ"), ("川元", "カワモト"),
    ("常磐", "ジョウバン"), ("庶路乙区", "ショロ"), ("御室", "オムロ"), ("御津", "ミツ"),
    ("新穂", "ニイボ"), ("日野奥出", "ヒノ"), ("日野岡西町", "ヒノ"), ("有帆", "アリホ"),
    ("朱雀", "スジャク"), ("東海岸", "ヒガシカイガン"), ("松室", "マツムロ"), ("松尾", "マツオ"),
    ("栃尾", "トチオ"), ("栗栖野", "クリスノ"), ("根尾", "ネオ"), ("梅林", "バイリン"),
    ("梅津", "ウメヅ"), ("橋本奥ノ町", "ハシモト"), ("波野", "ナミノ"), ("洞戸", "ホラド"),
    ("玄番", "ゲンバン"), ("田沢湖", "タザワコ"), ("甲子園", "コウシエン"),
    ("甲陽園", "コウヨウエン"), ("神町営団", "ジンマチエイダン"), ("等持院", "トウジイン"),
    ("米水津", "ヨノウヅ"), ("紫竹", "シチク"), ("紫野", "ムラサキノ"), ("緑苑", "リョクエン"),
    ("美郷", "ミサト"), ("肥田浅野", "ヒダアサノ"), ("脇本", "ワキモト"),
    ("船川港", "フナガワミナト"), ("花園", "ハナゾノ"), ("芳生野", "ヨシウノ"), ("若穂", "ワカホ"),
    ("菟田野", "ウタノ"), ("蒜山", "ヒルゼン"), ("藤尾", "フジオ"), ("西京極", "ニシキョウゴク"),
    ("西改田", "ニシカイデン"), ("西院", "サイイン"), ("足久保", "アシクボ"),
    ("遠刈田温泉", "トオガッタオンセン"), ("醍醐", "ダイゴ"), ("長磯", "ナガイソ"),
    ("門戸", "モンド"), ("関宿", "セキヤド"), ("高清水", "タカシミズ"),
    ("鳴子温泉", "ナルコオンセン"),
];

/// Readings of the islands that stand before the name of their only village, as a county would.
///
/// Source: column 4 of KEN_ALL.CSV, rows of 13381 三宅島三宅村 and 13401 八丈島八丈町.
pub(super) const ISLANDS: &[&str] = &["ミヤケジマ", "ハチジョウジマ"];

/// Byte offsets into `kana` where a word ends inside the name, ascending.
pub(super) fn town_boundaries(kana: &str, kanji: &str) -> [Option<usize>; 2] {
    [locality_end(kana, kanji).or_else(|| ward_end(kana, kanji)), last_part_start(kana, kanji)]
}

/// Where the reading of a locality of [`LOCALITIES`] ends.
fn locality_end(kana: &str, kanji: &str) -> Option<usize> {
    // Entries that begin the name sort at or before it, and no entry begins another.
    let after = LOCALITIES.partition_point(|(locality, _)| *locality <= kanji);
    let (locality, reading) = LOCALITIES.get(after.checked_sub(1)?)?;
    let divides = kanji.starts_with(locality) && kana.starts_with(reading);
    divides.then_some(reading.len())
}

/// Where 区 ends before a word in ウ: a ward of a merged city (地域自治区), such as 大潟区.
fn ward_end(kana: &str, kanji: &str) -> Option<usize> {
    let ward = kanji.find('区')?;
    if ward + '区'.len_utf8() == kanji.len() {
        return None;
    }
    let start = kana.find("クウ")?;
    (kana.rfind("クウ") == Some(start)).then_some(start + 'ク'.len_utf8())
}

/// Where 乙 begins at the end: the second part (甲, 乙, 丙) of a divided locality.
fn last_part_start(kana: &str, kanji: &str) -> Option<usize> {
    if !kanji.ends_with('乙') {
        return None;
    }
    kana.strip_suffix("オツ").filter(|locality| !locality.is_empty()).map(str::len)
}
