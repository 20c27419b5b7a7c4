//! Folding: single texts at each level, the format of the data files, and properties of any text. `Level::Width` is
//! compared with NFKC; the deliberate differences are listed at the test.

use std::collections::BTreeMap;

use icu_normalizer::ComposingNormalizer;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

use super::*;

#[test]
fn a_character_that_another_becomes_has_variants() {
    for level in Level::ALL {
        for character in '\0'..='\u{2ffff}' {
            let folded = fold_char(character, level);
            assert!(folded == character || has_variants(folded, level), "{character} {level:?}");
        }
        assert!(!has_variants('建', level));
    }
    assert!(has_variants('会', Level::Search), "會");
}

#[test]
fn folds_at_each_level() {
    /// The forms of a text at the levels Width, Kanji, Search and Address; an empty string means the same as the
    /// level before.
    #[track_caller]
    fn check(text: &str, expected: [&str; 4]) {
        let mut before = text;
        for (level, expected) in Level::ALL.into_iter().zip(expected) {
            let expected = if expected.is_empty() { before } else { expected };
            assert_eq!(folded(text, level), expected, "{text:?} at {level:?}");
            before = expected;
        }
    }
    check("ＡＢｃ１２３－４　５", ["ABc123-4 5", "", "abc123-4 5", ""]);
    check("ｶﾞｷﾞｸﾞﾊﾟﾊﾞｳﾞｱﾞ", ["ガギグパバヴア゛", "", "", "ケギグパバヴア゛"]);
    check("か\u{3099}は\u{309a}ひ゜", ["がぱぴ", "", "", "ケぱぴ"]);
    check("㈱①㎡㍿Ⅳ", ["(株)1m2株式会社IV", "", "(株)1m2株式会社iv", ""]);
    check("㍻½Å", ["平成1⁄2Å", "", "平成1⁄2å", ""]);
    check("\u{fa19}\u{2f08}\u{2f803}", ["神人𠄢", "", "", ""]);
    check("葛\u{e0100}飾\u{fe00}\u{200b}区", ["葛飾区", "", "", ""]);
    check("霞ヶ関", ["", "", "霞ケ関", ""]);
    check("ヵゕゖ", ["", "", "カかけ", "ケケケ"]);
    check("か゛ッ゛", ["がッ゛", "", "がヅ", "ケヅ"]);
    check("桜が丘", ["", "", "", "桜ケ丘"]);
    check("虎ノ門丸の内元之町", ["", "", "", "虎ノ門丸ノ内元ノ町"]);
    check("三ッ沢四っ谷", ["", "", "三ツ沢四つ谷", "三ツ沢四ツ谷"]);
    check("ゐヰゑヱキュゃㇱ", ["", "", "いイえエキユやシ", ""]);
    check("髙島屋", ["", "高島屋", "", ""]);
    check("渡邉澤濱", ["", "渡辺沢浜", "", ""]);
    check("祗園薗", ["", "", "", "祇園園"]);
    check("〜～－−ー―—", ["~~--ー――", "", "", ""]);
    check("々〆〇一", ["", "", "", ""]);
}

#[test]
fn malformed_text_folds_too() {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(folded(text, Level::Address), expected, "{text:?}");
    }
    check("", "");
    check("゛", "゛");
    check("\u{3099}\u{3099}", "゛゛");
    check("が゛゛", "ゲ゛");
    check("\u{fe00}", "\u{fe00}");
    check("\u{200b}\u{fe00}", "\u{200b}");
    check("\u{feff}あ", "あ");
    check("\0\t\r\n\u{7f}\u{85}", "\0\t\r\n\u{7f}\u{85}");
    check("👨\u{200d}👩\u{200d}👧🏳\u{fe0f}", "👨👩👧🏳");
    check("\u{10ffff}\u{e000}\u{fffd}", "\u{10ffff}\u{e000}\u{fffd}");
    let long = "ｶﾞ".repeat(50_000);
    assert_eq!(folded(&long, Level::Width), "ガ".repeat(50_000));
}

#[test]
fn each_byte_belongs_to_one_character() {
    #[track_caller]
    fn check(text: &str, expected: &[(char, u32, u32)]) {
        let mut out = vec![Folded { character: '前', start: 7, end: 9 }];
        fold(text, Level::Kanji, &mut out);
        let found: Vec<_> = out[1..].iter().map(|f| (f.character, f.start, f.end)).collect();
        assert_eq!(found, expected, "{text:?}");
        assert_eq!(out[0], Folded { character: '前', start: 7, end: 9 }, "existing entries stay");
    }
    check("", &[]);
    check("㈱a", &[('(', 0, 3), ('株', 3, 3), (')', 3, 3), ('a', 3, 4)]);
    check("ｶﾞ邉\u{e0101}", &[('ガ', 0, 6), ('辺', 6, 13)]);
    check("\u{feff}人\u{200b}", &[('人', 0, 9)]);
    check("㌣\u{3099}", &[('セ', 0, 3), ('ン', 3, 3), ('ド', 3, 6)]);
    check("\u{200b}\u{200b}", &[('\u{200b}', 0, 6)]);
    check("゛", &[('゛', 0, 3)]);
}

