//! Declares the fields that a packed record stores only where they exist, each once: its bit in the flags of the record,
//! what is stored, and how. From the declaration come the flags, the encoder and the reader, so that these
//! agree on the order. The fields that every record has stand before them, and are written and read by hand.
//!
//! A record has sixteen flags. Fields that few records have share one of them and have flags of their own in a byte that
//! only such records have: one more rare field makes no other record longer.

use crate::record::codec::{Cursor, push_body, push_bytes, push_number};
use crate::text::codes::CorporateNumber;

/// How a field is stored.
pub trait Stored {
    type Written<'a>: Copy;
    /// The default stands for an absent field.
    type Read<'s>: Copy + Default;

    /// Whether a record has the field.
    fn exists(value: Self::Written<'_>) -> bool;

    fn push(value: Self::Written<'_>, out: &mut Vec<u8>);

    /// `None` if the bytes are malformed.
    fn read<'s>(cursor: &mut Cursor<'s>) -> Option<Self::Read<'s>>;
}

/// A text after its length.
pub struct Bytes;

impl Stored for Bytes {
    type Written<'a> = &'a str;
    type Read<'s> = &'s [u8];

    fn exists(text: &str) -> bool {
        !text.is_empty()
    }

    fn push(text: &str, out: &mut Vec<u8>) {
        push_bytes(out, text.as_bytes());
    }

    #[inline]
    fn read<'s>(cursor: &mut Cursor<'s>) -> Option<&'s [u8]> {
        cursor.bytes()
    }
}

/// A number as a varint.
pub struct Number;

impl Stored for Number {
    type Written<'a> = u32;
    type Read<'s> = u32;

    fn exists(number: u32) -> bool {
        number != 0
    }

    fn push(number: u32, out: &mut Vec<u8>) {
        push_number(out, number);
    }

    #[inline]
    fn read(cursor: &mut Cursor<'_>) -> Option<u32> {
        cursor.number()
    }
}

/// A corporate number without its check digit; a number that is none is stored as 0.
pub struct Body;

impl Stored for Body {
    type Written<'a> = u64;
    type Read<'s> = u64;

    fn exists(number: u64) -> bool {
        number != 0
    }

    fn push(number: u64, out: &mut Vec<u8>) {
        let number = CorporateNumber::from_number(number);
        push_body(out, number.map_or(0, CorporateNumber::body));
    }

    #[inline]
    fn read(cursor: &mut Cursor<'_>) -> Option<u64> {
        cursor.body()
    }
}

/// The index of a code in its table; readers of the sources accept no other code.
pub fn index_of<T: PartialEq>(table: &[T], code: &T) -> u8 {
    table.iter().position(|known| known == code).unwrap_or_default() as u8
}

