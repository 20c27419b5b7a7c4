//! Packed corporate records read back, and reading arbitrary bytes never panics.

use bytes::Bytes;
use proptest::prelude::*;
use rkyv::rancor;

use super::*;
use crate::dataset::corporate::record::archive::ArchivedCorporateTables;
use crate::dataset::corporate::record::fields::append_parts;
use crate::dataset::corporate::record::{CorporateFields, CorporateTables, OfficePlace};
use crate::record::parts::Parts;
use crate::snapshot::Section;

fn tables() -> Section<ArchivedCorporateTables> {
    let place = OfficePlace {
        prefecture_code: 13,
        city_code: 101,
        prefecture: "東京都".to_owned(),
        city: "千代田区".to_owned(),
        first: 0,
    };
    let tables = CorporateTables { places: vec![place], offsets: vec![0, 1], closed: 0 };
    let bytes = rkyv::to_bytes::<rancor::Error>(&tables).expect("archives");
    Section::validate(Bytes::from_owner(bytes)).expect("archived data are valid")
}

fn plain() -> CorporateFields<'static> {
    CorporateFields {
        number: CorporateNumber::from_body(10_001_999_901).expect("twelve digits"),
        process: 1,
        correct: false,
        update_date: 20_260_803,
        change_date: 20_260_801,
        assignment_date: 20_260_801,
        name: "株式会社台帳",
        name_image: 0,
        kind: 301,
        street: "丸の内１丁目１番１号台帳ビル３階",
        place_chars: 7,
        address_image: 0,
        post_code: 1_000_005,
        outside: "",
        outside_image: 0,
        close_date: 0,
        close_cause: 0,
        successor: 0,
        change_cause: "",
        en_name: "",
        en_prefecture: "",
        en_city: "",
        en_outside: "",
        furigana: "ダイチョウ",
        hihyoji: false,
    }
}

/// The fields of a record that was read. `furigana` is the buffer of the reading.
fn fields_of<'a>(view: CorporateView<'a>, furigana: &'a mut String) -> CorporateFields<'a> {
    *furigana = view.furigana().to_string();
    let place = view.place();
    CorporateFields {
        number: view.number(),
        process: view.process(),
        correct: view.correct(),
        update_date: view.update_date(),
        change_date: view.change_date(),
        assignment_date: view.assignment_date(),
        name: view.name().text,
        name_image: view.name_image().unwrap_or_default(),
        kind: view.kind(),
        street: view.street().text,
        place_chars: [place.prefecture(), place.city()].concat().chars().count(),
        address_image: view.address_image().unwrap_or_default(),
        post_code: view.post_code().unwrap_or_default(),
        outside: view.outside().text,
        outside_image: view.outside_image().unwrap_or_default(),
        close_date: view.close_date().unwrap_or_default(),
        close_cause: view.close_cause().unwrap_or_default(),
        successor: view.successor().map_or(0, CorporateNumber::number),
        change_cause: view.change_cause().text,
        en_name: view.en_name().text,
        en_prefecture: view.en_prefecture().text,
        en_city: view.en_city().text,
        en_outside: view.en_outside().text,
        furigana,
        hihyoji: view.hihyoji(),
    }
}

/// Packs and reads back.
#[track_caller]
fn check(fields: CorporateFields<'_>) -> usize {
    let mut bytes = Vec::new();
    fields.append(&mut bytes);
    let tables = tables();
    let place = tables.root().place(0).expect("one place");
    let view = CorporateView::read(&bytes, place, 7).expect("a packed record reads back");
    assert_eq!(fields_of(view, &mut String::new()), fields);
    assert_eq!((view.sequence_number(), view.place().jisx0402()), (7, Some(13_101)));
    assert_eq!(view.bytes, bytes);
    for end in 0..bytes.len() {
        assert!(CorporateView::read(&bytes[..end], place, 7).is_none(), "cut at {end}");
    }
    bytes.len()
}

#[test]
fn a_plain_record_is_small() {
    let fields = plain();
    assert_eq!(check(fields), 5 + 2 + 1 + 2 + 1 + 1 + 3 + 1 + 18 + 1 + 48 + 1 + 5);
}

