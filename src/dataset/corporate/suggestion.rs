//! The members of a suggested corporation.

use crate::dataset::corporate::suggest::SuggestedCorporation;
use crate::dataset::member::codes::{CORPORATE_NUMBER, POSTAL_CODE};
use crate::dataset::member::shape::Shape::{Bool, OrNull, Text};
use crate::dataset::member::{Digits, members};
use crate::dataset::suggestion::{Match, SuggestedText};

members! {
    pub const SUGGESTED_CORPORATION: "SuggestedCorporation" of it: &SuggestedCorporation<'_>;
    ..SuggestedText { SuggestedText(it.view.name().text) };
    "corporate_number": CORPORATE_NUMBER => it.view.number(), "The corporate number", "法人番号";
    "name": Text => it.view.name(), "Name", "商号または名称";
    "furigana": Text => it.view.furigana(), "Reading, or empty", "フリガナ。なければ空";
    "postal_code": OrNull(&POSTAL_CODE) => it.view.post_code().map(Digits::<7>), "Postal code, or null", "郵便番号。なければnull";
    "prefecture": Text => it.view.place().prefecture(), "Prefecture, empty abroad", "都道府県。国外は空";
    "city": Text => it.view.place().city(), "Municipality, empty abroad", "市区町村。国外は空";
    "address": Text => it.view.inland_address(), "Prefecture, municipality and the rest in one", "都道府県から番地までの所在地";
    "closed": Bool => it.view.is_closed(), "Whether the registration of the corporation is closed", "登記記録が閉鎖されているか";
    ..Match { Match(&it.match_info) };
}
