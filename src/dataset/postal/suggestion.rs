//! The members of a suggested place.

use crate::dataset::member::codes::{JISX0402, POSTAL_CODE, TEXT_OR_NULL};
use crate::dataset::member::shape::Shape::{self, OneOf, OrNull, Text, Whole};
use crate::dataset::member::{Digits, members};
use crate::dataset::postal::suggest::Suggestion;
use crate::dataset::suggestion::{Match, SuggestedText};

const COUNT_OF_CODES: Shape = Whole { min: 1, max: u64::MAX };

members! {
    pub const SUGGESTED_PLACE: "SuggestedAddress" of it: &Suggestion<'_>;
    ..SuggestedText { SuggestedText(&it.text) };
    "postal_code": OrNull(&POSTAL_CODE) => it.postal_code.map(Digits::<7>), "Postal code, or null if the place has none or several", "郵便番号。一つに決まらないときはnull";
    "jisx0402": OrNull(&JISX0402) => it.jisx0402.map(Digits::<5>), "Code of the municipality; null of a prefecture", "市区町村コード（JIS X 0402）。都道府県ならnull";
    "prefecture": Text => it.prefecture[0], "Prefecture", "都道府県";
    "prefecture_kana": Text => it.prefecture[1], "Its reading", "都道府県の読み";
    "city": Text => it.city[0], "County, city and ward in one; empty of a prefecture", "市区町村（郡・区を含む）。都道府県なら空";
    "city_kana": Text => it.city[1], "Its reading", "市区町村の読み";
    "town": Text => it.town[0], "Town area; empty of larger places", "町域。市区町村以上なら空";
    "town_kana": Text => it.town[1], "Its reading", "町域の読み";
    "level": OneOf(&["prefecture", "city", "town", "part"]) => it.level.name(), "Kind of place; a part is one record of a town with several postal codes", "種類。partは番号が複数ある町域の一つのレコード";
    "codes": COUNT_OF_CODES => it.codes, "Number of postal codes of the place", "郵便番号の数";
    "parent": TEXT_OR_NULL => it.parent.as_deref(), "For a town with several postal codes, pass this as parent to list its parts; otherwise null", "番号が複数ある町域のとき、parentに指定すると各レコードを返す値。ほかはnull";
    ..Match { Match(&it.match_info) };
}
