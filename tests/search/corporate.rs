//! The corporate search over snapshots that the program built: the order of a few chosen names, damaged
//! snapshots, and random corporations compared with the model in `corporate_model`.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use clap::Parser;
use daicho::cli::Args;
use daicho::dataset::corporate::CorporateData;
use daicho::dataset::corporate::search::{CorporateSearch, FacetPaths, SearchMode};
use daicho::dataset::corporate::syntax::CorporateQuery;
use daicho::index::attributes::Attribute;
use daicho::query::SearchResults;
use daicho::query::syntax::{CodeFacet, CodePath, FacetPath, Grouping};
use daicho::snapshot::Dataset;
use daicho::text::fold::{Level, folded};
use proptest::prelude::*;

use crate::corporate_model::{Corporation, Model, PLACES};

/// Builds a snapshot of these corporations with the command line, and sorts them in the order of its
/// rows.
fn build(corporations: &mut [Corporation], folder: &Path) -> PathBuf {
    corporations.sort_by_key(|it| {
        let place =
            PLACES.get(it.place).map(|(prefecture, code, _, city)| (*prefecture, *code, *city));
        (place.unwrap_or((99, 0, "")), it.number())
    });
    let mut text = String::new();
    for (at, corporation) in corporations.iter().enumerate() {
        corporation.push_csv(at + 1, &mut text);
    }
    let file = folder.join("00_zenkoku_all_20260731.csv");
    fs::write(&file, text).expect("written");
    let [file, out] = [&file, folder].map(|path| path.to_str().expect("UTF-8"));
    let arguments = ["daicho", "build", "corporate", "--version", "2026-07-31", "--full", file];
    let arguments = [&arguments[..], &["--out", out]].concat();
    let mut printed = Vec::new();
    Args::parse_from(arguments).run(&mut printed).expect("a sound file");
    let printed = String::from_utf8_lossy(&printed);
    let unit = if corporations.len() == 1 { "corporation" } else { "corporations" };
    assert!(printed.contains(&format!(": {} {unit},", corporations.len())), "{printed}");
    folder.join("corporate/2026-07-31.daicho")
}

/// Builds a snapshot of these corporations and opens it.
fn built(corporations: &mut [Corporation]) -> CorporateData {
    let folder = tempfile::tempdir().expect("a folder");
    let path = build(corporations, folder.path());
    let file = CorporateData::open_in_catalog(&path);
    let data = CorporateData::from_file(file.expect("a snapshot that was built"));
    // The open file stays readable after its folder is removed.
    data.counts().expect("sound");
    data
}

fn corporation(body: u64, name: &str) -> Corporation {
    Corporation {
        body,
        name: name.to_owned(),
        kind: 301,
        process: 1,
        close_cause: 0,
        place: 1,
        street: String::new(),
        post_code: None,
        outside: String::new(),
        en_name: String::new(),
        furigana: String::new(),
        hidden: false,
    }
}

fn parsed(q: &str) -> CorporateQuery {
    CorporateQuery::parse_with(q, Grouping::Allowed).unwrap_or_else(|error| panic!("{q}: {error}"))
}

/// The names that a query finds, in the order of the answer.
fn names(data: &CorporateData, q: &str, mode: SearchMode) -> Vec<String> {
    let q = parsed(q);
    let search = CorporateSearch { mode, ..CorporateSearch::new(&q, 0, 100) };
    let found = data.search(&search).expect("sound");
    assert_eq!(found.count, found.rows.len() as u64);
    let name = |row: &u32| data.row(*row).expect("sound").expect("a row").name().to_string();
    found.rows.iter().map(name).collect()
}

