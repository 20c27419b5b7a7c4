//! The fourteen members of the address of a corporation, an invoice issuer or a school. Other answers use some of them.

use super::search::{JISX0402, POSTAL_CODE, TEXT_OR_NULL};
use crate::api::shape::Shape::{self, OrNull, Text};
use crate::api::shape::{Member, Object, member};
use crate::api::words::words;

// The parts below the municipality.
pub const TOWN: Member = member("town", TEXT_OR_NULL, words("Town area", "町域"));
pub const KYOTO_STREET: Member =
    member("kyoto_street", TEXT_OR_NULL, words("Kyoto street name", "京都の通り名"));
pub const BLOCK_LOT_NUM: Member = member(
    "block_lot_num",
    TEXT_OR_NULL,
    words("Chome, block and lot, as 3-12-14", "丁目・番地・号（例: 3-12-14）"),
);
pub const BUILDING: Member = member("building", TEXT_OR_NULL, words("Building", "建物名"));
pub const FLOOR_ROOM: Member =
    member("floor_room", TEXT_OR_NULL, words("Floor and room", "階・部屋番号"));

#[rustfmt::skip] // One member a line.
pub const ADDRESS: Shape = Shape::Object(&Object::new("Address", &[
    member("postal_code", OrNull(&POSTAL_CODE), words("Postal code", "郵便番号")),
    member("jisx0402", OrNull(&JISX0402), words("Code of the municipality", "市区町村コード")),
    member("prefecture", TEXT_OR_NULL, words("Prefecture", "都道府県")),
    member("prefecture_kana", TEXT_OR_NULL, words("Its reading; empty in corporations", "都道府県の読み。法人では空")),
    member("prefecture_roman", TEXT_OR_NULL, words("In Roman letters", "都道府県のローマ字")),
    member("city", TEXT_OR_NULL, words("County, city and ward in one", "市区町村（郡・区を含む）")),
    member("city_kana", Text, words("Its reading; empty in corporations", "市区町村の読み。法人では空")),
    member("city_roman", Text, words("In Roman letters; empty in corporations", "市区町村のローマ字。法人では空")),
    member("street_number", Text, words("The address below the municipality, as published; for schools with half-width letters and digits", "丁目番地等（公表のまま。学校では英数字は半角）")),
    TOWN,
    KYOTO_STREET,
    BLOCK_LOT_NUM,
    BUILDING,
    FLOOR_ROOM,
]));
