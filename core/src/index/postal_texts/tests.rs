//! The index of postal texts compared with a scan of the same rows, and damaged copies of the index, which must not
//! cause a panic.

use proptest::prelude::*;
use rkyv::rancor;

use super::{texts, *};
use crate::index::grams::Edge;
use crate::record::postal::{CorporationRow, Name, TownFlags, UpdateReason, UpdateStatus};
use crate::snapshot::{OwnMemory, Section};
use crate::text::fold;

fn row(city: u16, texts: &[String; 5], business: bool) -> PostalRow {
    let [town, koaza, building, company, kana] = texts;
    let own = |text: &String, wanted: bool| if wanted { text.clone() } else { String::new() };
    PostalRow {
        postal_code: 1,
        city,
        old_code: String::new(),
        town: Name::sample(town),
        town_raw: String::new(),
        town_kana_raw: String::new(),
        koaza: own(koaza, !business),
        kyoto_street: String::new(),
        building: building.clone(),
        floor: String::new(),
        flags: TownFlags::default(),
        update_status: UpdateStatus::Unchanged,
        update_reason: UpdateReason::None,
        corporation: business.then(|| {
            Box::new(CorporationRow {
                name: company.clone(),
                name_kana: kana.clone(),
                block_lot: koaza.clone(),
                block_lot_num: None,
                post_office: String::new(),
                post_office_box: false,
            })
        }),
    }
}

fn cities() -> Vec<CityRow> {
    vec![
        CityRow::sample(1_101, "山県", ["", "川市", "山区"]),
        CityRow::sample(1_101, "川県", ["山郡", "川町", ""]),
        CityRow::sample(1_101, "山県", ["", "山", ""]),
    ]
}

fn archived(index: &PostalTextIndex) -> Section<ArchivedPostalTextIndex> {
    let bytes = rkyv::to_bytes::<rancor::Error>(index).expect("numbers archive");
    Section::validate(OwnMemory::of(bytes)).expect("archived data are valid")
}

fn units(rows: &[PostalRow]) -> Units {
    Units {
        places: rows.chunk_by(|left, right| left.city == right.city).count(),
        rows: rows.len(),
        businesses: rows.iter().filter(|row| row.corporation.is_some()).count(),
    }
}

/// Rows of short texts over few letters, so that grams repeat and overlap.
fn rows() -> impl Strategy<Value = Vec<PostalRow>> {
    let text = || "[山川ヶが1１ 　ー-]{0,6}";
    let texts = (text(), text(), text(), text(), "[カガツッ]{0,9}");
    let row = (0u16..3, texts, any::<bool>());
    prop::collection::vec(row, 0..60).prop_map(|mut rows| {
        rows.sort_by_key(|(city, _, business)| (*city, *business));
        let made =
            rows.into_iter().map(|(city, (town, koaza, building, company, kana), business)| {
                row_of(city, [town, koaza, building, company, kana], business)
            });
        made.collect()
    })
}