#[test]
fn equal_names_come_first_then_prefix_matches_then_the_rest() {
    // In the order of their corporate numbers, which is the order of rows.
    let names_in_order = [
        "日本ひので株式会社",
        "ひのでや",
        "株式会社ひのでや",
        "ひので株式会社",
        "株式会社　ひので",
        "ひので",
        "有限会社新ひので",
        "ひので商会",
        "ヒノデ",
        "株式会社ひので",
        "東京國際株式会社",
        "合同会社ひのデ",
        "つ",
        "株式会社ッ",
        "つつ",
        "医療法人社団ひので会",
        "特定非営利活動法人ひので",
        "ＡＢＣひので",
    ];
    let mut made: Vec<Corporation> = (10_001_000_001..)
        .zip(names_in_order)
        .map(|(body, name)| corporation(body, name))
        .collect();
    // Rows are ordered by number. Its first digit is the check digit, so the bodies are reassigned.
    made.sort_by_key(|it| it.body);
    let bodies: Vec<u64> = made.iter().map(|it| it.body).collect();
    let mut by_number = bodies.clone();
    by_number.sort_by_key(|body| daicho::text::codes::CorporateNumber::from_body(*body));
    for (it, body) in made.iter_mut().zip(by_number) {
        it.body = body;
    }
    let data = built(&mut made);
    #[track_caller]
    fn check(data: &CorporateData, q: &str, mode: SearchMode, expected: &[&str]) {
        assert_eq!(names(data, q, mode), expected, "{q} {mode:?}");
    }
    let partial = |q, expected: &[&str]| check(&data, q, SearchMode::Partial, expected);
    partial(
        "name:ひので",
        &[
            "ひので株式会社",
            "株式会社　ひので",
            "ひので",
            "株式会社ひので",
            "特定非営利活動法人ひので",
            "ひのでや",
            "株式会社ひのでや",
            "ひので商会",
            "医療法人社団ひので会",
            "日本ひので株式会社",
            "有限会社新ひので",
            "ＡＢＣひので",
        ],
    );
    partial("（株）ひので", &["株式会社ひので", "株式会社ひのでや"]);
    partial("\"㈱ ひので\"", &["株式会社ひので", "株式会社ひのでや"]);
    partial("\"株式会社　ひので\"", &["株式会社　ひので"]);
    partial("ひので（株）", &["ひので株式会社", "日本ひので株式会社"]);
    partial("(ひのでや OR 医療法人社団) AND 株式会社", &["株式会社ひのでや"]);
    partial("東京国際", &["東京國際株式会社"]);
    partial("TOKYO", &[]);
    partial("abcひので", &["ＡＢＣひので"]);
    partial("ｺﾝﾆﾁﾊ", &[]);
    partial("ﾋﾉﾃﾞ", &["ヒノデ"]);
    // One letter finds only whole names. A small kana finds the large one and the reverse.
    partial("つ", &["つ"]);
    partial("ツ", &["株式会社ッ"]);
    partial("ひ", &[]);
    partial("っつ", &["つつ"]);
    partial(
        "((name:新 AND 株式会社) OR (ひのでや AND -有限会社))",
        &["ひのでや", "株式会社ひのでや"],
    );
    partial("((furigana:ヒ AND 株式))", &[]);
    partial("ひのでや 東京", &["ひのでや", "株式会社ひのでや", "東京國際株式会社"]);
    let exact = |q, expected: &[&str]| check(&data, q, SearchMode::Exact, expected);
    exact(
        "ひので",
        &[
            "ひので株式会社",
            "株式会社　ひので",
            "ひので",
            "株式会社ひので",
            "特定非営利活動法人ひので",
        ],
    );
    exact("株式会社ひので", &[]);
    exact("（株）ひので", &[]);
    exact("ツ", &[]);
    exact("ッ", &["株式会社ッ"]);
    exact("東京国際", &["東京國際株式会社"]);
    exact("ABCひので", &["ＡＢＣひので"]);
    exact("abcひので", &[]);
    exact("ひの", &[]);
    exact("株式会社", &[]);
    let with_kind = |q, expected: &[&str]| check(&data, q, SearchMode::ExactWithKind, expected);
    with_kind("ひので", &["ひので"]);
    with_kind("株式会社ひので", &["株式会社ひので", "株式会社　ひので"]);
    with_kind("㈱ひので", &["株式会社ひので", "株式会社　ひので"]);
    with_kind("\"ひので 株式会社\"", &["ひので株式会社"]);
    with_kind("NPO法人ひので", &[]);
    with_kind("株式会社つ", &[]);
}

