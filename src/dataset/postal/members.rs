//! The members of a postal record, 20 in API version 2022-09-01 and 35 in every later one, and of a municipality.

use crate::address::{Degrees, Point};
use crate::dataset::member::shape::Shape::{
    Bool, Decimal, OneNumber, OneOf, OrNull, Pattern, Text,
};
use crate::dataset::member::shape::{Columns, JISX0402, POSTAL_CODE, Shape, TEXT_OR_NULL};
use crate::dataset::member::{Ascii, Digits, MemberValue, Prepared, members};
use crate::export::Cells;
use crate::record::postal::{CityView, CorporationView, NameView, PostalView};
use crate::text::codes::ApiVersion;

#[derive(Clone, Copy)]
pub struct PostalRecord<'s> {
    pub view: PostalView<'s>,
    pub town: NameView<'s>,
    pub city_code: [u8; 5],
    pub city: PreparedCity<'s>,
    /// The point if it was asked for.
    pub point: Option<Option<Point>>,
}

/// A municipality in three parts, because a record has other members between them; each with its JSON if that is
/// prepared.
#[derive(Clone, Copy)]
pub struct PreparedCity<'s> {
    pub readings: PreparedReadings<'s>,
    pub names: PreparedNames<'s>,
    pub parts: PreparedParts<'s>,
}

pub type PreparedReadings<'s> = Prepared<'s, CityReadings<'s>>;
pub type PreparedNames<'s> = Prepared<'s, CityNames<'s>>;
pub type PreparedParts<'s> = Prepared<'s, CityParts<'s>>;

/// The readings of prefecture and city.
#[derive(Clone, Copy)]
pub struct CityReadings<'s>(pub CityView<'s>);

/// The names of prefecture and city.
#[derive(Clone, Copy)]
pub struct CityNames<'s>(pub CityView<'s>);

/// The parts of the city and the names in Roman letters.
#[derive(Clone, Copy)]
pub struct CityParts<'s>(pub CityView<'s>);

members! {
    /// A postal record, in the order of the hosted service: the 20 members of the first API version, then those since.
    pub const POSTAL_RECORD: "PostalRecord" of it: PostalRecord<'_>;
    "jisx0402": JISX0402 => Ascii(it.city_code), "Code of the municipality", "市区町村コード（JIS X 0402）";
    "old_code": Pattern("^([0-9]{3}|[0-9]{5})$") => it.view.old_code(), "Former postal code", "旧郵便番号";
    "postal_code": POSTAL_CODE => Digits::<7>(it.view.postal_code()), "Postal code", "郵便番号";
    ..PreparedReadings { it.city.readings };
    "town_kana": Text => it.town.kana, "Its reading", "町域の読み";
    "town_kana_raw": Text => it.view.town_kana_raw(), "Its reading as the source prints it", "町域の読みの欄（公表のまま）";
    ..PreparedNames { it.city.names };
    "town": Text => it.town.name, "Town area", "町域";
    "koaza": Text => it.view.koaza(), "Koaza, chome or 地割", "小字、丁目または地割";
    "kyoto_street": Text => it.view.kyoto_street(), "Kyoto street name", "京都の通り名";
    "building": Text => it.view.building(), "Building", "建物名";
    "floor": Text => it.view.floor(), "Floor", "階";
    "town_partial": Bool => it.view.flags().partial, "The town has several codes", "一町域が二以上の郵便番号で表される";
    "town_addressed_koaza": Bool => it.view.flags().addressed_koaza, "Lots are numbered anew in each koaza", "小字毎に番地が起番されている";
    "town_chome": Bool => it.view.flags().chome, "The town has chome", "丁目を有する町域";
    "town_multi": Bool => it.view.flags().multi, "The code covers several towns", "一つの郵便番号で二以上の町域を表す";
    "town_raw": Text => it.view.town_raw(), "The town column as the source prints it", "町域欄（公表のまま）";
    "corporation": OrNull(&LARGE_BUSINESS) => it.view.corporation(), "The large business; null for the code of an area", "大口事業所。町域の郵便番号ではnull";
    "town_jukyohyoji": Bool => it.view.flags().jukyohyoji, "The town uses residence indication", "住居表示を実施している", since V2022_11_01;
    "update_status": OneNumber(&[0, 1, 2]) => it.view.update_status() as u8, "0 unchanged, 1 added or changed by this version, 2 abolished", "0は変更なし、1はこのバージョンで追加・変更、2は廃止", since V2022_11_01;
    "update_reason": OneNumber(&[0, 1, 2, 3, 4, 5, 6]) => it.view.update_reason() as u8, "Reason for the change, as published by Japan Post: 0 none, 1 municipal change, 2 residence indication, 3 land readjustment, 4 postal district, 5 correction, 6 abolition", "変更理由（日本郵便による）。0はなし、1は市政・区政・町政・分区・政令指定都市施行、2は住居表示の実施、3は区画整理、4は郵便区調整等、5は訂正、6は廃止", since V2022_11_01;
    ..PreparedParts { it.city.parts };
    "town_roman": Text => it.town.roman, "In Roman letters", "町域のローマ字", since V2022_11_01;
    "point": OrNull(&POINT) => it.point, "Coordinates; only with point=1", "座標。point=1のときだけ", is optional, columns Columns::NONE;
}

members! {
    members of it: CityReadings<'_>;
    "prefecture_kana": Text => it.0.prefecture().kana, "Its reading", "都道府県の読み";
    "city_kana": Text => it.0.city().kana, "Its reading", "市区町村の読み";
}

