//! The words that names of bank transfers abbreviate, with their readings: the three lists of the banks' rules for
//! names of accounts (法人略語, 営業所略語, 事業略語).
//!
//! An abbreviation may stand for several words (ｼﾔ for every 社団法人); a word has one abbreviation. Readings and
//! abbreviations are in the letters of transfers: katakana without small letters.

/// How an abbreviation is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// The kind of a corporation: `カ)` before the name, `(カ` behind it, `(カ)` inside it.
    Corporation,
    /// An office of one: `(エイ` at the end.
    Office,
    /// A business: in place of the word, without brackets.
    Business,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abbreviation {
    pub of: Use,
    /// The word in kanji.
    pub word: &'static str,
    pub reading: &'static str,
    pub short: &'static str,
}

/// The abbreviations of one list, in its order.
macro_rules! list {
    ($name:ident, $of:ident: $(($word:literal, $reading:literal, $short:literal),)*) => {
        pub const $name: &[Abbreviation] = &[$(Abbreviation {
            of: Use::$of,
            word: $word,
            reading: $reading,
            short: $short,
        }),*];
    };
}

list! { CORPORATIONS, Corporation:
    ("株式会社", "カブシキガイシヤ", "カ"),
    ("有限会社", "ユウゲンガイシヤ", "ユ"),
    ("合名会社", "ゴウメイガイシヤ", "メ"),
    ("合資会社", "ゴウシガイシヤ", "シ"),
    ("合同会社", "ゴウドウガイシヤ", "ド"),
    ("相互会社", "ソウゴガイシヤ", "ソ"),
    ("医療法人", "イリヨウホウジン", "イ"),
    ("医療法人社団", "イリヨウホウジンシヤダン", "イ"),
    ("医療法人財団", "イリヨウホウジンザイダン", "イ"),
    ("社会医療法人", "シヤカイイリヨウホウジン", "イ"),
    ("社会医療法人社団", "シヤカイイリヨウホウジンシヤダン", "イ"),
    ("社会医療法人財団", "シヤカイイリヨウホウジンザイダン", "イ"),
    ("財団法人", "ザイダンホウジン", "ザイ"),
    ("一般財団法人", "イツパンザイダンホウジン", "ザイ"),
    ("公益財団法人", "コウエキザイダンホウジン", "ザイ"),
    ("社団法人", "シヤダンホウジン", "シヤ"),
    ("一般社団法人", "イツパンシヤダンホウジン", "シヤ"),
    ("公益社団法人", "コウエキシヤダンホウジン", "シヤ"),
    ("宗教法人", "シユウキヨウホウジン", "シユウ"),
    ("学校法人", "ガツコウホウジン", "ガク"),
    ("社会福祉法人", "シヤカイフクシホウジン", "フク"),
    ("更生保護法人", "コウセイホゴホウジン", "ホゴ"),
    ("特定非営利活動法人", "トクテイヒエイリカツドウホウジン", "トクヒ"),
    ("独立行政法人", "ドクリツギヨウセイホウジン", "ドク"),
    ("地方独立行政法人", "チホウドクリツギヨウセイホウジン", "チドク"),
    ("弁護士法人", "ベンゴシホウジン", "ベン"),
    ("有限責任中間法人", "ユウゲンセキニンチユウカンホウジン", "チユウ"),
    ("無限責任中間法人", "ムゲンセキニンチユウカンホウジン", "チユウ"),
    ("行政書士法人", "ギヨウセイシヨシホウジン", "ギヨ"),
    ("司法書士法人", "シホウシヨシホウジン", "シホウ"),
    ("税理士法人", "ゼイリシホウジン", "ゼイ"),
    ("国立大学法人", "コクリツダイガクホウジン", "ダイ"),
    ("公立大学法人", "コウリツダイガクホウジン", "ダイ"),
    ("農事組合法人", "ノウジクミアイホウジン", "ノウ"),
    ("管理組合法人", "カンリクミアイホウジン", "カンリ"),
    ("社会保険労務士法人", "シヤカイホケンロウムシホウジン", "ロウム"),
}

list! { OFFICES, Office:
    ("営業所", "エイギヨウシヨ", "エイ"),
    ("出張所", "シユツチヨウジヨ", "シユツ"),
}

