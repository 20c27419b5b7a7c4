//! The postal search compared with a model that reads every record, on four hundred generated records, and edge
//! cases.

mod model;

use std::collections::BTreeMap;
use std::fs;
use std::sync::OnceLock;

use proptest::prelude::*;

use self::model::Model;
use super::*;
use crate::address::gazetteer::Gazetteer;
use crate::address::suggest::{Counts, Suggestions};
use crate::dataset::postal::syntax::{PostalField, PostalFilter, PostalVocabulary, RecordKind};
use crate::index::code_index::CodeIndex;
use crate::index::postal_texts::PostalTextIndex;
use crate::query::syntax::{Term, TermKind};
use crate::record::StringPool;
use crate::record::postal::{
    CityRow, CorporationRow, Name, PostalRow, PostalTables, TownFlags, UpdateReason, UpdateStatus,
    tag,
};
use crate::snapshot::{Dataset, SnapshotFile, SnapshotWriter};
use crate::text::codes::DataVersion;
use crate::text::fold::Level;

fn cities() -> Vec<CityRow> {
    vec![
        CityRow::sample(1_101, "北海道", ["", "山川市", "北区"]),
        CityRow::sample(13_101, "東京都", ["", "山川区", ""]),
        CityRow::sample(13_305, "東京都", ["川郡", "山川町", ""]),
        CityRow::sample(26_101, "京都府", ["", "京都市", "東区"]),
    ]
}

/// Four hundred records made of few words, the same in every run.
fn rows() -> Vec<PostalRow> {
    let words = ["", "", "山川", "川東", "京都", "東京", "霞ヶ関", "1丁目", "北"];
    let mut state = 7u64;
    let mut below = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % bound
    };
    let mut rows = Vec::new();
    for number in 0..400u32 {
        let mut word = |several: bool| -> String {
            let first = words[below(words.len())];
            let second = if several { words[below(words.len())] } else { "" };
            format!("{first}{second}")
        };
        let (town, koaza, street) = (word(true), word(false), word(false));
        let (building, floor, lot) = (word(true), word(false), word(true));
        let (company, kana) = (word(true), word(false));
        let form = ["", "株式会社　"][below(2)];
        let business = below(3) == 0;
        let city = below(4) as u16;
        let text_if =
            |text: &String, has_text: bool| if has_text { text.clone() } else { String::new() };
        // Every second business has an empty town column, and the town is read from the lot.
        let in_lot = business && !lot.is_empty() && below(2) == 0;
        let lot = if in_lot { [town.as_str(), &lot].concat() } else { lot };
        rows.push(PostalRow {
            postal_code: 1_000_000 + number / 3,
            city,
            old_code: String::new(),
            town: Name::sample(&town),
            town_raw: text_if(&town, !in_lot),
            town_kana_raw: String::new(),
            koaza: text_if(&koaza, !business),
            kyoto_street: street,
            building,
            floor,
            flags: TownFlags::default(),
            update_status: UpdateStatus::Unchanged,
            update_reason: UpdateReason::None,
            corporation: business.then(|| {
                Box::new(CorporationRow {
                    name: format!("{form}{company}"),
                    name_kana: kana.clone(),
                    block_lot: lot.clone(),
                    block_lot_num: None,
                    post_office: String::new(),
                    post_office_box: false,
                })
            }),
        });
    }
    rows.sort_by_key(|row| (row.city, row.corporation.is_some()));
    rows
}

