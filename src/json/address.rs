//! The fourteen members of an address of an invoice issuer or a school.

use super::write::{digits_or_null, member, name_or_null, push_escaped, quoted_or_null, string};
use crate::record::address::AddressView;
use crate::record::parts::{PARTS, Part};

pub(super) fn write_address(out: &mut Vec<u8>, address: AddressView<'_>) {
    digits_or_null::<7>(out, "{\"postal_code\":", address.postal_code());
    digits_or_null::<5>(out, ",\"jisx0402\":", address.place.jisx0402());
    let [name, kana, roman] = address.place.prefecture();
    name_or_null(out, ",\"prefecture\":", name);
    name_or_null(out, ",\"prefecture_kana\":", kana);
    name_or_null(out, ",\"prefecture_roman\":", roman);
    let keys = [",\"city\":", ",\"city_kana\":", ",\"city_roman\":"];
    for (key, name) in keys.into_iter().zip(address.place.city()) {
        string(out, key, name);
    }
    member(out, ",\"street_number\":\"", address.street);
    out.push(b'"');
    write_parts(out, address.parts());
    out.push(b'}');
}

/// The members of the parts of an address.
pub(super) fn write_parts(out: &mut Vec<u8>, parts: [Option<Part<'_>>; PARTS]) {
    let [town, kyoto_street, lot, building, floor] = parts;
    part_or_null(out, ",\"town\":", town);
    part_or_null(out, ",\"kyoto_street\":", kyoto_street);
    part_or_null(out, ",\"block_lot_num\":", lot);
    part_or_null(out, ",\"building\":", building);
    part_or_null(out, ",\"floor_room\":", floor);
}

#[inline]
fn part_or_null(out: &mut Vec<u8>, key: &str, part: Option<Part<'_>>) {
    quoted_or_null(out, key, part, |out, part| match part {
        Part::Slice(text) | Part::Text(text) => push_escaped(out, text),
        Part::Lot(..) => part.push_to(out),
    });
}
