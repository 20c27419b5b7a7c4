//! The member `explain` of an address search: from which bytes each component was read, and why it is what it is.

use super::members::POINT;
use crate::address::{Address, Component, SpanKind};
use crate::dataset::member::shape::Shape::{self, List, OneOf, OrNull, Text};
use crate::dataset::member::shape::{COUNT, JISX0402, POSTAL_CODE, TEXT_OR_NULL};
use crate::dataset::member::{Digits, ListOf, members};
use crate::dataset::postal::address_search::{Candidate, Explanation};

/// How a text was read as an address.
#[derive(Clone, Copy)]
pub struct ExplainedAddress<'a> {
    pub text: &'a str,
    pub address: &'a Address,
    pub explained: &'a Explanation<'a>,
}

const PLACE: Shape = OneOf(&[
    "prefecture",
    "county",
    "city",
    "city_ward",
    "town",
    "kyoto_street",
    "block_lot_num",
    "building",
    "floor_room",
]);
const COUNT_OR_NULL: Shape = OrNull(&COUNT);
const POSTAL_CODE_OR_NULL: Shape = OrNull(&POSTAL_CODE);

members! {
    /// How a text was read as an address.
    pub const EXPLANATION: "AddressExplanation" of it: ExplainedAddress<'_>;
    "match": OneOf(&["full", "town", "city", "prefecture", "none"]) => it.address.resolved().name(), "How precisely the address was matched", "どこまで特定できたか";
    "components": List(&PART) => ListOf(it.parts()), "The parts", "構成要素";
    "corrections": List(&CORRECTION) => ListOf(it.corrections()), "Corrections that were made", "修正";
    "unplaced": List(&UNPLACED) => ListOf(it.unplaced()), "Text that belongs to no part", "どの構成要素にも入らない文字列";
    "candidates": List(&CANDIDATE) => ListOf(it.explained.candidates.iter()), "Other places that the address may mean, the likeliest first", "ほかに考えられる場所（可能性の高い順）";
    "point": OrNull(&POINT) => it.explained.point, "Coordinates", "座標";
}

/// A part of the address, and where the text has it.
struct Part<'a> {
    component: Component,
    range: Option<(u32, u32)>,
    read: Option<&'a str>,
    became: &'a str,
    why: &'static str,
}

members! {
    const PART: "AddressPart" of it: Part<'_>;
    "component": PLACE => it.component.name(), "The part", "構成要素";
    "start": COUNT_OR_NULL => it.range.map(|(start, _)| start), "Start in t, in bytes", "tでの始まり（バイト）";
    "end": COUNT_OR_NULL => it.range.map(|(_, end)| end), "End in t, in bytes", "tでの終わり（バイト）";
    "read": TEXT_OR_NULL => it.read, "The text at that place", "住所の中の該当部分";
    "became": Text => it.became, "The value it was read as", "読み取った値";
    "why": OneOf(&["as_is", "variant", "completed", "old_name", "other_register", "letters", "repeated", "reading", "contradicted"]) => it.why, "Why", "理由";
}

/// A correction, and the text that it corrects.
struct Correction<'a> {
    one: crate::address::Correction<&'a str>,
    read: Option<&'a str>,
}

members! {
    const CORRECTION: "AddressCorrection" of it: Correction<'_>;
    "kind": OneOf(&["old_name", "other_register", "letters", "completed", "repeated", "reading", "contradicted"]) => it.one.kind.name(), "Kind of correction", "修正の種類";
    "component": PLACE => it.one.component.name(), "The part", "構成要素";
    "since": COUNT_OR_NULL => it.one.since, "The year in which the name was replaced", "旧名称になった年";
    "start": COUNT => it.one.start, "Start in t, in bytes", "tでの始まり（バイト）";
    "end": COUNT => it.one.end, "End in t, in bytes", "tでの終わり（バイト）";
    "read": TEXT_OR_NULL => it.read, "The text at that place", "住所の中の該当部分";
    "became": Text => it.one.became, "The value it was read as", "読み取った値";
}

/// Text that belongs to no part of the address.
struct Unplaced<'a> {
    range: (u32, u32),
    read: Option<&'a str>,
}

members! {
    const UNPLACED: "AddressUnplaced" of it: Unplaced<'_>;
    "start": COUNT => it.range.0, "Start in t, in bytes", "tでの始まり（バイト）";
    "end": COUNT => it.range.1, "End in t, in bytes", "tでの終わり（バイト）";
    "read": TEXT_OR_NULL => it.read, "The text at that place", "住所の中の該当部分";
}

members! {
    const CANDIDATE: "AddressCandidate" of it: &Candidate<'_>;
    "jisx0402": JISX0402 => Digits::<5>(it.city.jisx0402()), "Code of the municipality", "市区町村コード（JIS X 0402）";
    "prefecture": Text => it.city.prefecture().name, "Prefecture", "都道府県";
    "city": Text => it.city.city().name, "County, city and ward in one", "市区町村（郡・区を含む）";
    "town": TEXT_OR_NULL => it.town.map(|record| record.town().name), "Town area", "町域";
    "part": TEXT_OR_NULL => it.part(), "Koaza, chome or street, if the parts of the town have different codes", "小字・丁目・通り名（町域の中で郵便番号が分かれるとき）";
    "postal_code": POSTAL_CODE_OR_NULL => it.postal_code().map(Digits::<7>), "Postal code of the town or its part", "町域またはその一部の郵便番号";
}

impl<'a> ExplainedAddress<'a> {
    fn parts(self) -> impl Iterator<Item = Part<'a>> {
        let named = move |component| Some(self.part(component, self.address.get(component)?));
        Component::ALL.into_iter().filter_map(named)
    }

    fn part(self, component: Component, became: &'a str) -> Part<'a> {
        let ExplainedAddress { address, .. } = self;
        let spans = address.spans().iter().filter(|span| span.kind == SpanKind::Part(component));
        // A town and its koaza are one range, with the text between them.
        let range = spans.map(|span| (span.start, span.end)).reduce(|all, next| (all.0, next.1));
        let read = range.and_then(|range| self.read(range));
        let correction = address.corrections().find(|one| one.component == component);
        let why = match (correction, range) {
            (Some(correction), _) => correction.kind.name(),
            (None, None) => "completed",
            (None, Some(_)) if read == Some(became) => "as_is",
            (None, Some(_)) => "variant",
        };
        Part { component, range, read, became, why }
    }

    fn unplaced(self) -> impl Iterator<Item = Unplaced<'a>> {
        let unplaced = self.address.spans().iter().filter(|span| span.kind == SpanKind::Unplaced);
        unplaced.map(move |span| {
            let range = (span.start, span.end);
            Unplaced { range, read: self.read(range) }
        })
    }

    fn corrections(self) -> impl Iterator<Item = Correction<'a>> {
        let read = move |one: crate::address::Correction<&'a str>| Correction {
            read: self.read((one.start, one.end)),
            one,
        };
        self.address.corrections().map(read)
    }

    fn read(self, (start, end): (u32, u32)) -> Option<&'a str> {
        self.text.get(start as usize..end as usize)
    }
}