/// Corporations with these names, in the order of rows.
fn named(names: &[&str]) -> Vec<Corporation> {
    let mut bodies: Vec<u64> = (10_001_000_001..).take(names.len()).collect();
    bodies.sort_by_key(|body| daicho::text::codes::CorporateNumber::from_body(*body));
    bodies.into_iter().zip(names).map(|(body, name)| corporation(body, name)).collect()
}

#[test]
fn open_corporations_come_before_organisations_of_employees_and_closed_ones() {
    let mut made = named(&[
        "株式会社見本台帳",
        "見本台帳労働組合",
        "見本台帳株式会社",
        "見本台帳健康保険組合",
        "見本台帳商事株式会社",
        "新見本台帳株式会社",
        "元見本台帳有限会社",
    ]);
    made[0].close_cause = 1;
    made[5].close_cause = 1;
    for organisation in [1, 3] {
        made[organisation].kind = 399;
    }
    let data = built(&mut made);
    let expected = [
        "見本台帳株式会社",
        "見本台帳労働組合",
        "株式会社見本台帳",
        "見本台帳商事株式会社",
        "見本台帳健康保険組合",
        "元見本台帳有限会社",
        "新見本台帳株式会社",
    ];
    assert_eq!(names(&data, "見本台帳", SearchMode::Partial), expected);
    let one = parsed("見本台帳");
    for (offset, expected) in (0..).zip(expected) {
        let found = data.search(&CorporateSearch::new(&one, offset, 1)).expect("sound").rows;
        let name = data.row(found[0]).expect("sound").expect("a row").name().to_string();
        assert_eq!(name, expected, "from {offset}");
    }
    assert_eq!(names(&data, "新見本台帳", SearchMode::Partial), ["新見本台帳株式会社"]);
}

#[test]
fn of_equal_names_the_employer_beside_its_organisation_comes_first() {
    let mut made =
        named(&["株式会社見本", "見本株式会社", "見本健康保険組合", "ＭＩＨＯＮ", "Ｍｉｈｏｎ"]);
    (made[1].place, made[2].place, made[2].kind) = (2, 2, 399);
    let data = built(&mut made);
    let found = names(&data, "見本", SearchMode::Partial);
    assert_eq!(found, ["見本株式会社", "株式会社見本", "見本健康保険組合"]);
    for typed in ["Mihon", "MIHON"] {
        let first = names(&data, typed, SearchMode::Partial).remove(0);
        assert_eq!(folded(&first, Level::Width), typed, "the one that is written as typed");
    }
}

#[test]
fn several_words_are_ordered_by_how_many_are_met() {
    let mut made = named(&[
        "株式会社見本商店",
        "台帳銀行協会",
        "見本県銀行協会",
        "見本中央銀行株式会社",
        "株式会社見本銀行",
        "有限会社見本",
        "Ａ　見本工房",
        "株式会社工房",
    ]);
    made[5].kind = 302;
    let data = built(&mut made);
    let first = |q: &str, count: usize| {
        let mut found = names(&data, q, SearchMode::Partial);
        found.truncate(count);
        found
    };
    let both = ["株式会社見本銀行", "見本県銀行協会", "見本中央銀行株式会社", "有限会社見本"];
    assert_eq!(first("見本 銀行", 4), both);
    assert_eq!(first("見本 株式会社", 1), ["有限会社見本"]);
    assert_eq!(first("Ａ 見本工房", 1), ["Ａ　見本工房"], "a full-width space typed as a space");
    assert_eq!(first("株式会社 工房", 1), ["株式会社工房"]);
    let q = parsed("見本 銀行");
    let count = data.search(&CorporateSearch::new(&q, 0, 1)).expect("sound").count;
    assert_eq!(count, 7, "still every row with one of the words");
}

