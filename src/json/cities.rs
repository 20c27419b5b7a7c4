//! City records in JSON: 7, 9 or 15 fields by API version.

use super::postal::write_county_and_city;
use super::write::{member, push_code, write_data};
use crate::record::postal::CityView;
use crate::text::codes::{ApiVersion, DataVersion};

pub fn write_cities<'s>(
    out: &mut Vec<u8>,
    api: ApiVersion,
    version: DataVersion,
    cities: impl Iterator<Item = CityView<'s>>,
) {
    write_data(out, version, cities, |out, city| write_city(out, api, city));
}

fn write_city(out: &mut Vec<u8>, api: ApiVersion, view: CityView<'_>) {
    let (prefecture, city) = (view.prefecture(), view.city());
    out.extend_from_slice(b"{\"jisx0402\":\"");
    push_code::<5>(out, view.jisx0402());
    out.extend_from_slice(b"\",\"prefecture_code\":\"");
    push_code::<2>(out, view.jisx0402() / 1_000);
    out.extend_from_slice(b"\",\"city_code\":\"");
    push_code::<3>(out, view.jisx0402());
    member(out, "\",\"prefecture\":\"", prefecture.name);
    member(out, "\",\"prefecture_kana\":\"", prefecture.kana);
    member(out, "\",\"city\":\"", city.name);
    member(out, "\",\"city_kana\":\"", city.kana);
    if api >= ApiVersion::V2022_11_01 {
        member(out, "\",\"prefecture_roman\":\"", prefecture.roman);
        member(out, "\",\"city_roman\":\"", city.roman);
    }
    if api >= ApiVersion::V2023_09_01 {
        write_county_and_city(out, view);
    }
    out.extend_from_slice(b"\"}");
}
