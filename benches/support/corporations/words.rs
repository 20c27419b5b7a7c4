//! The words that generated names consist of: common real ones first, then generated ones.
//!
//! The common words and characters are the most frequent of the names that the tax agency published
//! between 2024-07 and 2026-06, in that order (出典：国税庁法人番号公表サイト, edited). The frequency of each rank
//! follows the same names: of 36,000 first halves of kanji names, 100 make up a fifth of the names and 1,000
//! half; katakana and Latin words have a longer tail.

use super::super::source::SeededRandom;

/// How a word is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    Kanji,
    Katakana,
    Hiragana,
    Letters,
}

/// The longest single word, in characters.
pub const WORD_MAX: usize = 8;

const KANJI: &str = "人法業工商建事店産団田所一組山動大本協般神日和電東医寺福木中営務川三活定利野特療興非光藤機製\
教屋島企農新石井研画松村理小西高金栄生北材備丸原水計作園地岡祉自運学発宮車開保不士物装県美天市上林総八土海部京国\
森財吉南院究住長崎内成谷佐明信品平気場通築科堂子食技富化販管鉄青口共橋洋都安分造売城陽公久薬清道町家伊観下輸正送\
永進広津塗泉花創愛幸太関楽房豊白友酒環徳岩加険器沢真坂千館油戸重境精宅幡育葉倉流州尾労浜江文鈴立賀芸印益央澤区河\
整竹行二支九古心熊際校武第刷局代寿援前星池健良経渡宝議具瀬来五里連十出護沖板振見浦空伸誠全善術米越相馬宗勝測喜鹿\
秋元間四易根防調交龍量黒書多月横玉志構";

const KATAKANA: &str = "スイトルクアエリラシテフタサジグコムプレマカドビデオロニズウナワパセネポミケキメブバハホツチダモヤ\
ベピソガユザボヒヨペゴゼヘゲーンッィャョ";

/// Pairs of characters in katakana words.
const KATAKANA_PAIRS: &str = "ング ティ ート ック ショ ール イン ディ リー ライ ーシ ョン ター ィン スト ステ エス クス ント プラ \
サー レー ホー ンタ ービ ット コー ビス ラン ース ファ ーズ ジャ ーム アイ ィー ンド アー シー パン コン ーク テッ \
エイ ワー ュー シス リン エム フィ エン サン クリ メン グス トラ スタ ンサ オー プロ イト ロー ラス アン エー ープ ード \
クト セン ンス パー ーン イズ テム ジェ サル ルー ポー ンテ リア ルテ テク イフ アル ップ ジー ンク リエ フォ ナー";

const HIRAGANA: &str = "のいまかみんらくとやしりきさあなたこうるわおつちすもひはふろばがどえじむだゆよにずめぎけびほねぐせて";

const LETTERS: &str = "ＡｅａｉＳｏｎＥＴＩＯＮＲｒｔＭＣＬｓＫｌＰｕＨＧＤＵｃＢｍｇＹＦｈｄｐＪｙＷｋＶｆｂｖｗＺＸ";

const KANJI_WORDS: &str = "和 栄 縁 匠 雅 光 絆 輝 大和 日本 東京 富士 佐藤 鈴木 田中 三和 小林 東洋 中央 高橋 山本 中村 伊藤 \
第一 吉田 未来 山田 共栄 渡辺 松本 井上 国際 加藤 山口 清水 昭和 協和 木村 太陽 朝日 東海 池田 環境 山崎 橋本 大成 \
関西 東和 石川 小川 都市 三栄 岡田 前田 大栄 石井 動物 住宅 大阪 中島 関東 九州 後藤 中山 中部 東亜 中川 阿部 藤田 山下 \
京都 中野 平成 福田 明和 坂本 藤原 金子 近藤 太田 新和 東北 新栄 森田 青木 村上 千葉 福島 日東 田村 日新 斉藤 平和 岡本 \
協栄 福岡 藤井 大東 共和 西村 石田 大洋 三友 川崎 三洋 小野 安藤 東邦 共同 原田 宮崎 双葉 三浦 松田 三共 三協 岩崎 横浜 \
北海道 佐々木 新日本 西日本 長谷川 千代田 東日本 大久保 久保田 五十嵐 北日本 名古屋 八千代 神奈川 太平洋 武蔵野 瀬戸内 \
佐久間 日本海 鹿児島 小笠原 日之出 高千穂";

const KATAKANA_WORDS: &str = "エス アイ エム シー ケイ ビル ホーム エヌ サン ティー アール エフ ラボ イー ライフ ハウス ビー ケー \
テクノ プラス フーズ ワイ ワン ジー オー エル エイチ エイ アート ディー ネクスト ホテル ケア リンク コスモ ワイズ ユー \
プラン アド エイト ネット オート フジ エース エコ ガス アーク ジャパン システム オフィス センター サービス サポート \
エステート カンパニー ファーム グループ デザイン アンド トラスト クリエイト メディカル モータース グローバル ワークス \
アシスト アセット タクシー グリーン ワールド リース スタジオ テクノロジー ライズ コネクト アルファ アドバンス スマイル \
サンライズ クリーン フロンティア ネットワーク ファースト エネルギー アサヒ ドリーム リゾート クラフト リフォーム アトリエ \
メディア イノベーション クローバー コンサルタント プロジェクト ソリューション インテリア エナジー ビジネス メンテナンス \
ハウジング プランニング キャピタル トレーディング エンジニアリング パートナーズ ホールディングス マネジメント";