#[test]
fn every_field_reads_back() {
    check(CorporateFields {
        process: 21,
        correct: true,
        hihyoji: true,
        kind: 499,
        name_image: 4_222,
        address_image: 99_999_999,
        outside: "アメリカ合衆国",
        outside_image: 1,
        close_date: 20_260_801,
        close_cause: 11,
        successor: 7_000_012_050_002,
        change_cause: "令和８年８月１日\u{3000}に合併し解散",
        en_name: "\"D\" & Co.",
        en_prefecture: "Tokyo",
        en_city: "1-1-1, Marunouchi",
        en_outside: "c/o \\ 5th",
        ..plain()
    });
    check(CorporateFields { close_date: 20_251_231, close_cause: 21, ..plain() });
    check(CorporateFields { close_date: 0, close_cause: 31, ..plain() });
    check(CorporateFields { close_date: 20_260_801, close_cause: 0, ..plain() });
    check(CorporateFields { furigana: "", post_code: 0, street: "", ..plain() });
    check(CorporateFields { furigana: "ァヴヵヶ・ー゠ヿ", ..plain() });
    check(CorporateFields { furigana: "ダイチョウ Ａ", ..plain() });
    check(CorporateFields { en_outside: "USA", ..plain() });
    check(CorporateFields { assignment_date: 19_000_101, change_date: 20_990_101, ..plain() });
    for kind in [101, 201, 301, 302, 303, 304, 305, 399, 401, 499] {
        for process in [1, 11, 12, 13, 21, 22, 71, 72, 81] {
            check(CorporateFields { kind, process, ..plain() });
        }
    }
}

#[test]
fn texts_are_cut_at_their_limits_by_character() {
    let long = "𠮷".repeat(700);
    let fields = CorporateFields {
        name: &long,
        street: &long,
        outside: &long,
        change_cause: &long,
        en_name: &long,
        en_city: &long,
        en_outside: &long,
        ..plain()
    };
    let mut bytes = Vec::new();
    fields.append(&mut bytes);
    let tables = tables();
    let place = tables.root().place(0).expect("one place");
    let view = CorporateView::read(&bytes, place, 1).expect("reads");
    let texts = [
        (view.name(), 150),
        (view.street(), 293),
        (view.outside(), 300),
        (view.change_cause(), 500),
        (view.en_name(), 300),
        (view.en_city(), 600),
        (view.en_outside(), 600),
    ];
    for (text, expected) in texts {
        assert_eq!(text.text.chars().count(), expected);
    }
    let exact = "a".repeat(150);
    check(CorporateFields { name: &exact, ..plain() });
    assert_eq!(super::super::fields::truncate_chars("台帳", 0), "");
}

#[test]
fn parts_of_the_address_read_back_in_few_bytes() {
    #[track_caller]
    fn check(street: &str, values: [Option<&str>; 5], expected: usize) {
        let mut bytes = Vec::new();
        CorporateFields { street, ..plain() }.append(&mut bytes);
        let without_parts = bytes.clone();
        let before = bytes.len();
        append_parts(&Parts { values }, &mut bytes, 0, street);
        let tables = tables();
        let place = tables.root().place(0).expect("one place");
        let view = CorporateView::read(&bytes, place, 1).expect("reads");
        let mut found = Vec::new();
        view.append_without_parts(&mut found);
        assert_eq!(found, without_parts);
        let found = view.parts().map(|part| part.map(|part| part.to_string()));
        assert_eq!(found.each_ref().map(Option::as_deref), values);
        assert_eq!(bytes.len() - before, expected, "bytes of {values:?}");
        for end in before..bytes.len() {
            let cut = CorporateView::read(&bytes[..end], place, 1).expect("the rest is whole");
            let _ = cut.parts().map(|part| part.map(|part| part.to_string()));
        }
    }
    check("丸の内", [None; 5], 1);
    check("丸の内１丁目", [Some("丸の内"), None, Some("1"), None, None], 1 + 2 + 2);
    check(
        "丸の内１丁目２番１０号台帳ビル３階",
        [Some("丸の内"), None, Some("1-2-10"), Some("台帳ビル"), Some("3階")],
        1 + 2 + 4 + 2 + 5,
    );
    check("大字台帳台帳", [Some("台帳"), None, None, Some("台帳"), None], 1 + 2 + 2);
    check("", [Some("丸の内"), Some("通"), Some("-"), None, None], 1 + 10 + 4 + 2);
}

proptest! {
    #[test]
    fn any_bytes_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
        let tables = tables();
        let place = tables.root().place(0).expect("one place");
        if let Some(view) = CorporateView::read(&bytes, place, 1) {
            let _ = fields_of(view, &mut String::new());
            let _ = view.parts().map(|part| part.map(|part| part.to_string()));
            view.furigana().push_to(&mut Vec::new());
        }
    }

    #[test]
    fn readings_are_serialized_as_displayed(furigana in "[ァ-ヿ]{0,20}|[ァ-ヿa-z]{0,20}") {
        let mut bytes = Vec::new();
        CorporateFields { furigana: &furigana, ..plain() }.append(&mut bytes);
        let tables = tables();
        let place = tables.root().place(0).expect("one place");
        let view = CorporateView::read(&bytes, place, 1).expect("reads");
        let mut out = Vec::new();
        view.furigana().push_to(&mut out);
        prop_assert_eq!(String::from_utf8_lossy(&out), furigana.as_str());
        prop_assert_eq!(view.furigana().to_string(), furigana);
    }
}
