//! Properties that hold for any text: the spans cover it, and parsing takes linear time.

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

use super::*;

/// Parses a text and checks that the spans cover it in order, that no part occurs twice, and that the lot is well
/// formed.
fn covers(text: &str, context: Context) -> Result<(), TestCaseError> {
    let mut folded = Vec::new();
    fold(text, Level::Address, &mut folded);
    let mut tail = Tail::default();
    parse(text, &folded, context, &mut tail);
    let mut end = 0;
    let mut seen = Vec::new();
    for span in tail.spans() {
        prop_assert_eq!(span.start, end, "{}", text);
        prop_assert!(span.start < span.end, "{}", text);
        prop_assert!(text.get(span.start as usize..span.end as usize).is_some(), "{}", text);
        end = span.end;
        if !matches!(span.part, Part::Separator | Part::Unplaced) {
            prop_assert!(!seen.contains(&span.part), "{:?} twice in {}", span.part, text);
            seen.push(span.part);
        }
    }
    prop_assert_eq!(end as usize, text.len(), "{}", text);
    if let Some(number) = tail.lot_num() {
        prop_assert!(tail.range(Part::Lot).is_some(), "{}", text);
        let plain = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        prop_assert!(number.split('-').all(plain), "{} of {}", number, text);
    }
    if let Some((start, end)) = tail.floors() {
        let within = |(first, last): (u32, u32)| first <= start && start <= end && end <= last;
        let rooms = [Part::FloorRoom, Part::SecondRoom].map(|part| tail.range(part));
        prop_assert!(rooms.into_iter().flatten().any(within), "{}", text);
    }
    Ok(())
}

/// Pieces to compose tails from.
const PIECES: &[&str] = &[
    "１",
    "2811",
    "12",
    "301",
    "一",
    "十",
    "二百",
    "丁目",
    "番地",
    "番",
    "号",
    "－",
    "の",
    "ー",
    "階",
    "Ｆ",
    "（",
    "）",
    "ビル",
    "地下",
    "～",
    "・",
    "第",
    "甲",
    "字",
    "東",
    "東入",
    "室",
    "株",
    "地",
    "丁",
    "、",
    "Ａ",
    "b",
    " ",
    "　",
    "号室",
    "館",
    "棟",
    "地割",
    "線",
    "街区",
    "外",
    "筆",
    "様方",
    "サンシャイン",
    "団地",
    "「",
    "」",
    "&",
    ".",
    "㈱",
    "①",
    "Ⅳ",
    "ｶﾞ",
    "無番地",
    "屋上",
    "内",
    "及び",
    "画地",
    "区画",
    "f",
    "\u{3099}",
    "\n",
    "🏢",
    "¼",
    "№",
    "葛\u{e0100}",
];

fn context() -> impl Strategy<Value = Context> {
    let building = prop::option::of((0..8_usize, 0..12_usize));
    (any::<Option<bool>>(), any::<Option<bool>>(), any::<bool>(), building).prop_map(
        |(residence_indication, has_chome, chome_is_name, building)| Context {
            residence_indication,
            has_chome,
            chome_is_name,
            building,
            side: None,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..ProptestConfig::with_cases(500)
    })]

    #[test]
    fn spans_cover_any_text(text in any::<String>(), context in context()) {
        covers(&text, context)?;
    }

    #[test]
    fn spans_cover_texts_made_of_pieces(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..16),
        context in context(),
    ) {
        covers(&pieces.concat(), context)?;
    }
}

#[test]
fn characters_that_fold_to_several_are_covered() {
    for text in ["AAA¼", "¼", "1¼階", "1-2㈱", "㈱", "1-2ビル№¼"] {
        covers(text, Context::default()).expect("covered");
    }
}

#[test]
fn long_tails_take_linear_time() {
    for piece in PIECES.iter().chain(&[
        "1・",
        "1-",
        "1号",
        "1番地",
        "(1",
        "1)",
        "1の",
        "1 ",
        "A1",
        "1～",
        "3号館",
        "一号",
        "1階",
        "ビル1-",
        "1丁目",
        "1号1",
        "(株)",
        "字1番町",
        "1,",
        "第1",
        "101",
        "ー1",
        "1街区",
        "b1",
    ]) {
        // A parser that scanned the whole text for each piece would not finish within a minute.
        for before in ["", "1", "1ビル"] {
            let text = before.to_owned() + &piece.repeat(10_000 / piece.len());
            covers(&text, Context::default()).expect("covered");
        }
    }
}