#[test]
fn bare_words_meet_whole_places_and_numbers() {
    let mut made = named(&["株式会社見本", "東京都見本協会", "見本銀行", "株式会社銀行"]);
    for (corporation, place) in made.iter_mut().zip([1, 2, 0, 3]) {
        corporation.place = place;
    }
    let data = built(&mut made);
    let found = |q: &str| names(&data, q, SearchMode::Partial);
    assert_eq!(found("東京都"), ["東京都見本協会", "株式会社見本"], "names come first");
    assert_eq!(found("東京都 AND 見本"), ["株式会社見本", "東京都見本協会"]);
    assert_eq!(found("北海道 AND 見本銀行"), ["見本銀行"]);
    assert_eq!(found("札幌市"), ["見本銀行"]);
    assert_eq!(found("京都市上京区 銀行"), ["株式会社銀行", "見本銀行"]);
    assert_eq!(found("東京"), ["東京都見本協会"]);
    let number = made[3].number();
    for q in [number.to_string(), format!("T{number}"), format!("Ｔ{number}")] {
        assert_eq!(found(&q), ["株式会社銀行"], "{q}");
    }
    assert!(names(&data, "東京都", SearchMode::Exact).is_empty(), "whole names only");
}

#[test]
fn exact_mode_may_leave_out_any_of_several_kind_words() {
    let names_in_order = [
        "全国農業協同組合連合会",
        "農業生産法人株式会社山岳農夢・大山",
        "見本株式会社労働組合",
        "見本株式会社本店",
        "株式会社見本",
        "天神川漁業協同組合",
        "ＮＰＯ法人ねっこ",
    ];
    let bodies = 10_001_000_001..;
    let mut made: Vec<Corporation> =
        bodies.zip(names_in_order).map(|(body, name)| corporation(body, name)).collect();
    let data = built(&mut made);
    let exact =
        |q, expected: &[&str]| assert_eq!(names(&data, q, SearchMode::Exact), expected, "{q}");
    for left in ["全国農業", "全国農業協同組合", "全国農業連合会"] {
        exact(left, &["全国農業協同組合連合会"]);
    }
    for left in ["全国", "全国連合会"] {
        exact(left, &[]);
    }
    exact("天神川", &["天神川漁業協同組合"]);
    exact("天神川漁業", &["天神川漁業協同組合"]);
    exact("ねっこ", &[]);
    exact("NPO法人ねっこ", &["ＮＰＯ法人ねっこ"]);
    exact("全国農業協同組合連合会", &[]);
    exact("山岳農夢・大山", &["農業生産法人株式会社山岳農夢・大山"]);
    exact("株式会社山岳農夢・大山", &["農業生産法人株式会社山岳農夢・大山"]);
    exact("農業生産法人株式会社山岳農夢・大山", &[]);
    exact("見本労働組合", &["見本株式会社労働組合"]);
    exact("見本本店", &["見本株式会社本店"]);
    exact("見本株式会社本店", &["見本株式会社本店"]);
    exact("見本", &["株式会社見本", "見本株式会社労働組合"]);
    exact("株式会社見本", &[]);
    let with_kind = |q, expected: &[&str]| {
        assert_eq!(names(&data, q, SearchMode::ExactWithKind), expected, "{q}");
    };
    with_kind("全国農業協同組合連合会", &["全国農業協同組合連合会"]);
    with_kind("全国農業協同組合", &[]);
}

/// A text of random pieces, at most `most`.
fn text(pieces: &'static [&'static str], most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(pieces), 0..=most).prop_map(|parts| parts.concat())
}

const NAME: &[&str] = &[
    "ひので",
    "ヒノデ",
    "の",
    "株式会社",
    "有限会社",
    "（株）",
    "医療法人",
    "社団",
    "　",
    "ＡＢ",
    "ｂ",
    "國",
    "国",
    "ッ",
    "ゐ",
    "会社",
    "ＮＰＯ法人",
    "𠮷",
];

const STREET: &[&str] = &["大手町", "１丁目", "２－３", "ビル", "ヶ", "壱"];

const FURIGANA: &[&str] = &["ヒノ", "デ", "ッ", "ー", "カブ", "ン"];

