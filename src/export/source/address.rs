//! The fourteen address columns of invoice issuers and schools; null if the address is not used.

/// The fields of the address that `$address` returns for a record `$it`; `None` if there is none.
macro_rules! address_fields {
    ($prefix:literal, $it:ident => $address:expr) => {{
        use $crate::export::field::{Get, field};
        use $crate::export::source::words::{filled, push_code_or_null, push_part};
        &[
            field(
                concat!($prefix, "postal_code"),
                Get::WrittenOrNull(|$it, out| push_code_or_null::<7>(out, $address?.postal_code())),
            ),
            field(
                concat!($prefix, "jisx0402"),
                Get::WrittenOrNull(|$it, out| {
                    push_code_or_null::<5>(out, $address?.place.jisx0402())
                }),
            ),
            field(
                concat!($prefix, "prefecture"),
                Get::TextOrNull(|$it| filled($address?.place.prefecture()[0])),
            ),
            field(
                concat!($prefix, "prefecture_kana"),
                Get::TextOrNull(|$it| filled($address?.place.prefecture()[1])),
            ),
            field(
                concat!($prefix, "prefecture_roman"),
                Get::TextOrNull(|$it| filled($address?.place.prefecture()[2])),
            ),
            field(concat!($prefix, "city"), Get::TextOrNull(|$it| Some($address?.place.city()[0]))),
            field(
                concat!($prefix, "city_kana"),
                Get::TextOrNull(|$it| Some($address?.place.city()[1])),
            ),
            field(
                concat!($prefix, "city_roman"),
                Get::TextOrNull(|$it| Some($address?.place.city()[2])),
            ),
            field(
                concat!($prefix, "street_number"),
                Get::TextOrNull(|$it| Some($address?.street.text)),
            ),
            field(
                concat!($prefix, "town"),
                Get::WrittenOrNull(|$it, out| push_part(out, $address?.parts()[0])),
            ),
            field(
                concat!($prefix, "kyoto_street"),
                Get::WrittenOrNull(|$it, out| push_part(out, $address?.parts()[1])),
            ),
            field(
                concat!($prefix, "block_lot_num"),
                Get::WrittenOrNull(|$it, out| push_part(out, $address?.parts()[2])),
            ),
            field(
                concat!($prefix, "building"),
                Get::WrittenOrNull(|$it, out| push_part(out, $address?.parts()[3])),
            ),
            field(
                concat!($prefix, "floor_room"),
                Get::WrittenOrNull(|$it, out| push_part(out, $address?.parts()[4])),
            ),
        ]
    }};
}

pub(super) use address_fields;
