//! The fourteen address columns of invoice issuers and schools; null if the address is not used.

/// The fields of the address that `$address` returns for a record `$it`; `None` if there is none.
macro_rules! address_fields {
    ($prefix:literal, $it:ident => $address:expr) => {{
        use $crate::export::field::{Getter, field};
        use $crate::export::source::formatted::{non_empty, push_code_or_null, push_part};
        &[
            field(
                concat!($prefix, "postal_code"),
                Getter::FormattedOrNull(|$it, out| {
                    push_code_or_null::<7>(out, $address?.postal_code())
                }),
            ),
            field(
                concat!($prefix, "jisx0402"),
                Getter::FormattedOrNull(|$it, out| {
                    push_code_or_null::<5>(out, $address?.place.jisx0402())
                }),
            ),
            field(
                concat!($prefix, "prefecture"),
                Getter::TextOrNull(|$it| non_empty($address?.place.prefecture()[0])),
            ),
            field(
                concat!($prefix, "prefecture_kana"),
                Getter::TextOrNull(|$it| non_empty($address?.place.prefecture()[1])),
            ),
            field(
                concat!($prefix, "prefecture_roman"),
                Getter::TextOrNull(|$it| non_empty($address?.place.prefecture()[2])),
            ),
            field(
                concat!($prefix, "city"),
                Getter::TextOrNull(|$it| Some($address?.place.city()[0])),
            ),
            field(
                concat!($prefix, "city_kana"),
                Getter::TextOrNull(|$it| Some($address?.place.city()[1])),
            ),
            field(
                concat!($prefix, "city_roman"),
                Getter::TextOrNull(|$it| Some($address?.place.city()[2])),
            ),
            field(
                concat!($prefix, "street_number"),
                Getter::TextOrNull(|$it| Some($address?.street.text)),
            ),
            field(
                concat!($prefix, "town"),
                Getter::FormattedOrNull(|$it, out| push_part(out, $address?.parts()[0])),
            ),
            field(
                concat!($prefix, "kyoto_street"),
                Getter::FormattedOrNull(|$it, out| push_part(out, $address?.parts()[1])),
            ),
            field(
                concat!($prefix, "block_lot_num"),
                Getter::FormattedOrNull(|$it, out| push_part(out, $address?.parts()[2])),
            ),
            field(
                concat!($prefix, "building"),
                Getter::FormattedOrNull(|$it, out| push_part(out, $address?.parts()[3])),
            ),
            field(
                concat!($prefix, "floor_room"),
                Getter::FormattedOrNull(|$it, out| push_part(out, $address?.parts()[4])),
            ),
        ]
    }};
}

pub(super) use address_fields;
