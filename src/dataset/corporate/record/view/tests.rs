//! Packed corporate records read back, and reading arbitrary bytes never panics.

use build_tools::corporate::CorporateRow;
use proptest::prelude::*;
use rkyv::rancor;

use super::*;
use crate::dataset::corporate::record::archive::ArchivedCorporateTables;
use crate::dataset::corporate::record::fields::{append_parts, append_row};
use crate::dataset::corporate::record::{CorporateTables, OfficePlace};
use crate::record::parts::Parts;
use crate::snapshot::{OwnMemory, Section};

fn tables() -> Section<ArchivedCorporateTables> {
    let place = OfficePlace {
        prefecture_code: 13,
        city_code: 101,
        prefecture: "東京都".to_owned(),
        city: "千代田区".to_owned(),
        first: 0,
    };
    let tables = CorporateTables { places: vec![place], starts: vec![0], closed: 0 };
    let bytes = rkyv::to_bytes::<rancor::Error>(&tables).expect("archives");
    Section::validate(OwnMemory::of(bytes)).expect("archived data are valid")
}

fn plain() -> CorporateRow<'static> {
    CorporateRow {
        number: CorporateNumber::from_body(10_001_999_901).expect("twelve digits").number(),
        process: 1,
        update_date: 20_260_803,
        change_date: 20_260_801,
        assignment_date: 20_260_801,
        name: "株式会社台帳".into(),
        kind: 301,
        prefecture: "東京都".into(),
        city: "千代田区".into(),
        street: "丸の内１丁目１番１号台帳ビル３階".into(),
        post_code: 1_000_005,
        furigana: "ダイチョウ".into(),
        ..CorporateRow::default()
    }
}

/// The row of a record that was read.
fn row_of(view: CorporateView<'_>) -> CorporateRow<'_> {
    let place = view.place();
    CorporateRow {
        number: view.number().number(),
        process: view.process(),
        correct: view.correct(),
        update_date: view.update_date(),
        change_date: view.change_date(),
        assignment_date: view.assignment_date(),
        name: view.name().to_string().into(),
        name_image: view.name_image().unwrap_or_default(),
        kind: view.kind(),
        prefecture: place.prefecture().into(),
        city: place.city().into(),
        street: view.street().to_string().into(),
        address_image: view.address_image().unwrap_or_default(),
        post_code: view.post_code().unwrap_or_default(),
        outside: view.outside().text.into(),
        outside_image: view.outside_image().unwrap_or_default(),
        close_date: view.close_date().unwrap_or_default(),
        close_cause: view.close_cause().unwrap_or_default(),
        successor: view.successor().map_or(0, CorporateNumber::number),
        change_cause: view.change_cause().text.into(),
        en_name: view.en_name().text.into(),
        en_prefecture: view.en_prefecture().text.into(),
        en_city: view.en_city().text.into(),
        en_outside: view.en_outside().text.into(),
        furigana: view.furigana().to_string().into(),
        hihyoji: view.hihyoji(),
        ..CorporateRow::default()
    }
}

/// Packs and reads back.
#[track_caller]
fn check(row: CorporateRow<'_>) -> usize {
    let mut bytes = Vec::new();
    append_row(&row, &mut bytes);
    let tables = tables();
    let place = tables.root().place(0).expect("one place");
    let view = CorporateView::read(&bytes, place, 7).expect("a packed record reads back");
    assert_eq!(row_of(view), row);
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
    assert_eq!(check(fields), 5 + 2 + 1 + 2 + 1 + 1 + 3 + 1 + 5 + 1 + 15 + 1 + 5);
}

#[test]
fn every_field_reads_back() {
    check(CorporateRow {
        process: 21,
        correct: true,
        hihyoji: true,
        kind: 499,
        name_image: 4_222,
        address_image: 99_999_999,
        outside: "アメリカ合衆国".into(),
        outside_image: 1,
        close_date: 20_260_801,
        close_cause: 11,
        successor: 7_000_012_050_002,
        change_cause: "令和８年８月１日\u{3000}に合併し解散".into(),
        en_name: "\"D\" & Co.".into(),
        en_prefecture: "Tokyo".into(),
        en_city: "1-1-1, Marunouchi".into(),
        en_outside: "c/o \\ 5th".into(),
        ..plain()
    });
    check(CorporateRow { close_date: 20_251_231, close_cause: 21, ..plain() });
    check(CorporateRow { close_date: 0, close_cause: 31, ..plain() });
    check(CorporateRow { close_date: 20_260_801, close_cause: 0, ..plain() });
    check(CorporateRow { furigana: "".into(), post_code: 0, street: "".into(), ..plain() });
    check(CorporateRow { furigana: "ァヴヵヶ・ー゠ヿ".into(), ..plain() });
    check(CorporateRow { furigana: "ダイチョウ Ａ".into(), ..plain() });
    check(CorporateRow { en_outside: "USA".into(), ..plain() });
    check(CorporateRow { assignment_date: 19_000_101, change_date: 20_990_101, ..plain() });
    for kind in [101, 201, 301, 302, 303, 304, 305, 399, 401, 499] {
        for process in [1, 11, 12, 13, 21, 22, 71, 72, 81] {
            check(CorporateRow { kind, process, ..plain() });
        }
    }
}

#[test]
fn texts_are_cut_at_their_limits_by_character() {
    let long = "𠮷".repeat(700);
    let fields = CorporateRow {
        name: (&long).into(),
        street: (&long).into(),
        outside: (&long).into(),
        change_cause: (&long).into(),
        en_name: (&long).into(),
        en_city: (&long).into(),
        en_outside: (&long).into(),
        ..plain()
    };
    let mut bytes = Vec::new();
    append_row(&fields, &mut bytes);
    let tables = tables();
    let place = tables.root().place(0).expect("one place");
    let view = CorporateView::read(&bytes, place, 1).expect("reads");
    let texts = [
        (view.name().to_string(), 150),
        (view.street().to_string(), 293),
        (view.outside().text.to_owned(), 300),
        (view.change_cause().text.to_owned(), 500),
        (view.en_name().text.to_owned(), 300),
        (view.en_city().text.to_owned(), 600),
        (view.en_outside().text.to_owned(), 600),
    ];
    for (text, expected) in texts {
        assert_eq!(text.chars().count(), expected);
    }
    let exact = "a".repeat(150);
    check(CorporateRow { name: (&exact).into(), ..plain() });
    assert_eq!(super::super::fields::truncate_chars("台帳", 0), "");
}

#[test]
fn parts_of_the_address_read_back_in_few_bytes() {
    #[track_caller]
    fn check(street: &str, values: [Option<&str>; 5], expected: usize) {
        let mut bytes = Vec::new();
        append_row(&CorporateRow { street: street.into(), ..plain() }, &mut bytes);
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
            let _ = row_of(view);
            let _ = view.parts().map(|part| part.map(|part| part.to_string()));
            view.furigana().push_to(&mut Vec::new());
        }
    }

    #[test]
    fn readings_are_serialized_as_displayed(furigana in "[ァ-ヿ]{0,20}|[ァ-ヿa-z]{0,20}") {
        let mut bytes = Vec::new();
        append_row(&CorporateRow { furigana: (&furigana).into(), ..plain() }, &mut bytes);
        let tables = tables();
        let place = tables.root().place(0).expect("one place");
        let view = CorporateView::read(&bytes, place, 1).expect("reads");
        let mut out = Vec::new();
        view.furigana().push_to(&mut out);
        prop_assert_eq!(String::from_utf8_lossy(&out), furigana.as_str());
        prop_assert_eq!(view.furigana().to_string(), furigana);
    }
}