const EN_NAME: &[&str] = &["Hino", "de ", "K.K.", "A", "b"];

fn made() -> impl Strategy<Value = Corporation> {
    let codes = (
        prop::sample::select(Attribute::Kind.words()),
        prop::sample::select(Attribute::Process.words())
            .prop_filter("a deleted one", |it| it.0 != 99),
        prop_oneof![3 => Just(0), 1 => prop::sample::select(vec![1u16, 11, 21, 31])],
        0..=PLACES.len(),
        prop::option::of(prop_oneof![Just(1_000_004u32), Just(1_060_032), 0u32..10_000_000]),
        prop::bool::weighted(0.1),
    );
    let texts = (
        text(NAME, 4).prop_filter("a name", |name| !name.trim().is_empty()),
        text(STREET, 4),
        text(STREET, 3),
        prop_oneof![3 => Just(String::new()), 1 => text(EN_NAME, 3)],
        text(FURIGANA, 3),
    );
    (0u64..999_999, codes, texts).prop_map(|(serial, codes, texts)| {
        let ((kind, _), (process, _), close_cause, place, post_code, hidden) = codes;
        let (name, street, outside, en_name, furigana) = texts;
        Corporation {
            body: 10_001_000_000 + serial,
            name,
            kind,
            process,
            close_cause,
            place,
            street,
            post_code,
            outside,
            en_name: en_name.trim().to_owned(),
            furigana,
            hidden,
        }
    })
}

/// A keyword, filter or group; groups may be nested `depth` deep.
fn term(depth: u32) -> BoxedStrategy<String> {
    let quoted = |text: String| match text.contains([' ', '　']) || text.is_empty() {
        true => format!("\"{text}あ\""),
        false => text,
    };
    let digits = prop_oneof!["[0-9]{1,4}", Just("100-0004".to_owned()), "1000[0-9]{4,9}"];
    let in_field = |field: &'static str, text: BoxedStrategy<String>| {
        text.prop_map(move |text| format!("{field}:{}", quoted(text))).boxed()
    };
    let keyword = prop_oneof![
        4 => text(NAME, 3).prop_map(quoted),
        1 => prop::sample::select(vec![
            "東京都", "港区", "東京都港区", "札幌市", "京都市上京区", "中央区", "京都府",
        ]).prop_map(str::to_owned),
        1 => "1000[0-9]{9}",
        2 => prop::sample::select(vec!["の", "日", "ひ", "株式", "ひのでや", "社団", "hino"]).prop_map(str::to_owned),
        3 => in_field("name", text(NAME, 3).boxed()),
        1 => in_field("furigana", prop_oneof![text(FURIGANA, 2), Just("ひの".to_owned())].boxed()),
        1 => in_field("street_number", text(STREET, 3).boxed()),
        1 => in_field("address_outside", text(STREET, 2).boxed()),
        1 => in_field("en_name", text(EN_NAME, 2).boxed()),
        1 => in_field("post_code", digits.clone().boxed()),
        1 => in_field("corporate_number", digits.boxed()),
        1 => prop::sample::select(vec![
            "prefecture_name:東京", "prefecture_name:京都府", "city_name:上京区", "city_name:港区",
            "city_name:区", "city_name:中央",
        ]).prop_map(str::to_owned),
    ];
    let filter = prop::sample::select(vec![
        "_facet_area:/",
        "_facet_area:/東京都",
        "_facet_area:/京都府/京都市上京区",
        "_facet_area:/海外など",
        "_facet_area:/海外など/港区",
        "_facet_area:/大阪府",
        "_facet_kind:/",
        "_facet_kind:/株式会社",
        "_facet_kind:/その他",
        "_facet_process:/新規",
        "_facet_process:/登記記録の閉鎖等",
        "_facet_close_cause:/その他",
        "_facet_close_cause:/清算の結了等",
    ]);
    let leaf = prop_oneof![4 => keyword, 1 => filter.prop_map(str::to_owned)];
    let leaf = match depth {
        0 => leaf.boxed(),
        _ => prop_oneof![5 => leaf, 1 => query(depth - 1).prop_map(|q| format!("({q})"))].boxed(),
    };
    (leaf, prop::bool::weighted(0.2))
        .prop_map(|(text, excluded)| if excluded { format!("-{text}") } else { text })
        .boxed()
}

