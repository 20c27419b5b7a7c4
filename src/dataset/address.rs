//! The name and the address of a corporation, an invoice issuer or a school: the fourteen members of an address,
//! wherever its parts are stored, and the name, which clients may ask for in normal form.
//!
//! Rule 6 of the specification's corporate part: full-width letters and digits become half-width; a mark that looks
//! like the long-vowel mark becomes a half-width hyphen after an ASCII letter or digit and the full-width long-vowel
//! mark elsewhere. Everything else stays, including spaces and other signs.

use std::borrow::Cow;

use super::member::shape::Shape::{OrNull, Text as AnyText};
use super::member::shape::{Columns, JISX0402, POSTAL_CODE, Shape, TEXT_OR_NULL};
use super::member::{Digits, MemberValue, OrEmpty, Prepared, members, non_empty};
use crate::dataset::corporate::record::OfficePlaceView;
use crate::export::{Cells, Value};
use crate::record::parts::{AddressView, ArchivedAddressPlace, PARTS, Part};
use crate::record::{StoredText, Text};
use crate::text::codes::{ApiVersion, digits};
use crate::text::half_width::half_width_ascii;

#[derive(Clone, Copy)]
pub struct Address<'s> {
    pub postal_code: Option<u32>,
    pub place: PreparedPlace<'s>,
    pub street: StoredText<'s>,
    pub parts: Parts<'s>,
}

impl<'s> Address<'s> {
    /// The address of a record that has none, where its members are written all the same.
    pub const UNUSED: Address<'static> = Address {
        postal_code: None,
        place: Prepared { members: Place::Unused, bytes: None },
        street: StoredText::Text(Text::EMPTY),
        parts: Parts([None; PARTS]),
    };

    #[inline]
    pub fn stored(view: AddressView<'s>) -> Address<'s> {
        let place = Prepared { members: Place::Stored(view.place), bytes: None };
        let (postal_code, parts) = (view.postal_code(), Parts(view.parts()));
        Address { postal_code, place, street: StoredText::Text(view.street), parts }
    }
}

members! {
    /// An address in Japan.
    pub const ADDRESS: "Address" of it: Address<'_>;
    "postal_code": OrNull(&POSTAL_CODE) => it.postal_code.map(Digits::<7>), "Postal code", "郵便番号";
    ..PreparedPlace { it.place };
    "street_number": AnyText => it.street, "The address below the municipality, as published", "丁目番地等（公表のまま）";
    ..Parts { it.parts };
}

/// The municipality of an address, and its JSON if that is prepared.
pub type PreparedPlace<'s> = Prepared<'s, Place<'s>>;

/// The municipality of an address.
#[derive(Clone, Copy)]
pub enum Place<'s> {
    Stored(&'s ArchivedAddressPlace),
    /// Of a corporation, which has no readings; and the prefecture as the source writes it in English, else empty.
    Office(OfficePlaceView<'s>, Text<'s>),
    Unused,
}

members! {
    members of it: Place<'_>;
    "jisx0402": OrNull(&JISX0402) => it.jisx0402().map(Digits::<5>), "Code of the municipality", "市区町村コード";
    "prefecture": TEXT_OR_NULL => non_empty(it.prefecture()), "Prefecture", "都道府県";
    "prefecture_kana": TEXT_OR_NULL => it.prefecture_kana(), "Its reading; empty in corporations", "都道府県の読み。法人では空";
    "prefecture_roman": TEXT_OR_NULL => it.prefecture_roman(), "In Roman letters", "都道府県のローマ字";
    "city": TEXT_OR_NULL => it.city(), "County, city and ward in one", "市区町村（郡・区を含む）";
    "city_kana": AnyText => it.city_kana(), "Its reading; empty in corporations", "市区町村の読み。法人では空";
    "city_roman": AnyText => it.city_roman(), "In Roman letters; empty in corporations", "市区町村のローマ字。法人では空";
}