fn data() -> &'static PostalData {
    static DATA: OnceLock<PostalData> = OnceLock::new();
    DATA.get_or_init(|| {
        let (cities, rows) = (cities(), rows());
        let mut pool = StringPool::default();
        // An abolished record after the current ones must never be found.
        let tables = PostalTables::build(&cities, rows.clone(), rows[..5].to_vec(), &mut pool);
        let codes: Vec<u32> = rows.iter().map(|row| row.postal_code).collect();
        let gazetteer = Gazetteer::build(&cities, &rows);
        let mut counts = Counts::default();
        rows.iter().for_each(|row| {
            (0..row.postal_code % 7).for_each(|_| counts.add(row.postal_code));
        });
        let suggestions = Suggestions::build(&gazetteer, &cities, &rows, Some(&counts));
        let version = DataVersion::parse("2026-05-29").expect("a date");
        let mut writer = SnapshotWriter::new(PostalData::KIND, version);
        writer.archive(tag::TABLES, &tables).expect("small");
        writer.archive(tag::CODES, &CodeIndex::build(&codes)).expect("small");
        writer.archive(tag::STRINGS, &pool.into_table()).expect("small");
        let grams = PostalTextIndex::build(&cities, &rows).expect("few letters");
        writer.archive(tag::GRAMS, &grams).expect("small");
        writer.archive(tag::TOWNS, &gazetteer).expect("small");
        writer.archive(tag::SUGGEST, &suggestions.expect("few names")).expect("small");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("2026-05-29.daicho");
        fs::write(&path, writer.to_bytes()).expect("written");
        PostalData::from_file(SnapshotFile::open(&path).expect("a sound file"))
    })
}

fn model() -> &'static Model {
    static MODEL: OnceLock<Model> = OnceLock::new();
    MODEL.get_or_init(|| Model::new(&rows(), &cities()))
}

fn ask(q: &str, facet: Option<&str>, offset: u64, limit: usize) -> PostalResults {
    let q = PostalQuery::parse(q).expect(q);
    let facet = facet.map(|path| FacetPath::parse(path).expect(path));
    let search =
        PostalSearch { q: Some(&q), restrict_to: None, facet: facet.as_ref(), offset, limit };
    data().search(&search).expect("a sound file")
}

