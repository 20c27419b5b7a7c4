//! The fourteen members of an address of an invoice issuer or a school.

use super::corporate::{digits_or_null, name_or_null, write_parts};
use super::write::member;
use crate::record::address::AddressView;

pub(super) fn write_address(out: &mut Vec<u8>, address: AddressView<'_>) {
    out.extend_from_slice(b"{\"postal_code\":");
    digits_or_null::<7>(out, address.postal_code());
    out.extend_from_slice(b",\"jisx0402\":");
    digits_or_null::<5>(out, address.place.jisx0402());
    let [name, kana, roman] = address.place.prefecture();
    name_or_null(out, ",\"prefecture\":", name);
    name_or_null(out, ",\"prefecture_kana\":", kana);
    name_or_null(out, ",\"prefecture_roman\":", roman);
    let keys = [",\"city\":", ",\"city_kana\":", ",\"city_roman\":"];
    for (key, name) in keys.into_iter().zip(address.place.city()) {
        out.extend_from_slice(key.as_bytes());
        super::push_string(out, name);
    }
    member(out, ",\"street_number\":\"", address.street);
    out.push(b'"');
    write_parts(out, address.parts());
    out.push(b'}');
}