#[test]
fn forms_of_one_kanji_are_equal_at_kanji() {
    for class in "澤沢 﨑崎嵜 髙高 齋斎 齊斉 濱浜濵 邊辺邉 廣広 國国圀 龍竜 瀧滝 嶋島嶌 籠篭 檜桧 藪薮籔 淵渕渊 \
        眞真 惠恵 穗穂 檮梼 螢蛍 與与 竈竃 釜釡 曾曽 衞衛 鷆鷏 櫻桜 冨富 鰺鯵 鶯鴬 麴麹 驒騨 亞亜 \
        舘館 槇槙 寶宝寳 榮栄 會会 學学斈 縣県 靜静 鐵鉄銕 驛駅 舊旧 壽寿 豐豊 關関 藝芸 澁渋 圖図 \
        團団 溪渓 圓円 條条 彌弥 瀬瀨 萬万 佛仏 莵菟 兎兔 檪櫟 麸麩 吉𠮷 橋𣘺槗 桑桒 柳栁 塚\u{fa10} \
        晴\u{fa12} 神\u{fa19} 羽\u{fa1e} 鶴靏靍 熙凞熈 辨弁辯瓣 臺台 餘余 罐缶 德徳 黑黒 增増 槪概 郞郎 敎教 \
        戶戸 內内 吳呉 姬姫 每毎 綠緑 緖緒 錄録 隆\u{f9dc} 閒間 靑青 飮飲 朗\u{f929} 淸清 潁潁 蘆芦 鷗鴎"
        .split(' ')
    {
        let folded = folded(class, Level::Kanji);
        let first = folded.chars().next();
        assert!(folded.chars().all(|c| Some(c) == first), "{class} gives {folded}");
    }
}

#[test]
fn different_letters_stay_apart() {
    let apart = [
        "己已巳",
        "埼崎",
        "末未",
        "土士",
        "日曰",
        "惣総",
        "堺界",
        "阪坂",
        "芦葦",
        "鎌鎗鑓",
        "兎菟",
        "裏里",
        "壱一",
        "弐二",
        "十什",
        "廻回",
        "大太犬",
        "千干",
        "戊戌戍",
        "崇祟",
        "冶治",
        "汐夕",
        "間問",
        "鳥烏",
        "人入",
        "王玉",
        "沖仲",
        "湊港",
        "瓜爪",
        "折祈",
        "萩荻",
        "柿杮",
        "傅伝",
        "かカ",
        "ケげゲけ",
        "ロ口",
        "ニ二",
        "ハ八",
        "ー一",
        "エ工",
        "タ夕",
        "ト卜",
        "シツ",
        "ソン",
    ];
    for letters in apart {
        let mut folded: Vec<char> = folded(letters, Level::Address).chars().collect();
        folded.sort_unstable();
        folded.dedup();
        assert_eq!(folded.len(), letters.chars().count(), "{letters}");
    }
    // Merged at Address only.
    for letters in ["祇祗", "斎斉", "竈釜", "園薗", "柏栢", "棲栖", "藤籐", "崎碕", "州洲", "庄荘"]
    {
        let count = |level| {
            let folded = folded(letters, level);
            let first = folded.chars().next();
            folded.chars().filter(|&c| Some(c) == first).count()
        };
        assert_eq!((count(Level::Search), count(Level::Address)), (1, 2), "{letters}");
    }
}

#[test]
fn the_data_files_are_sound() {
    let mut last = 0;
    for line in include_str!("forms.tsv").lines().filter(|line| !line.starts_with('#')) {
        let (first, run) = line.split_once('\t').expect(line);
        let first = u32::from_str_radix(first, 16).expect(line);
        assert!(first > last, "the runs are in order: {line}");
        last = first + run.split(' ').count() as u32 - 1;
        assert!(char::from_u32(last).is_some(), "{line}");
        assert!(run.split(' ').all(|form| !form.is_empty()), "{line}");
    }
    let mut seen = BTreeMap::new();
    for line in include_str!("variants.tsv").lines().filter(|line| !line.starts_with('#')) {
        let (one, others) = line.split_once('\t').expect(line);
        assert_eq!(one.chars().count(), 1, "{line}");
        assert!(!others.is_empty(), "{line}");
        for kanji in one.chars().chain(others.chars()) {
            assert_eq!(seen.insert(kanji, line), None, "{kanji} occurs twice: {line}");
            assert_eq!(fold_char(kanji, Level::Width), kanji, "{line}");
        }
    }
    assert!(seen.len() > 2_000, "{}", seen.len());
}

