//! A small school snapshot with flipped bits, truncated, and with contradictory tables: it is refused, without a
//! panic or a wrong answer.

use std::path::Path;

use super::SchoolData;
use super::names::name_key;
use super::record::{School, SchoolProvenance, SchoolTables, tag};
use super::search::{SchoolOrder, SchoolSearch};
use super::syntax::{SchoolFacet, SchoolQuery, SchoolText};
use crate::dataset::damage_tests::DamageTest;
use crate::query::budget::QueryError;
use crate::query::syntax::{CodePath, FacetPath, FacetPaths};
use crate::record::parts::{AddressPlace, Part, Parts};
use crate::snapshot::{Dataset, SnapshotWriter};
use crate::text::codes::{DataVersion, SchoolCode};
use crate::work::WorkBudget;

fn school(code: u64, name: &str) -> School {
    let mut school = School {
        code,
        name: name.to_owned(),
        name_key: name_key(name),
        address: "東京都千代田区大手町１".to_owned(),
        street: "大手町1".to_owned(),
        survey_number: "\"9\"".to_owned(),
        new_codes: vec![1_000_000_000_000],
        postal_code: 1_000_004,
        established: 20_201_222,
        school_type: 61,
        prefecture: 13,
        establishment: 1,
        branch: 9,
        ..School::default()
    };
    school.set_parts(&Parts { values: [Some("大手町"), None, Some("1"), None, None] });
    school
}

fn tables() -> SchoolTables {
    let place = |code| AddressPlace { code, ..AddressPlace::default() };
    SchoolTables::build(vec![
        (place(13_101), school(6_113_110_102_700, "大学")),
        (place(13_101), school(1_101_110_000_012, "幼稚園")),
        (place(1_101), school(6_101_110_100_010, "北の大学")),
    ])
}

fn bytes(tables: &SchoolTables) -> Vec<u8> {
    let version = DataVersion::parse("2026-08-25").expect("a date");
    let mut writer = SnapshotWriter::new(SchoolData::KIND, version);
    writer.archive(tag::PROVENANCE, &SchoolProvenance::default()).expect("small");
    writer.archive(tag::TABLES, tables).expect("small");
    for text in SchoolText::ALL {
        let ((grams, lists), sections) = (text.index(tables).expect("few"), text.sections());
        writer.archive(sections.grams, &grams).expect("small");
        writer.blocks(sections.lists, sections.sums, &lists).expect("small");
    }
    writer.to_bytes()
}

/// All answers of a snapshot, or the message of the first refusal.
fn answers(path: &Path) -> Result<String, String> {
    let file = SchoolData::open_in_catalog(path).map_err(|e| e.to_string())?;
    let data = SchoolData::from_file(file);
    let refused = |error: std::sync::Arc<_>| format!("{error}");
    let mut out = format!("{} {:?}\n", data.version(), data.counts().map_err(refused)?);
    for code in ["A101110000012", "F101110100010", "F113110102700", "F113110102709"] {
        let code = SchoolCode::parse(code).expect("a code");
        let Some(view) = data.lookup(code).map_err(refused)? else { continue };
        let address = view.address().expect("every one has an address");
        let parts: Vec<String> = address.parts().iter().flatten().map(Part::to_string).collect();
        out.push_str(&format!("{} {} {parts:?} ", view.code(), view.name()));
        out.extend(view.new_codes().map(|code| code.to_string()));
    }
    let facets = FacetPaths {
        area: Some(FacetPath::default()),
        codes: vec![CodePath { facet: SchoolFacet::Type, code: None }],
    };
    for q in
        ["大学", "address:千代田区", "name:北の大学", "code:F1 -北の", "school_survey_number:9"]
    {
        let q = SchoolQuery::parse(q).expect("a query");
        let search = SchoolSearch {
            q: &q,
            facets: &facets,
            offset: 0,
            limit: 10,
            order: SchoolOrder::ByArea,
        };
        let found = data.search_within_budget(&search, &WorkBudget::unlimited());
        let found = found.map_err(QueryError::expect_damage).map_err(refused)?;
        out.push_str(&format!("\n{found:?}"));
    }
    data.provenance().map_err(|error| error.to_string())?;
    Ok(out)
}

#[test]
fn flipped_bits_and_truncations_are_refused() {
    let (test, sound) = (DamageTest::new("2026-08-25", answers), bytes(&tables()));
    // Padding after the blocks of a list belongs to no block.
    let expected = test.flip_bits(&sound, 0..sound.len(), |offset| sound[offset] == 0);
    assert!(expected.contains("schools: 3, closed: 3, places: 2"), "{expected}");
    let school = "F101110100010 北の大学 [\"大手町\", \"1\"] A000000000000";
    assert!(expected.contains(school), "{expected}");
    test.truncate(&sound, 7);
}

#[test]
fn contradictory_tables_are_refused() {
    let test = DamageTest::new("2026-08-25", answers);
    let check = |expected: &str, damage: &dyn Fn(&mut SchoolTables)| {
        let mut tables = tables();
        damage(&mut tables);
        let message = test.answers_of(&bytes(&tables)).expect_err(expected);
        assert!(message.contains(expected), "{expected}: {message}");
    };
    check("codes that ascend", &|it| it.codes.swap(0, 1));
    check("each with a row", &|it| it.rows.truncate(2));
    check("each with a row", &|it| it.schools.truncate(2));
    check("the row of each code", &|it| it.rows.swap(0, 1));
    check("the row of each code", &|it| it.rows[0] = 3);
    check("order of their places", &|it| it.schools[0].place = 1);
    check("a school for each place", &|it| it.schools[2].place = 2);
    check("order of their places", &|it| it.schools[2].place = u16::MAX);
    check("a school for each place", &|it| it.places.truncate(1));
    check("a school for each place", &|it| it.places.push(AddressPlace::default()));
    check("codes of types", &|it| it.schools[0].school_type = 13);
    check("codes of types", &|it| it.schools[0].establishment = 0);
    check("codes of types", &|it| it.schools[0].branch = 3);
    check("codes of types", &|it| it.schools[0].prefecture = 48);
    check("school codes", &|it| it.schools[0].new_codes[0] = 0);
}
