//! Packed invoice records read back, and reading arbitrary bytes never panics.

use proptest::prelude::*;
use rkyv::rancor;

use super::*;
use crate::dataset::invoice::record::{InvoiceTables, append_address, append_tail};
use crate::record::parts::{AddressPlace, Parts};
use crate::snapshot::{OwnMemory, Section};

fn tables() -> Section<ArchivedInvoiceTables> {
    let names = |names: [&str; 3]| names.map(str::to_owned);
    let chiyoda = AddressPlace {
        code: 13_101,
        prefecture: names(["東京都", "トウキョウト", "Tokyo"]),
        city: names(["千代田区", "チヨダク", "Chiyoda-ku"]),
    };
    let places = vec![AddressPlace::default(), chiyoda];
    let tables = InvoiceTables { places, ..InvoiceTables::default() };
    let bytes = rkyv::to_bytes::<rancor::Error>(&tables).expect("archives");
    Section::validate(OwnMemory::of(bytes)).expect("archived data are valid")
}

fn plain() -> InvoiceFields<'static> {
    InvoiceFields {
        number: InvoiceNumber::from_digits(6_010_001_999_901).expect("thirteen digits"),
        sequence_number: 7,
        published: 20_260_731,
        correct: false,
        kind: 2,
        country: 1,
        update_date: 20_260_731,
        registration: Registration {
            process: 1,
            latest: true,
            registration_date: 20_231_001,
            ..Registration::default()
        },
        name: "株式会社台帳",
        kana: "ダイチョウ",
        trade_name: "",
        popular_name: "",
        streets: [Some("大手町１丁目２番３号"), None, None],
    }
}

/// Packs with a municipality for each address, reads back, and returns the length.
#[track_caller]
fn check(fields: InvoiceFields<'_>, earlier: &[Period]) -> usize {
    let mut bytes = Vec::new();
    fields.append(&mut bytes);
    let head = bytes.clone();
    let places: Vec<u16> = fields.streets.iter().flatten().map(|_| 1).collect();
    append_tail(&mut bytes, 0, earlier, &places, None);
    let tables = tables();
    let view = InvoiceView::read(&bytes, Some(tables.root())).expect("a packed record reads back");
    assert_eq!(view.fields(&mut String::new()), fields);
    assert_eq!(view.earlier().collect::<Vec<_>>(), earlier);
    for (address, street) in view.addresses.into_iter().zip(fields.streets) {
        assert_eq!(address.map(|address| address.street.text), street);
        assert_eq!(address.map(|it| it.place.jisx0402()), street.map(|_| Some(13_101)));
        assert_eq!(address.and_then(AddressView::postal_code), None);
    }
    for end in 0..bytes.len() {
        assert!(InvoiceView::read(&bytes[..end], Some(tables.root())).is_none(), "cut at {end}");
    }
    let read = InvoiceView::read(&head, None).expect("the head reads alone");
    assert_eq!(read.fields(&mut String::new()), fields);
    bytes.len()
}

#[test]
fn plain_and_individual_records_are_small() {
    assert_eq!(check(plain(), &[]), 6 + 2 + 1 + 1 + 2 + 1 + 1 + 19 + 6 + 31 + 1);
    let individual = InvoiceFields { kind: 1, name: "", kana: "", streets: [None; 3], ..plain() };
    assert_eq!(check(individual, &[]), 6 + 2 + 1 + 1 + 2 + 1 + 1);
}

#[test]
fn every_field_reads_back() {
    let registration = Registration {
        process: 4,
        latest: false,
        registration_date: 20_240_401,
        disposal_date: 20_250_101,
        expire_date: 20_991_231,
    };
    let fields = InvoiceFields {
        number: InvoiceNumber::from_digits(9_999_999_999_999).expect("thirteen digits"),
        sequence_number: 99_999_999,
        published: 20_151_005,
        correct: true,
        country: 3,
        update_date: 20_991_231,
        registration,
        name: "\"台帳\"",
        kana: "ダイチョウ Ａ",
        trade_name: "屋号",
        popular_name: "旧姓",
        streets: [Some("英国"), Some(""), Some("千代田\\１")],
        ..plain()
    };
    let past = [
        Period { start: 20_231_001, end: 20_231_002 },
        Period { start: 20_240_101, end: 20_240_331 },
    ];
    check(fields, &past);
    check(fields, &[]);
    for process in PROCESSES {
        check(
            InvoiceFields { registration: Registration { process, ..registration }, ..plain() },
            &past[..1],
        );
    }
    for (kind, country) in [(0, 0), (1, 1), (2, 2), (2, 3)] {
        check(InvoiceFields { kind, country, ..plain() }, &[]);
    }
    check(InvoiceFields { name: "", kana: "カ", streets: [None; 3], ..plain() }, &[]);
}