/// Declares a struct of the optional fields as they are read, in the order in which they are stored:
///
/// ```text
/// fields {
///     field: what is read as how it is stored, FLAG = bit => what is stored;
/// }
/// rare FLAG = bit {
///     field: what is read as how it is stored, bit of the rare flags => what is stored;
/// }
/// ```
///
/// `marks` are flags without a field. One without a condition is set by code that appends to the record.
macro_rules! packed_fields {
    (
        $(#[$meta:meta])*
        struct $Fields:ident<$s:lifetime> of $row:ident: $Row:ty;
        marks { $($(#[$mark_meta:meta])* $MARK:ident = $mark_bit:literal $(if $is_marked:expr)?;)* }
        fields { $($field:ident: $Read:ty as $How:ty, $FLAG:ident = $bit:literal => $written:expr;)* }
        rare $RARE:ident = $rare_bit:literal {
            $($rare:ident: $RareRead:ty as $RareHow:ty, $index:literal => $rare_written:expr;)*
        }
    ) => {
        pub(super) mod flag {
            $($(#[$mark_meta])* pub const $MARK: u16 = 1 << $mark_bit;)*
            $(pub const $FLAG: u16 = 1 << $bit;)*
            /// A byte of rare flags follows the other fields, and then the rare ones.
            pub const $RARE: u16 = 1 << $rare_bit;

            const SUM: u32 = (1 << $rare_bit) $(+ (1 << $mark_bit))* $(+ (1 << $bit))*;
            const UNION: u32 = (1 << $rare_bit) $(| (1 << $mark_bit))* $(| (1 << $bit))*;
            const _: () = assert!(SUM == UNION, "each flag has a bit of its own");
            const RARE_SUM: u32 = 0 $(+ (1 << $index))*;
            const RARE_UNION: u8 = 0 $(| (1 << $index))*;
            const _: () = assert!(RARE_SUM == RARE_UNION as u32, "so has each rare one");
        }

        $(#[$meta])*
        #[derive(Clone, Copy)]
        pub(super) struct $Fields<$s> {
            $(pub(super) $field: $Read,)*
            $(pub(super) $rare: $RareRead,)*
        }

        impl<$s> $Fields<$s> {
            fn flags($row: &$Row) -> u16 {
                let mut flags = 0;
                $($(if $is_marked {
                    flags |= flag::$MARK;
                })?)*
                $(if <$How as $crate::dataset::packed::Stored>::exists($written) {
                    flags |= flag::$FLAG;
                })*
                if Self::rare_flags($row) != 0 {
                    flags |= flag::$RARE;
                }
                flags
            }

            fn rare_flags($row: &$Row) -> u8 {
                let mut flags = 0;
                $(if <$RareHow as $crate::dataset::packed::Stored>::exists($rare_written) {
                    flags |= 1 << $index;
                })*
                flags
            }

            fn append($row: &$Row, out: &mut Vec<u8>) {
                $(if <$How as $crate::dataset::packed::Stored>::exists($written) {
                    <$How as $crate::dataset::packed::Stored>::push($written, out);
                })*
                let rare = Self::rare_flags($row);
                if rare == 0 {
                    return;
                }
                out.push(rare);
                $(if rare & (1 << $index) != 0 {
                    <$RareHow as $crate::dataset::packed::Stored>::push($rare_written, out);
                })*
            }

            #[inline]
            pub(super) fn read(
                flags: u16,
                cursor: &mut $crate::record::codec::Cursor<$s>,
            ) -> Option<$Fields<$s>> {
                $(let $field = match flags & flag::$FLAG {
                    0 => Default::default(),
                    _ => <$How as $crate::dataset::packed::Stored>::read(cursor)?,
                };)*
                let rare = if flags & flag::$RARE == 0 { 0 } else { cursor.byte()? };
                $(let $rare = match rare & (1 << $index) {
                    0 => Default::default(),
                    _ => <$RareHow as $crate::dataset::packed::Stored>::read(cursor)?,
                };)*
                Some($Fields { $($field,)* $($rare,)* })
            }
        }
    };
}

pub(crate) use packed_fields;

#[cfg(test)]
mod tests {
    mod toy {
        use crate::dataset::packed::{Bytes, Number};

        pub struct Row {
            pub is_new: bool,
            pub name: &'static str,
            pub height: u32,
            pub old_name: &'static str,
            pub depth: u32,
        }

        packed_fields! {
            #[derive(Debug, PartialEq)]
            struct Fields<'s> of row: Row;
            marks { NEW = 0 if row.is_new; }
            fields {
                name: &'s [u8] as Bytes, NAME = 3 => row.name;
                height: u32 as Number, HEIGHT = 1 => row.height;
            }
            rare RARE = 4 {
                old_name: &'s [u8] as Bytes, 2 => row.old_name;
                depth: u32 as Number, 0 => row.depth;
            }
        }

        pub fn packed(row: &Row) -> (u16, Vec<u8>) {
            let mut out = Vec::new();
            Fields::append(row, &mut out);
            (Fields::flags(row), out)
        }
    }

    use super::*;
    use toy::{Fields, Row, packed};

    #[test]
    fn fields_are_stored_where_they_exist_in_the_order_of_the_declaration() {
        let none = Row { is_new: false, name: "", height: 0, old_name: "", depth: 0 };
        for (row, flags, bytes) in [
            (Row { ..none }, 0, &b""[..]),
            (Row { is_new: true, height: 7, ..none }, 0b11, b"\x07"),
            (Row { name: "ab", height: 7, ..none }, 0b1010, b"\x02ab\x07"),
            (Row { height: 7, depth: 9, ..none }, 0b1_0010, b"\x07\x01\x09"),
            (Row { old_name: "c", depth: 9, ..none }, 0b1_0000, b"\x05\x01c\x09"),
        ] {
            assert_eq!(packed(&row), (flags, bytes.to_vec()));
            let mut cursor = Cursor { rest: bytes };
            let read = Fields::read(flags, &mut cursor).expect("it was written");
            let (name, old_name) = (row.name.as_bytes(), row.old_name.as_bytes());
            let expected = Fields { name, height: row.height, old_name, depth: row.depth };
            assert_eq!((read, cursor.rest), (expected, &b""[..]));
            for end in 0..bytes.len() {
                let mut cursor = Cursor { rest: &bytes[..end] };
                assert_eq!(Fields::read(flags, &mut cursor), None, "cut at {end}");
            }
        }
    }
}