/// Queries made of words of the records.
fn query() -> impl Strategy<Value = String> {
    let term = prop_oneof![
        12 => prop::sample::select(vec![
            "山川", "川東", "京都", "東京", "霞が関", "丁目", "1丁", "山川市", "川町", "東京都", "川郡山",
            "京都市東", "東京都山川区", "市北区山", "区川東", "町北", "郡山川町1丁目", "株式会社", "式会社山川", "北海道", "1000100", "100-0007", "見つからない", "北北",
        ]),
        1 => prop::sample::select(vec!["北", "town:北", "koaza:北", "city:北", "区"]),
        3 => prop::sample::select(vec![
            "town:山川", "prefecture:京都", "city:山川", "koaza:丁目", "kyoto_street:川東", "floor:霞ケ",
            "building:東京", "block_lot:京都", "block_lot:山川", "corporation:山川", "corporation_kana:霞ヶ",
        ]),
        2 => prop::sample::select(vec![
            "_type:1", "_type:2", "_structure:1", "_structure:2", "_facet:/東京都", "_facet:/",
            "_facet:/京都府/京都市東区", "_facet:/無い県",
        ]),
    ];
    let signed = (term, 0..6u8)
        .prop_map(|(term, minus)| if minus == 0 { format!("-{term}") } else { term.to_owned() });
    let operator = prop::sample::select(vec![" ", " ", " AND ", " OR "]);
    prop::collection::vec((signed, operator), 1..5).prop_map(|terms| {
        let mut query = String::new();
        for (number, (term, operator)) in terms.iter().enumerate() {
            if number > 0 {
                query.push_str(operator);
            }
            query.push_str(term);
        }
        query
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn results_equal_those_of_the_model(
        query in query(),
        offset in 0u64..40,
        limit in 0usize..60,
        facet in prop::sample::select(vec!["/", "/東京都", "/北海道/山川市北区", "/無い県"]),
    ) {
        let Ok(q) = PostalQuery::parse(&query) else { return Ok(()) };
        let (model, facet) = (model(), FacetPath::parse(facet).expect("a path"));
        let expected = model.results(&q);
        let all = PostalSearch { q: Some(&q), facet: Some(&facet), limit: 1_000, ..PostalSearch::default() };
        let found = data().search(&all).expect("a sound file");
        prop_assert_eq!(found.count, expected.len() as u64);
        let is_across_fields = |term: &Term<_>| matches!(&term.kind, TermKind::Keyword { field: None, text }
            if model.has_matches_across_fields(text));
        if q.terms().any(is_across_fields) {
            if let [TermKind::Keyword { field: None, text }] = &q.terms().map(|it| &it.kind).collect::<Vec<_>>()[..] {
                let points = model.points(None, text);
                let in_field = points.iter().flatten().filter(|points| **points >= 16).count();
                let in_field = in_field.min(found.rows.len());
                prop_assert_eq!(&found.rows[..in_field], &expected[..in_field], "matches inside a field first");
            }
            let sorted = |rows: &[u32]| { let mut rows = rows.to_vec(); rows.sort_unstable(); rows };
            prop_assert_eq!(sorted(&found.rows), sorted(&expected));
        } else {
            prop_assert_eq!(&found.rows, &expected);
        }
        let window = data().search(&PostalSearch { offset, limit, ..all }).expect("a sound file");
        let page: Vec<u32> =
            found.rows.iter().copied().skip(offset as usize).take(limit).collect();
        prop_assert_eq!(window.rows, page);
        // The counts of facets, and a search limited to the rows of a `t`, in the order of `t`.
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for row in &expected {
            let record = &model.records[*row as usize];
            let child = match facet.names() {
                [] => format!("/{}", record.prefecture),
                [name] if *name == record.prefecture => format!("/{name}/{}", record.city),
                _ => continue,
            };
            *counts.entry(child).or_default() += 1;
        }
        let mut counts: Vec<(String, u64)> = counts.into_iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        prop_assert_eq!(found.facets, Some(counts));
        let restriction: Vec<u32> = (0..500).rev().step_by(3).collect();
        let restricted = data().search(&PostalSearch { restrict_to: Some(&restriction), ..all }).expect("a sound file");
        let wanted: Vec<u32> =
            restriction.iter().copied().filter(|row| expected.contains(row)).collect();
        prop_assert_eq!(restricted.count, wanted.len() as u64);
        prop_assert_eq!(restricted.rows, wanted);
    }
}

#[test]
fn a_search_without_q_lists_all_records() {
    let found =
        data().search(&PostalSearch { limit: 3, ..PostalSearch::default() }).expect("a sound file");
    assert_eq!((found.rows, found.count, found.facets), (vec![0, 1, 2], 400, None));
    let end = PostalSearch { offset: 399, limit: 3, ..PostalSearch::default() };
    assert_eq!(data().search(&end).expect("a sound file").rows, [399]);
    for offset in [400, u64::MAX] {
        let past = PostalSearch { offset, limit: usize::MAX, ..PostalSearch::default() };
        let found = data().search(&past).expect("a sound file");
        assert_eq!((found.rows.len(), found.count), (0, 400));
    }
    let none = PostalSearch { restrict_to: Some(&[]), limit: 9, ..PostalSearch::default() };
    assert_eq!(data().search(&none).expect("a sound file"), PostalResults::default());
    let restricted =
        PostalSearch { restrict_to: Some(&[5, 2, 400, u32::MAX, 3]), offset: 1, limit: 2, ..none };
    let found = data().search(&restricted).expect("a sound file");
    assert_eq!((found.rows, found.count), (vec![2, 3], 3), "abolished rows are never found");
}

#[test]
fn large_searches_do_not_change_later_results() {
    let before = ask("山川 東京", Some("/"), 0, 100);
    let many: Vec<String> =
        (0..60).map(|n| format!("{}山川{n}", if n % 3 == 0 { "-" } else { "" })).collect();
    ask(&many.join(" "), Some("/"), 0, 100);
    ask(&["東京"; 64].join(" OR "), None, 0, 100);
    ask(&"山川".repeat(900), None, 0, 100);
    assert_eq!(ask("山川 東京", Some("/"), 0, 100), before);
    assert!(ask("東京", None, 0, 0).rows.is_empty());
}
