//! Names of transfers against the published examples of banks.

use proptest::prelude::*;

use super::*;

/// A name, its reading (empty for none) and how a transfer writes it.
#[rustfmt::skip] // One name a line.
const WRITTEN: &[(&str, &str, &str)] = &[
    // 京葉銀行 and 常陽銀行 print these.
    ("株式会社京葉銀行", "ケイヨウギンコウ", "ｶ)ｹｲﾖｳｷﾞﾝｺｳ"),
    ("京葉銀行株式会社", "ケイヨウギンコウ", "ｹｲﾖｳｷﾞﾝｺｳ(ｶ"),
    ("ケイヨウギンコウ株式会社チバシテン", "", "ｹｲﾖｳｷﾞﾝｺｳ(ｶ)ﾁﾊﾞｼﾃﾝ"),
    ("マルバツ株式会社サンカク営業所", "", "ﾏﾙﾊﾞﾂ(ｶ)ｻﾝｶｸ(ｴｲ"),
    ("株式会社　メルカリ", "", "ｶ)ﾒﾙｶﾘ"),
    ("㈱メルカリ", "", "ｶ)ﾒﾙｶﾘ"),
    ("メルカリ（株）", "", "ﾒﾙｶﾘ(ｶ"),
    ("(有)やまだ", "", "ﾕ)ﾔﾏﾀﾞ"),
    ("かぶしきがいしゃ とっとりぎんこう", "", "ｶ)ﾄﾂﾄﾘｷﾞﾝｺｳ"),
    ("トットリギンコウカブシキガイシャ", "", "ﾄﾂﾄﾘｷﾞﾝｺｳ(ｶ"),
    ("株式会社鳥取銀行", "カブシキガイシャトットリギンコウ", "ｶ)ﾄﾂﾄﾘｷﾞﾝｺｳ"),
    ("カ）トットリギンコウ", "", "ｶ)ﾄﾂﾄﾘｷﾞﾝｺｳ"),
    ("（カ）トットリギンコウ", "", "ｶ)ﾄﾂﾄﾘｷﾞﾝｺｳ"),
    ("カ）鳥取銀行", "トットリギンコウ", "ｶ)ﾄﾂﾄﾘｷﾞﾝｺｳ"),
    ("日本生命保険相互会社", "ニホンセイメイホケン", "ﾆﾎﾝｾｲﾒｲ(ｿ"),
    ("東京海上日動火災保険株式会社", "トウキョウカイジョウニチドウカサイホケン", "ﾄｳｷﾖｳｶｲｼﾞﾖｳﾆﾁﾄﾞｳｶｻｲﾎｹﾝ(ｶ"),
    ("三井住友海上火災保険株式会社", "ミツイスミトモカイジョウカサイホケン", "ﾐﾂｲｽﾐﾄﾓｶｲｼﾞﾖｳ(ｶ"),
    ("医療法人社団見本会", "ミホンカイ", "ｲ)ﾐﾎﾝｶｲ"),
    ("公益財団法人見本", "ミホン", "ｻﾞｲ)ﾐﾎﾝ"),
    ("特定非営利活動法人みほん", "", "ﾄｸﾋ)ﾐﾎﾝ"),
    ("見本健康保険組合", "ミホンケンコウホケンクミアイ", "ﾐﾎﾝｹﾝﾎﾟ"),
    ("みほん国民健康保険組合", "", "ﾐﾎﾝｺｸﾎ"),
    ("みほん社会福祉協議会", "", "ﾐﾎﾝｼﾔｷﾖｳ"),
    ("鳥取県漁業協同組合連合会", "トットリケンギョギョウキョウドウクミアイレンゴウカイ", "ﾄﾂﾄﾘｹﾝｷﾞﾖﾚﾝ"),
    ("ＡＢＣ－１合同会社", "", "ABC-1(ﾄﾞ"),
    ("ヤマダ　タロウ", "", "ﾔﾏﾀﾞ ﾀﾛｳ"),
    ("山田太郎", "やまだ たろう", "ﾔﾏﾀﾞ ﾀﾛｳ"),
];

#[test]
fn names_are_written_by_the_rules_of_the_banks() {
    for (name, reading, expected) in WRITTEN {
        let reading = Some(*reading).filter(|reading| !reading.is_empty());
        assert_eq!(write(name, reading).as_deref(), Ok(*expected), "{name}");
        assert_eq!(write(expected, None).as_deref(), Ok(*expected), "{expected} again");
    }
}

#[test]
fn letters_without_a_reading_are_named() {
    for (name, reading, expected) in [
        ("株式会社鳥取銀行", None, "鳥取銀行"),
        ("メルカリ株式会社鳥取支店", None, "鳥取支店"),
        ("京葉銀行株式会社チバ支店", Some("ケイヨウギンコウチバシテン"), "京葉銀行"),
        ("A&B", None, "&"),
        ("株式会社", None, "株式会社"),
        ("見本健康保険組合", None, "見本"),
        ("株式会社鳥取銀行", Some("とっとり銀行"), "銀行"),
    ] {
        assert_eq!(write(name, reading), Err(WriteFault::Unread(expected.to_owned())), "{name}");
    }
    for nothing in ["", " ", "\u{3000}"] {
        assert_eq!(write(nothing, None), Err(WriteFault::Nothing));
    }
}

proptest! {
    #[test]
    fn what_was_written_is_written_again_as_it_is(
        name in "(株式会社|㈱|カ\\)|医療法人社団)?[ア-ンァー A-Z0-9(]{0,6}(営業所|有限会社|\\(ユ|連合会)?.{0,3}",
    ) {
        if let Ok(written) = write(&name, None) {
            prop_assert_eq!(write(&written, None), Ok(written.clone()));
        }
    }

    #[test]
    fn any_text_is_written_or_refused(name in ".{0,12}", reading in ".{0,8}") {
        if let Ok(written) = write(&name, Some(&reading)) {
            prop_assert!(half_width(&large_kana(&written)).is_ok());
        }
    }
}