impl<'s> Place<'s> {
    pub fn jisx0402(self) -> Option<u32> {
        match self {
            Place::Stored(place) => place.jisx0402(),
            Place::Office(place, _) => place.jisx0402(),
            Place::Unused => None,
        }
    }

    pub fn prefecture(self) -> &'s str {
        match self {
            Place::Stored(place) => &place.prefecture[0],
            Place::Office(place, _) => place.prefecture(),
            Place::Unused => "",
        }
    }

    fn prefecture_kana(self) -> Option<&'s str> {
        match self {
            Place::Stored(place) => non_empty(&place.prefecture[1]),
            Place::Office(..) => Some(""),
            Place::Unused => None,
        }
    }

    pub fn prefecture_roman(self) -> Option<&'s str> {
        match self {
            Place::Stored(place) => non_empty(&place.prefecture[2]),
            Place::Office(place, given) => non_empty(given.text)
                .or_else(|| digits::prefecture_in_roman(place.prefecture_code()?)),
            Place::Unused => None,
        }
    }

    /// Empty or absent without one, as the source of the record has it.
    pub fn city(self) -> Option<&'s str> {
        match self {
            Place::Stored(place) => Some(&place.city[0]),
            Place::Office(place, _) => non_empty(place.city()),
            Place::Unused => Some(""),
        }
    }

    fn city_kana(self) -> &'s str {
        match self {
            Place::Stored(place) => &place.city[1],
            Place::Office(..) | Place::Unused => "",
        }
    }

    fn city_roman(self) -> &'s str {
        match self {
            Place::Stored(place) => &place.city[2],
            Place::Office(..) | Place::Unused => "",
        }
    }
}

/// What an address has below the municipality, in the order of [`PARTS`].
#[derive(Clone, Copy)]
pub struct Parts<'s>(pub [Option<Part<'s>>; PARTS]);

members! {
    members of it: Parts<'_>;
    "town": TEXT_OR_NULL => it.0[0], "Town area", "町域";
    "kyoto_street": TEXT_OR_NULL => it.0[1], "Kyoto street name", "京都の通り名";
    "block_lot_num": TEXT_OR_NULL => it.0[2], "Chome, block and lot, as 3-12-14", "丁目・番地・号（例: 3-12-14）";
    "building": TEXT_OR_NULL => it.0[3], "Building", "建物名";
    "floor_room": TEXT_OR_NULL => it.0[4], "Floor and room", "階・部屋番号";
}

/// An address whose members are all texts: empty where others have null, since a client of schools refuses null.
pub struct TextAddress<'s>(pub Address<'s>);

members! {
    /// An address in Japan, in texts.
    pub const TEXT_ADDRESS: "TextAddress" of it: TextAddress<'_>;
    "postal_code": AnyText => OrEmpty(it.0.postal_code.map(Digits::<7>)), "Postal code, or empty", "郵便番号。なければ空", columns Columns::NULLABLE;
    "jisx0402": AnyText => OrEmpty(it.0.place.members.jisx0402().map(Digits::<5>)), "Code of the municipality, or empty", "市区町村コード。なければ空", columns Columns::NULLABLE;
    "prefecture": AnyText => OrEmpty(non_empty(it.0.place.members.prefecture())), "Prefecture", "都道府県", columns Columns::NULLABLE;
    "prefecture_kana": AnyText => OrEmpty(it.0.place.members.prefecture_kana()), "Its reading", "都道府県の読み", columns Columns::NULLABLE;
    "prefecture_roman": AnyText => OrEmpty(it.0.place.members.prefecture_roman()), "In Roman letters", "都道府県のローマ字", columns Columns::NULLABLE;
    "city": AnyText => OrEmpty(it.0.place.members.city()), "County, city and ward in one", "市区町村（郡・区を含む）", columns Columns::NULLABLE;
    "city_kana": AnyText => it.0.place.members.city_kana(), "Its reading", "市区町村の読み";
    "city_roman": AnyText => it.0.place.members.city_roman(), "In Roman letters", "市区町村のローマ字";
    "street_number": AnyText => it.0.street, "The address below the municipality, with half-width letters and digits", "丁目番地等（英数字は半角）";
    "town": AnyText => OrEmpty(it.0.parts.0[0]), "Town area", "町域", columns Columns::NULLABLE;
    "kyoto_street": AnyText => OrEmpty(it.0.parts.0[1]), "Kyoto street name", "京都の通り名", columns Columns::NULLABLE;
    "block_lot_num": AnyText => OrEmpty(it.0.parts.0[2]), "Chome, block and lot, as 3-12-14", "丁目・番地・号（例: 3-12-14）", columns Columns::NULLABLE;
    "building": AnyText => OrEmpty(it.0.parts.0[3]), "Building", "建物名", columns Columns::NULLABLE;
    "floor_room": AnyText => OrEmpty(it.0.parts.0[4]), "Floor and room", "階・部屋番号", columns Columns::NULLABLE;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Naming {
    #[default]
    Published,
    /// With half-width letters and digits and one long-vowel mark, see [`normalised`].
    Normalised,
}

pub struct Name<'s> {
    pub published: StoredText<'s>,
    pub naming: Naming,
}