const HIRAGANA_WORDS: &str = "の さくら と みらい ひまわり お や ひかり あさひ みどり いろは まる みやび つなぐ みのり つくば みなと \
あい なごみ こころ のぞみ まごころ まちづくり さん あおぞら あすなろ ひなた ゆう やまと ふじ つむぎ いずみ つばさ あおい";

const LETTER_WORDS: &str = "Ｋ Ｓ Ｍ Ｔ Ａ Ｊａｐａｎ ＪＡＰＡＮ Ｃ Ｒ Ｙ Ｈ Ｎ Ｄ ＴＲＡＤＩＮＧ Ｉ Ｂ Ｊ Ｇ Ｅ Ｆ ＯＮＥ Ｌ ＡＩ Ｐ \
Ｏ Ｌｉｆｅ Ｐａｒｔｎｅｒｓ Ｏｎｅ Ｕ Ｌａｂ Ｃｏ ＮＥＸＴ Ｌｉｎｋ Ｗｏｒｋｓ ＧＲＯＵＰ Ｇｒｏｕｐ ＷＯＲＫＳ Ｄｅｓｉｇｎ ＳＫ \
Ｇｌｏｂａｌ Ｈｏｌｄｉｎｇｓ Ｐｌｕｓ ＭＫ Ｃａｐｉｔａｌ ＴＫ ＬＩＦＥ ＨＤ ＢＡＳＥ Ｓｔｕｄｉｏ Ｔｈｅ Ｎｅｘｔ ＰＬＵＳ ＴＯＫＹＯ \
ＬＩＮＫ ＪＰ ＵＰ Ｔｅｃｈ Ｏｆｆｉｃｅ ＳＫＹ ＩＴ ＳＴ";

/// Last words, with how many of 10,000 kanji names end in them.
pub const TRADES: [(&str, usize); 60] = [
    ("工業", 300),
    ("商事", 270),
    ("建設", 230),
    ("商店", 175),
    ("産業", 150),
    ("製作所", 114),
    ("事務所", 60),
    ("設計事務所", 41),
    ("工務店", 100),
    ("商会", 85),
    ("研究所", 58),
    ("総合研究所", 13),
    ("不動産", 71),
    ("興業", 83),
    ("企画", 77),
    ("開発", 76),
    ("設備", 60),
    ("設備工業", 20),
    ("工業所", 45),
    ("興産", 48),
    ("設計", 46),
    ("自動車", 33),
    ("自動車工業", 10),
    ("運輸", 41),
    ("鉄工所", 26),
    ("建設工業", 22),
    ("貿易", 33),
    ("販売", 33),
    ("電気", 31),
    ("電気工事", 12),
    ("管理", 29),
    ("電設", 29),
    ("物産", 28),
    ("工房", 27),
    ("水産", 27),
    ("電機", 26),
    ("運送", 25),
    ("食品", 25),
    ("印刷", 24),
    ("国際", 24),
    ("塗装", 22),
    ("工事", 22),
    ("土木", 21),
    ("観光", 21),
    ("薬局", 19),
    ("建築", 19),
    ("建材", 19),
    ("技研", 18),
    ("総業", 18),
    ("通商", 18),
    ("電工", 17),
    ("石油", 17),
    ("住宅", 16),
    ("木材", 15),
    ("造園", 15),
    ("農園", 15),
    ("酒店", 13),
    ("物流", 12),
    ("倉庫", 10),
    ("警備保障", 6),
];

/// A rank below `first * (2^octaves - 1)`. Every octave is equally likely and twice as wide as the
/// one before, so rank n is chosen about 1/n as often as the first.
pub fn rank(random: &mut SeededRandom, first: usize, octaves: u32) -> usize {
    let octave = random.below(octaves as usize);
    first * ((1 << octave) - 1) + random.below(first << octave)
}

/// Common words by length, the characters of each script, and pairs of katakana.
pub struct Lexicon {
    common: [Vec<Vec<&'static str>>; 4],
    characters: [Vec<char>; 4],
    rare_kanji: Vec<char>,
    pairs: Vec<Vec<char>>,
}

impl Lexicon {
    pub fn new() -> Lexicon {
        let lists = [KANJI_WORDS, KATAKANA_WORDS, HIRAGANA_WORDS, LETTER_WORDS];
        let by_length = |list: &'static str| {
            let of = |length| {
                list.split_whitespace().filter(|word| word.chars().count() == length).collect()
            };
            (0..=WORD_MAX).map(of).collect()
        };
        let characters = [KANJI, KATAKANA, HIRAGANA, LETTERS].map(|text| text.chars().collect());
        let [mut kanji, katakana, hiragana, letters]: [Vec<char>; 4] = characters;
        let level_1: Vec<char> =
            standard_kanji(16..=47).filter(|kanji_1| !KANJI.contains(*kanji_1)).collect();
        kanji.extend(level_1);
        Lexicon {
            common: lists.map(by_length),
            characters: [kanji, katakana, hiragana, letters],
            rare_kanji: standard_kanji(48..=84).collect(),
            pairs: KATAKANA_PAIRS.split(' ').map(|pair| pair.chars().collect()).collect(),
        }
    }