fn query(depth: u32) -> BoxedStrategy<String> {
    let joint = prop::sample::select(vec![" ", " AND ", " OR "]);
    let more = prop::collection::vec((joint, term(depth)), 0..3);
    (term(depth), more)
        .prop_map(|(first, more)| {
            more.into_iter().fold(first, |query, (joint, term)| query + joint + &term)
        })
        .boxed()
}

const MODES: [SearchMode; 3] = [SearchMode::Partial, SearchMode::Exact, SearchMode::ExactWithKind];

fn facets() -> FacetPaths {
    let codes = Attribute::ALL.map(|facet| CodePath { facet, code: None });
    FacetPaths { area: Some(FacetPath::default()), codes: codes.into() }
}

#[test]
fn a_damaged_snapshot_is_refused_or_answers_correctly() {
    let names = ["株式会社ひので", "ひのでや", "合同会社ひので", "あさひ", "ひ"];
    let mut made: Vec<Corporation> = (10_001_000_001..)
        .zip(names)
        .map(|(body, name)| Corporation {
            street: "大手町１丁目".to_owned(),
            furigana: "ヒノデ".to_owned(),
            post_code: Some(1_000_004),
            ..corporation(body, name)
        })
        .collect();
    made[3].hidden = true;
    let folder = tempfile::tempdir().expect("a folder");
    let sound = build(&mut made, folder.path());
    let bytes = fs::read(&sound).expect("built");
    let questions = [
        ("ひので", SearchMode::Partial),
        ("ひ", SearchMode::Partial),
        ("ひので", SearchMode::Exact),
        ("furigana:ひの AND street_number:大手 -_facet_kind:/その他", SearchMode::Partial),
        ("post_code:1000004 OR corporate_number:0010", SearchMode::Partial),
    ];
    let questions = questions.map(|(q, mode)| (parsed(q), mode));
    let asked = facets();
    let answers = |path: &Path| -> Result<Vec<SearchResults>, String> {
        let file = CorporateData::open_in_catalog(path);
        let data = CorporateData::from_file(file.map_err(|error| error.to_string())?);
        let answer = |(q, mode): &(CorporateQuery, SearchMode)| {
            let search = CorporateSearch {
                mode: *mode,
                facets: Some(&asked),
                ..CorporateSearch::new(q, 0, 100)
            };
            data.search(&search).map_err(|error| error.to_string())
        };
        questions.iter().map(answer).collect()
    };
    let expected = answers(&sound).expect("a sound file");
    assert_eq!(expected.iter().map(|found| found.count).collect::<Vec<_>>(), [4, 1, 2, 4, 4]);
    let damaged = folder.path().join("2026-07-31.daicho");
    fs::write(&damaged, &bytes).expect("written");
    let file = fs::OpenOptions::new().write(true).open(&damaged).expect("written");
    let mut refused = 0;
    for place in (0..bytes.len()).step_by(3) {
        let flipped = bytes[place] ^ 1 << (place % 8);
        file.write_all_at(&[flipped], place as u64).expect("written");
        match answers(&damaged) {
            Ok(found) => assert_eq!(found, expected, "byte {place} flipped"),
            Err(message) => {
                refused += 1;
                assert!(message.contains("2026-07-31.daicho"), "{message}");
            }
        }
        file.write_all_at(&[bytes[place]], place as u64).expect("written");
    }
    // Damage stays unnoticed only in padding and in bytes that no question reads.
    assert!(refused * 3 > bytes.len() / 2, "{refused} of {}", bytes.len());
    for length in (0..bytes.len()).step_by(97) {
        fs::write(&damaged, &bytes[..length]).expect("written");
        assert!(answers(&damaged).is_err(), "{length} of {} bytes", bytes.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_index_answers_like_a_scan_of_every_corporation(
        made in prop::collection::vec(made(), 1..160),
        copies in 1usize..4,
        queries in prop::collection::vec(query(2), 24),
        window in (0u64..20, 1usize..30),
        area in prop::sample::select(vec!["/", "/東京都", "/京都府", "/海外など", "/大阪府", "/東京都/港区"]),
    ) {
        let mut corporations: Vec<Corporation> = Vec::new();
        for copy in 0..copies {
            corporations.extend(made.iter().cloned().map(|mut it| {
                it.body += 1_000_000 * copy as u64;
                it
            }));
        }
        corporations.sort_by_key(|it| it.body);
        corporations.dedup_by_key(|it| it.body);
        let data = built(&mut corporations);
        for (q, mode) in queries.iter().flat_map(|q| MODES.map(|mode| (q, mode))) {
            // A side of OR that only excludes is refused, so such a query is skipped.
            let Ok(expression) = CorporateQuery::parse_with(q, Grouping::Allowed) else { continue };
            let mut asked = facets();
            asked.area = Some(FacetPath::parse(area).expect("a path"));
            let (offset, limit) = window;
            let search = CorporateSearch { q: &expression, mode, facets: Some(&asked), offset, limit };
            let found = data.search(&search).expect("sound");
            let model = Model { corporations: &corporations, mode };
            let expected = model.search(&expression);
            let number = |row: &u32| data.row(*row).expect("sound").expect("a row").number();
            let numbers: Vec<_> = found.rows.iter().map(number).collect();
            let window = expected.iter().skip(offset as usize).take(limit).map(|it| it.number());
            prop_assert_eq!(numbers, window.collect::<Vec<_>>(), "{} {:?}", q, mode);
            prop_assert_eq!(found.count, expected.len() as u64, "{} {:?}", q, mode);
            let mut facets = vec![("area", Model::areas(asked.area.as_ref().expect("asked"), &expected))];
            for path in &asked.codes {
                facets.push((path.facet.name(), Model::codes(*path, &expected)));
            }
            prop_assert_eq!(found.facets, facets, "{} {:?}", q, mode);
        }
    }
}

#[test]
fn a_facet_leaf_has_no_children_and_unrequested_facets_are_absent() {
    let mut made = [corporation(10_001_000_001, "ひので"), corporation(10_001_000_002, "あさひ")];
    let data = built(&mut made);
    let q = parsed("-みなと");
    let leaf = |facet: Attribute| CodePath { facet, code: Some(facet.words()[0].0) };
    let area = FacetPath::parse("/東京都/千代田区").expect("a path");
    let asked = FacetPaths { area: Some(area), codes: vec![leaf(Attribute::Process)] };
    let search = CorporateSearch { facets: Some(&asked), ..CorporateSearch::new(&q, 0, 1) };
    let found = data.search(&search).expect("sound");
    assert_eq!(found.facets, [("area", vec![]), ("process", vec![])]);
    assert_eq!((found.count, found.rows.len()), (2, 1));
    let none = data.search(&CorporateSearch::new(&q, u64::MAX, 100)).expect("sound");
    assert_eq!((none.count, none.rows.len(), none.facets.len()), (2, 0, 0));
}

#[test]
fn a_name_of_one_letter_comes_before_other_fields_with_that_letter() {
    let english = Corporation { en_name: "b".to_owned(), ..corporation(10_001_000_003, "国") };
    let mut made = [english, corporation(10_001_000_001, "ｂ"), corporation(10_001_000_002, "ｂ")];
    let data = built(&mut made);
    assert_eq!(names(&data, "ｂ", SearchMode::Partial), ["ｂ", "ｂ", "国"]);
    let q = parsed("ｂ");
    for (offset, expected) in [(0, 3), (1, 2), (2, 1), (3, 0)] {
        let found = data.search(&CorporateSearch::new(&q, offset, 10)).expect("sound");
        assert_eq!((found.count, found.rows.len()), (3, expected), "{offset}");
    }
}