list! { BUSINESSES, Business:
    ("連合会", "レンゴウカイ", "レン"),
    ("共済組合", "キヨウサイクミアイ", "キヨウサイ"),
    ("協同組合", "キヨウドウクミアイ", "キヨウクミ"),
    ("生命保険", "セイメイホケン", "セイメイ"),
    ("海上火災保険", "カイジヨウカサイホケン", "カイジヨウ"),
    ("火災海上保険", "カサイカイジヨウホケン", "カサイ"),
    ("健康保険組合", "ケンコウホケンクミアイ", "ケンポ"),
    ("国民健康保険組合", "コクミンケンコウホケンクミアイ", "コクホ"),
    ("国民健康保険団体連合会", "コクミンケンコウホケンダンタイレンゴウカイ", "コクホレン"),
    ("社会保険診療報酬支払基金", "シヤカイホケンシンリヨウホウシユウシハライキキン", "シヤホ"),
    ("厚生年金基金", "コウセイネンキンキキン", "コウネン"),
    ("従業員組合", "ジユウギヨウインクミアイ", "ジユウクミ"),
    ("労働組合", "ロウドウクミアイ", "ロウクミ"),
    ("生活協同組合", "セイカツキヨウドウクミアイ", "セイキヨウ"),
    ("食糧販売協同組合", "シヨクリヨウハンバイキヨウドウクミアイ", "シヨクハンキヨウ"),
    ("国家公務員共済組合連合会", "コツカコウムインキヨウサイクミアイレンゴウカイ", "コクキヨウレン"),
    ("農業協同組合連合会", "ノウギヨウキヨウドウクミアイレンゴウカイ", "ノウキヨウレン"),
    ("経済農業協同組合連合会", "ケイザイノウギヨウキヨウドウクミアイレンゴウカイ", "ケイザイレン"),
    ("共済農業協同組合連合会", "キヨウサイノウギヨウキヨウドウクミアイレンゴウカイ", "キヨウサイレン"),
    ("漁業協同組合", "ギヨギヨウキヨウドウクミアイ", "ギヨキヨウ"),
    ("漁業協同組合連合会", "ギヨギヨウキヨウドウクミアイレンゴウカイ", "ギヨレン"),
    ("公共職業安定所", "コウキヨウシヨクギヨウアンテイジヨ", "シヨクアン"),
    ("社会福祉協議会", "シヤカイフクシキヨウギカイ", "シヤキヨウ"),
    ("特別養護老人ホーム", "トクベツヨウゴロウジンホーム", "トクヨウ"),
    ("有限責任事業組合", "ユウゲンセキニンジギヨウクミアイ", "ユウクミ"),
}

/// The longest of the abbreviations by `length` that `fits`.
pub fn longest(
    list: &'static [Abbreviation],
    length: impl Fn(&Abbreviation) -> &'static str,
    fits: impl Fn(&Abbreviation) -> bool,
) -> Option<&'static Abbreviation> {
    list.iter().filter(|it| fits(it)).max_by_key(|it| length(it).len())
}

/// The words of corporations that an abbreviation may stand for.
pub fn corporate_words(short: &str) -> Vec<&'static str> {
    CORPORATIONS.iter().filter(|it| it.short == short).map(|it| it.word).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::letters::{half_width, large_kana};
    use super::*;

    #[test]
    fn each_word_stands_once_in_the_letters_of_transfers() {
        let all: Vec<&Abbreviation> =
            [CORPORATIONS, OFFICES, BUSINESSES].into_iter().flatten().collect();
        let words: BTreeSet<&str> = all.iter().map(|it| it.word).collect();
        assert_eq!(words.len(), all.len());
        for it in all {
            for text in [it.reading, it.short] {
                assert_eq!(large_kana(text), text);
                assert!(half_width(text).is_ok(), "{text}");
            }
            assert_eq!(large_kana(it.word), it.word);
        }
    }

    #[test]
    fn an_abbreviation_of_corporations_stands_for_all_its_words() {
        assert_eq!(corporate_words("カ"), ["株式会社"]);
        assert_eq!(corporate_words("ザイ"), ["財団法人", "一般財団法人", "公益財団法人"]);
        assert_eq!(corporate_words("エイ"), [""; 0]);
    }
}