#[test]
fn text_that_json_escapes_is_marked() {
    let mut bytes = Vec::new();
    for (fields, expected) in [
        (plain(), true),
        (InvoiceFields { name: "\"", ..plain() }, false),
        (InvoiceFields { popular_name: "\\", ..plain() }, false),
        (InvoiceFields { streets: [None, None, Some("\n")], ..plain() }, false),
    ] {
        bytes.clear();
        fields.append(&mut bytes);
        let view = InvoiceView::read(&bytes, None).expect("reads");
        assert_eq!(!view.has(flag::ESCAPED), expected);
    }
}

#[test]
fn normalised_addresses_read_back() {
    let streets = [Some("大手町１丁目２番"), None, Some("英国")];
    let mut bytes = Vec::new();
    InvoiceFields { streets, ..plain() }.append(&mut bytes);
    let values = [Some("大手町"), None, Some("1-2"), None, None];
    let mut normalised = Vec::new();
    append_address(&mut normalised, 1_000_004, "大手町１丁目２番", &Parts { values });
    append_address(&mut normalised, 0, "英国", &Parts::default());
    append_tail(&mut bytes, 0, &[], &[1, 0], Some(&normalised));
    let tables = tables();
    let view = InvoiceView::read(&bytes, Some(tables.root())).expect("reads");
    assert_eq!(view.bytes().1, Some(&normalised[..]));
    let [office, none, abroad] = view.addresses;
    assert!(none.is_none());
    let office = office.expect("it is used");
    assert_eq!(office.postal_code(), Some(1_000_004));
    let found = office.parts().map(|part| part.map(|part| part.to_string()));
    assert_eq!(found.each_ref().map(Option::as_deref), values);
    assert_eq!(office.place.city(), ["千代田区", "チヨダク", "Chiyoda-ku"]);
    let abroad = abroad.expect("it is used");
    assert_eq!((abroad.postal_code(), abroad.place.jisx0402()), (None, None));
    assert!(abroad.parts().iter().all(Option::is_none));
    assert_eq!(abroad.place.prefecture(), ["", "", ""]);
    for end in 0..bytes.len() {
        assert!(InvoiceView::read(&bytes[..end], Some(tables.root())).is_none(), "cut at {end}");
    }
    let mut bytes = Vec::new();
    InvoiceFields { streets, ..plain() }.append(&mut bytes);
    append_tail(&mut bytes, 0, &[], &[2, 0], None);
    assert!(InvoiceView::read(&bytes, Some(tables.root())).is_none(), "no such municipality");
}

fn date() -> impl Strategy<Value = u32> {
    (2016..2100u32, 1..13u32, 1..29u32)
        .prop_map(|(year, month, day)| year * 10_000 + month * 100 + day)
}

fn date_or_none() -> impl Strategy<Value = u32> {
    prop_oneof![Just(0), date()]
}

fn street() -> impl Strategy<Value = Option<String>> {
    prop::option::of("[千代田０-９\"a]{0,12}")
}

proptest! {
    #[test]
    fn any_row_reads_back(
        digits in 0u64..10_000_000_000_000,
        (sequence_number, correct, latest) in (0u32..100_000_000, any::<bool>(), any::<bool>()),
        (kind, country) in (0u8..3, 0u8..4),
        process in prop::sample::select(PROCESSES.to_vec()),
        (published, update_date) in (date(), date()),
        (registration_date, disposal_date, expire_date) in
            (date_or_none(), date_or_none(), date_or_none()),
        [name, kana, trade_name, popular_name] in
            prop::array::uniform4("[ァ-ヿ台帳a\"]{0,10}|[ァ-ヺ]{0,10}"),
        streets in prop::array::uniform3(street()),
        past in prop::collection::vec((date(), date()), 0..3),
    ) {
        let fields = InvoiceFields {
            number: InvoiceNumber::from_digits(digits).expect("thirteen digits"),
            sequence_number,
            published,
            correct,
            kind,
            country,
            update_date,
            registration: Registration {
                process, latest, registration_date, disposal_date, expire_date,
            },
            name: &name,
            kana: &kana,
            trade_name: &trade_name,
            popular_name: &popular_name,
            streets: streets.each_ref().map(Option::as_deref),
        };
        let past: Vec<Period> =
            past.into_iter().map(|(start, end)| Period { start, end }).collect();
        check(fields, &past);
    }

    #[test]
    fn any_bytes_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
        let tables = tables();
        if let Some(view) = InvoiceView::read(&bytes, Some(tables.root())) {
            let _ = view.fields(&mut String::new());
            let _ = view.is_registered_on(20_260_731);
            for address in view.addresses.into_iter().flatten() {
                let _ = address.parts().map(|part| part.map(|part| part.to_string()));
            }
        }
    }
}