members! {
    members of it: CityNames<'_>;
    "prefecture": Text => it.0.prefecture().name, "Prefecture", "都道府県";
    "city": Text => it.0.city().name, "County, city and ward in one", "市区町村（郡・区を含む）";
}

members! {
    members of it: CityParts<'_>;
    "prefecture_roman": Text => it.0.prefecture().roman, "In Roman letters", "都道府県のローマ字", since V2022_11_01;
    "county": Text => it.0.county().name, "County, or empty", "郡。なければ空", since V2022_11_01;
    "county_kana": Text => it.0.county().kana, "Its reading", "郡の読み", since V2022_11_01;
    "county_roman": Text => it.0.county().roman, "In Roman letters", "郡のローマ字", since V2022_11_01;
    "city_without_county_and_ward": Text => it.0.city_without_county_and_ward().name, "The part between county and ward", "郡と区を除いた市区町村", since V2022_11_01;
    "city_without_county_and_ward_kana": Text => it.0.city_without_county_and_ward().kana, "Its reading", "その読み", since V2022_11_01;
    "city_without_county_and_ward_roman": Text => it.0.city_without_county_and_ward().roman, "In Roman letters", "そのローマ字", since V2022_11_01;
    "city_ward": Text => it.0.city_ward().name, "Ward of a designated city, or empty", "政令指定都市の区。なければ空", since V2022_11_01;
    "city_ward_kana": Text => it.0.city_ward().kana, "Its reading", "区の読み", since V2022_11_01;
    "city_ward_roman": Text => it.0.city_ward().roman, "In Roman letters", "区のローマ字", since V2022_11_01;
    "city_roman": Text => it.0.city().roman, "In Roman letters", "市区町村のローマ字", since V2022_11_01;
}

members! {
    /// The large business of a record.
    const LARGE_BUSINESS: "LargeBusiness" of it: CorporationView<'_>;
    "name": Text => it.name(), "Name", "事業所名";
    "name_kana": Text => it.name_kana(), "Its reading", "事業所名の読み";
    "block_lot": Text => it.block_lot(), "Address below the town, as printed", "小字・丁目・番地等（公表のまま）";
    "block_lot_num": TEXT_OR_NULL => it.block_lot_num(), "Chome, block and lot, as 3-12-14", "丁目・番地・号（例: 3-12-14）";
    "post_office": Text => it.post_office(), "Post office", "取扱郵便局";
    "code_type": OneNumber(&[0, 1]) => u8::from(it.post_office_box()), "0 a large business, 1 a post-office box", "0は大口事業所、1は私書箱";
}

members! {
    /// Coordinates.
    pub const POINT: "Point" of it: Point;
    "lat": Decimal => it.lat, "Latitude in degrees", "緯度（度）";
    "lon": Decimal => it.lon, "Longitude in degrees", "経度（度）";
    "level": OneOf(&["koaza", "chome", "town", "city"]) => it.level.name(), "The area that the point represents", "座標が表す範囲";
}

impl MemberValue for Degrees {
    const SHAPE: Shape = Decimal;

    fn write(self, out: &mut Vec<u8>, _api: ApiVersion) {
        out.extend_from_slice(self.to_string().as_bytes());
    }

    /// Coordinates are not exported.
    fn fill(self, cells: &mut Cells<'_>) {
        cells.leave_null(1);
    }
}

/// A municipality, in the list of a prefecture.
#[derive(Clone, Copy)]
pub struct Municipality<'s>(pub CityView<'s>);

members! {
    /// A municipality: 7, 9 or 15 members by API version.
    pub const MUNICIPALITY: "City" of it: Municipality<'_>;
    "jisx0402": JISX0402 => Digits::<5>(it.0.jisx0402()), "Code of the municipality", "市区町村コード（JIS X 0402）";
    "prefecture_code": Pattern("^[0-9]{2}$") => Digits::<2>(it.0.jisx0402() / 1_000), "Prefecture code, the first two digits", "都道府県コード（先頭2桁）";
    "city_code": Pattern("^[0-9]{3}$") => Digits::<3>(it.0.jisx0402()), "The last three digits", "残りの3桁";
    "prefecture": Text => it.0.prefecture().name, "Prefecture", "都道府県";
    "prefecture_kana": Text => it.0.prefecture().kana, "Its reading", "都道府県の読み";
    "city": Text => it.0.city().name, "County, city and ward in one", "市区町村（郡・区を含む）";
    "city_kana": Text => it.0.city().kana, "Its reading", "市区町村の読み";
    "prefecture_roman": Text => it.0.prefecture().roman, "In Roman letters", "都道府県のローマ字", since V2022_11_01;
    "city_roman": Text => it.0.city().roman, "In Roman letters", "市区町村のローマ字", since V2022_11_01;
    "county": Text => it.0.county().name, "County, or empty", "郡。なければ空", since V2023_09_01;
    "county_kana": Text => it.0.county().kana, "Its reading", "郡の読み", since V2023_09_01;
    "county_roman": Text => it.0.county().roman, "In Roman letters", "郡のローマ字", since V2023_09_01;
    "city_without_county_and_ward": Text => it.0.city_without_county_and_ward().name, "The part between county and ward", "郡と区を除いた市区町村", since V2023_09_01;
    "city_without_county_and_ward_kana": Text => it.0.city_without_county_and_ward().kana, "Its reading", "その読み", since V2023_09_01;
    "city_without_county_and_ward_roman": Text => it.0.city_without_county_and_ward().roman, "In Roman letters", "そのローマ字", since V2023_09_01;
}