    /// Appends a word of this length; common words are chosen more often.
    pub fn push(&self, out: &mut String, random: &mut SeededRandom, script: Script, length: usize) {
        let rank = match (script, length) {
            (Script::Kanji, 1) => rank(random, 8, 9),
            (Script::Kanji, _) => rank(random, 20, 12),
            (Script::Katakana, _) => rank(random, 10, 15),
            (Script::Hiragana, _) => rank(random, 8, 12),
            (Script::Letters, 1) => rank(random, 10, 2),
            (Script::Letters, _) => rank(random, 8, 15),
        };
        match self.common[script as usize].get(length).and_then(|words| words.get(rank)) {
            Some(word) => out.push_str(word),
            None => self.push_generated(out, script, length, rank),
        }
    }

    /// The generated word of a rank beyond the common words: the same word for the same rank.
    fn push_generated(&self, out: &mut String, script: Script, length: usize, rank: usize) {
        let seed = (rank * (WORD_MAX + 1) + length) * 4 + script as usize;
        let random = &mut SeededRandom::new((seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut remaining = length;
        while remaining > 0 {
            let is_first = remaining == length;
            let pair_share = if length <= 4 { 15 } else { 60 };
            if script == Script::Katakana && remaining >= 2 && random.below(100) < pair_share {
                let pair = &self.pairs[random.below(self.pairs.len())];
                if !(is_first && CONTINUING.contains(&pair[0])) {
                    out.extend(pair);
                    remaining -= 2;
                    continue;
                }
            }
            let character = self.character(random, script);
            if !(is_first && CONTINUING.contains(&character)) {
                out.push(character);
                remaining -= 1;
            }
        }
    }

    fn character(&self, random: &mut SeededRandom, script: Script) -> char {
        if script == Script::Kanji && random.below(100) == 0 {
            return self.rare_kanji[random.below(self.rare_kanji.len())];
        }
        let characters = &self.characters[script as usize];
        let rank = if script == Script::Kanji { rank(random, 8, 9) } else { rank(random, 12, 3) };
        characters[rank % characters.len()]
    }
}

/// No word begins with these.
const CONTINUING: [char; 10] = ['ー', 'ン', 'ッ', 'ィ', 'ャ', 'ョ', 'ュ', 'ァ', 'ェ', 'ォ'];

/// The kanji of these rows of JIS X 0208.
fn standard_kanji(rows: std::ops::RangeInclusive<u8>) -> impl Iterator<Item = char> {
    let character = |row: u8, cell: u8| {
        let lead = row.div_ceil(2) + if row <= 62 { 0x80 } else { 0xc0 };
        let trail = match row % 2 {
            0 => cell + 0x9e,
            _ => cell + 0x3f + u8::from(cell >= 64),
        };
        encoding_rs::SHIFT_JIS.decode(&[lead, trail]).0.chars().next()
    };
    let cells = rows.flat_map(|row| (1..=94).map(move |cell| (row, cell)));
    cells.filter_map(move |(row, cell)| character(row, cell)).filter(|kanji| *kanji != '\u{fffd}')
}

/// Readings of kanji: a kanji always has the same reading.
const READINGS: &str = "コウ ショウ ケン シン セイ ウ セツ サン カイ テン ソウ トウ ヤマ ジン エイ ダイ ドウ シャ ヨウ ユウ ケイ デン サイ \
ホウ カワ エン カン モト ギ マル メイ オオ タイ キョウ フク サク イチ セン ボウ ナカ マツ マン ザイ コク ヨシ タカ ジュ キン イシ \
スイ イン ゲン グミ モリ オカ ウン エキ ニシ ミヤ シマ トク フジ ゼン ワ アイ サカ タク ハラ リン アン タ ノ ヒ ミ コ キ ヤ カ \
ツ ス チ ネ ト マ エ オ シ フ";

/// The reading of a name's body in katakana. A Latin letter becomes one kana.
pub struct Readings(Vec<&'static str>);

impl Readings {
    pub fn new() -> Readings {
        Readings(READINGS.split_whitespace().collect())
    }

    pub fn push(&self, out: &mut String, body: &str) {
        for character in body.chars() {
            match character {
                'ァ'..='ヺ' | 'ー' => out.push(character),
                'ぁ'..='ゔ' => out.extend(char::from_u32(u32::from(character) + 0x60)),
                '一'..='龥' => out.push_str(self.0[character as usize * 7 % self.0.len()]),
                // English words are shorter in katakana.
                'Ａ'..='ｚ' if !(character as usize).is_multiple_of(4) => {
                    out.extend(KATAKANA.chars().nth(character as usize * 5 % 40));
                }
                _ => {}
            }
        }
    }
}