#[test]
fn width_agrees_with_nfkc_on_each_character() {
    // Deliberate differences: lone marks are separate characters; pairs that Shift_JIS tables confuse are one;
    // invisible characters are dropped; radicals become the kanji; Hangul and spacing accents stay.
    let differs = |character: char, nfkc: &str| {
        matches!(character, '゛' | '゜' | '\u{3099}' | '\u{309a}' | '\u{ff9e}' | '\u{ff9f}')
            || matches!(character, '〜' | '−' | '‖' | '—' | '︱' | '﹘' | '₋' | '⁻' | '\u{ffe3}')
            || matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
            || matches!(character, '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
            || matches!(character, '\u{2e80}'..='\u{2ef3}')
            // Newer than the file.
            || matches!(character, '\u{209d}'..='\u{209f}')
            || nfkc.starts_with(' ') && nfkc.len() > 1
            || nfkc.chars().any(|c| matches!(c, '\u{590}'..='\u{6ff}' | '\u{1100}'..='\u{11ff}'))
            || nfkc.chars().any(|c| matches!(c, '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7ff}'))
    };
    let blocks = [
        '\0'..='\u{ff}',
        '\u{2000}'..='\u{2fff}',
        '\u{3000}'..='\u{312f}',
        '\u{3190}'..='\u{9fff}',
        '\u{f900}'..='\u{fb06}',
        '\u{fe10}'..='\u{fe6f}',
        '\u{ff00}'..='\u{ffef}',
        '\u{1f100}'..='\u{1f2ff}',
        '\u{20000}'..='\u{2fa1f}',
    ];
    let nfkc = ComposingNormalizer::new_nfkc();
    let mut compared = 0;
    for character in blocks.into_iter().flatten() {
        let text = character.to_string();
        let expected = nfkc.normalize(&text);
        if !differs(character, &expected) {
            assert_eq!(folded(&text, Level::Width), expected, "U+{:04X}", character as u32);
            compared += 1;
        }
    }
    assert!(compared > 80_000, "{compared}");
}

#[test]
fn every_character_folds_to_stable_characters() {
    for character in '\0'..='\u{30000}' {
        let text = character.to_string();
        for level in Level::ALL {
            let once = folded(&text, level);
            assert_eq!(folded(&once, level), once, "U+{:04X} at {level:?}", character as u32);
        }
    }
}

/// Text with the characters that folding treats: kana, marks, forms, kanji with variants, invisible characters.
fn japanese() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        prop::char::range('ぁ', 'ヿ'),
        prop::char::range('\u{ff01}', '\u{ffee}'),
        prop::char::range('一', '龥'),
        prop::char::range('①', '⓿'),
        prop::char::range('㈀', '㏿'),
        prop::char::range('\u{f900}', '\u{faff}'),
        prop::sample::select(
            "゛゜\u{3099}\u{309a}ﾞﾟ\u{fe00}\u{200b}ヶがかッつ㌣㈱".chars().collect::<Vec<_>>()
        ),
        any::<char>(),
    ];
    prop::collection::vec(character, 0..24).prop_map(|characters| characters.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn folding_again_changes_nothing(text in japanese()) {
        for level in Level::ALL {
            let once = folded(&text, level);
            prop_assert_eq!(folded(&once, level), once.clone(), "{:?}", level);
            // ヵ is カ at Search and ケ at Address, so Address does not build on Search here.
            for lower in [Level::Width, Level::Kanji].into_iter().filter(|&lower| lower < level) {
                prop_assert_eq!(folded(&folded(&text, lower), level), once.clone());
            }
        }
    }

    #[test]
    fn ranges_cover_the_text(text in japanese()) {
        for level in Level::ALL {
            let mut out = Vec::new();
            fold(&text, level, &mut out);
            let mut at = 0;
            for folded in out {
                prop_assert_eq!(folded.start, at);
                prop_assert!(folded.end >= at);
                prop_assert!(text.is_char_boundary(folded.end as usize));
                at = folded.end;
            }
            prop_assert_eq!(at as usize, text.len());
        }
    }

    #[test]
    fn width_agrees_with_nfkc_on_texts(text in "[ｦ-ﾝァ-ヺぁ-ゔ０-９Ａ-ｚ①-⑳一-龥ﾞ\u{fa10}-\u{fa12}㈱]{0,20}") {
        // They differ only in marks that do not compose with the letter before them.
        let expected = ComposingNormalizer::new_nfkc().normalize(&text);
        prop_assume!(!expected.contains('\u{3099}'));
        prop_assert_eq!(folded(&text, Level::Width), expected);
    }
}