fn row_of(city: u16, texts: [String; 5], business: bool) -> PostalRow {
    row(city, &texts, business)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn finds_what_a_scan_finds(rows in rows(), probe in "[山川ケが1カツ-]{1,5}") {
        let cities = cities();
        let section = archived(&PostalTextIndex::build(&cities, &rows).expect("few letters"));
        let index = section.root();
        prop_assert_eq!(index.check(units(&rows)), Ok(()));
        for part in Part::ALL {
            let mut wanted = Vec::new();
            fold::search_letters(&probe, part.level(), &mut wanted);
            let mut expected = Vec::new();
            for (unit, text) in (0u32..).zip(texts::texts(part, &cities, &rows)) {
                let text = text.characters;
                let at = |position: &usize| text[*position..].starts_with(&wanted);
                let known = |position: &usize| match (wanted.len(), part) {
                    (1, Part::Line) => *position == 0,
                    (1, Part::Place) => *position + 1 == text.len(),
                    (1, _) => false,
                    _ => true,
                };
                let places = (0..text.len()).filter(at).filter(known);
                expected.extend(places.map(|position| UnitOffset { unit, offset: position as u32 }));
            }
            let mut found = vec![9];
            index.find(part, &wanted, &mut found).expect("sound bytes");
            let found: Vec<UnitOffset> = index.lengths(part).locate_all(&found).collect();
            prop_assert_eq!(found, expected, "{:?} in {:?}", probe, part);
        }
    }

    #[test]
    fn a_damaged_index_is_refused_or_read_without_panic(
        rows in rows(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let index = PostalTextIndex::build(&cities(), &rows).expect("few letters");
        let mut bytes = rkyv::to_bytes::<rancor::Error>(&index).expect("numbers archive");
        for (at, value) in damage {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let Ok(section) = Section::<ArchivedPostalTextIndex>::validate(OwnMemory::of(bytes)) else {
            return Ok(());
        };
        if section.root().check(units(&rows)).is_ok() {
            for part in Part::ALL {
                for keyword in ["山川", "1-1", "川県山", "カガツ", "山"] {
                    let keyword: Vec<char> = keyword.chars().collect();
                    let mut found = Vec::new();
                    section.root().find(part, &keyword, &mut found).expect("no block to be damaged");
                    let lengths = section.root().lengths(part);
                    let mut offsets = lengths.locate_all(&found);
                    prop_assert!(offsets.all(|it| !lengths.ends(it.unit).is_empty()));
                }
            }
        }
    }

    #[test]
    fn the_same_rows_give_the_same_bytes(rows in rows()) {
        let bytes = || {
            let index = PostalTextIndex::build(&cities(), &rows).expect("few letters");
            rkyv::to_bytes::<rancor::Error>(&index).expect("numbers archive").to_vec()
        };
        prop_assert_eq!(bytes(), bytes());
    }
}

#[test]
fn an_index_for_other_tables_is_refused() {
    let texts = ["山川", "川", "", "川山商店", "カツ"].map(str::to_owned);
    let rows = [row(0, &texts, false), row(0, &texts, true)];
    let section = archived(&PostalTextIndex::build(&cities(), &rows).expect("few letters"));
    let sound = units(&rows);
    assert_eq!(section.root().check(sound), Ok(()));
    let expected = Err("lengths of each unit");
    assert_eq!(section.root().check(Units { rows: 3, ..sound }), expected);
    assert_eq!(section.root().check(Units { places: 0, ..sound }), expected);
    assert_eq!(section.root().check(Units { businesses: 2, ..sound }), expected);
    let mut other = PostalTextIndex::build(&cities(), &rows).expect("few letters");
    // A letter that this program folds to another one: as if the index was made with a different folding.
    other.parts[0].grams =
        grams::build(1, Listing::Positions { edge: Edge::Last, threshold: 9 }, |_, out| {
            out.extend("山県川市Ａ区".chars());
        })
        .expect("few letters")
        .0;
    let expected = Err("characters as this program folds them");
    assert_eq!(archived(&other).root().check(sound), expected);
}

#[test]
fn names_are_split_at_their_legal_form() {
    #[track_caller]
    fn check(name: &str, expected: [u16; 3]) {
        let texts = ["", "", "", name, ""].map(str::to_owned);
        let found = texts::texts(Part::Name, &cities(), &[row(0, &texts, true)]);
        assert_eq!(found[0].lengths, expected, "{name}");
    }
    check("", [0, 0, 0]);
    check("見本", [0, 2, 0]);
    check("株式会社　見本", [4, 2, 0]);
    check("見本　株式会社", [0, 2, 4]);
    check("株式会社", [0, 4, 0]);
    check("株式会社株式会社", [4, 4, 0]);
    check("医療法人社団　見本会", [6, 3, 0]);
    check("見本　株式会社　東京支店", [0, 10, 0]);
}

#[test]
fn texts_of_any_length_are_indexed_or_cut() {
    let long = "山".repeat(100_000);
    let texts = [long.as_str(), "川山", "", "", ""].map(str::to_owned);
    let rows = [row(0, &texts, false)];
    let section = archived(&PostalTextIndex::build(&cities(), &rows).expect("one letter"));
    assert_eq!(section.root().check(units(&rows)), Ok(()));
    let mut found = Vec::new();
    section.root().find(Part::Line, &['山', '山'], &mut found).expect("sound bytes");
    assert_eq!(found.len(), 59_999);
}