impl MemberValue for Name<'_> {
    const SHAPE: Shape = Shape::Text;

    #[inline]
    fn write(self, out: &mut Vec<u8>, api: ApiVersion) {
        match self.naming {
            Naming::Published => self.published.write(out, api),
            Naming::Normalised => normalised(&self.published.to_text()).write(out, api),
        }
    }

    fn fill(self, cells: &mut Cells<'_>) {
        match self.naming {
            Naming::Published => self.published.fill(cells),
            Naming::Normalised => cells.put(Value::Text(&normalised(&self.published.to_text()))),
        }
    }
}

/// Long-vowel marks, hyphens, dashes, minus signs, box-drawing lines and wave dashes, in every width.
const LONG_MARKS: [char; 18] = [
    'ー', 'ｰ', '-', '－', '‐', '‑', '‒', '–', '—', '―', '−', '─', '━', '﹣', '~', '～', '〜', '﹘',
];

pub fn normalised(name: &str) -> Cow<'_, str> {
    if !name.chars().any(|letter| half_width(letter) != letter || LONG_MARKS.contains(&letter)) {
        return Cow::Borrowed(name);
    }
    let mut out = String::with_capacity(name.len());
    let mut is_after_alphanumeric = false;
    for letter in name.chars() {
        let letter = match (LONG_MARKS.contains(&letter), is_after_alphanumeric) {
            (true, true) => '-',
            (true, false) => 'ー',
            (false, _) => half_width(letter),
        };
        is_after_alphanumeric = letter.is_ascii_alphanumeric();
        out.push(letter);
    }
    Cow::Owned(out)
}

/// A full-width letter or digit in half width; anything else as it is.
fn half_width(letter: char) -> char {
    let half = half_width_ascii(letter);
    if half.is_ascii_alphanumeric() { half } else { letter }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_digits_and_long_vowels_become_uniform() {
        #[track_caller]
        fn check(name: &str, expected: &str) {
            assert_eq!(normalised(name), expected, "{name}");
            assert_eq!(normalised(expected), expected, "already uniform: {name}");
        }
        check("", "");
        check("株式会社見本", "株式会社見本");
        check("ＡＢＣ１２３ｘｙｚ", "ABC123xyz");
        check("ＮＴＴ－ＡＴ株式会社", "NTT-AT株式会社");
        check("ラ－メン", "ラーメン");
        check("ラーメン", "ラーメン");
        check("Ａー１", "A-1");
        check("１－２‐３", "1-2-3");
        check("らぁ～めん", "らぁーめん");
        check("－Ａ", "ーA");
        check("Ａ－－Ｂ", "A-ーB");
        check("ｱｰﾄ", "ｱーﾄ");
        check("Ａ＆Ｂ　Ｃ．", "A＆B　C．");
        for mark in LONG_MARKS {
            check(&format!("ビ{mark}ル Z{mark}"), "ビール Z-");
        }
    }
}
