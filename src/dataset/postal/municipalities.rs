//! Splits the text of an address, given its two codes, into its municipality and the rest, and the rest into its
//! parts.
//!
//! Names, readings and Roman letters come from a postal snapshot. Prefecture and municipality as written and the rest
//! together are the text, so it can be split again by another postal snapshot. Without a postal snapshot only the
//! prefecture is split off. The parts come from the normaliser over a postal snapshot.

use std::collections::HashMap;

use crate::address::{Address, AddressScratch, Component, SpanKind};
use crate::compile::Result;
use crate::dataset::postal::PostalData;
use crate::record::parts::{AddressPlace, Parts};
use crate::record::postal::view::NameView;
use crate::snapshot::Dataset;
use crate::text::codes::digits;
use crate::text::fold::{Folded, Level, fold};

/// A name in kanji, in katakana and in Roman letters.
type Names = [String; 3];

/// The names of all municipalities and prefectures; empty without postal data.
#[derive(Debug, Default)]
pub struct Municipalities {
    /// By JIS X 0402 code, five digits.
    cities: HashMap<u32, Names>,
    /// By JIS X 0401 code.
    prefectures: HashMap<u32, Names>,
}

/// An address in three parts that concatenate to its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SplitAddress<'a> {
    /// JIS X 0401 and 0402, five digits. The digits of a code that the source lacks are 0.
    pub code: u32,
    pub prefecture: &'a str,
    pub city: &'a str,
    pub street: &'a str,
}

impl Municipalities {
    pub fn from_postal(postal: Option<&PostalData>) -> Result<Municipalities> {
        let mut known = Municipalities::default();
        let Some(postal) = postal else { return Ok(known) };
        for city in postal.all_cities()? {
            let names = |view: NameView<'_>| {
                [view.name, view.kana, view.roman].map(|name| name.text.to_owned())
            };
            known.cities.insert(city.jisx0402(), names(city.city()));
            let prefecture = city.jisx0402() / 1_000;
            known.prefectures.entry(prefecture).or_insert_with(|| names(city.prefecture()));
        }
        Ok(known)
    }

    /// Prefecture and municipality of a code; empty if the code is unknown.
    pub fn names(&self, code: u32) -> [&str; 2] {
        [self.prefectures.get(&(code / 1_000)), self.cities.get(&code)]
            .map(|names| names.map_or("", |[name, ..]| name.as_str()))
    }

    pub fn split<'a>(&self, text: &'a str, code: u32) -> SplitAddress<'a> {
        let prefecture = match self.prefectures.get(&(code / 1_000)) {
            Some([name, ..]) if text.starts_with(name.as_str()) => name.len(),
            None if code / 1_000 != 0 => end_of_prefecture(text),
            _ => 0,
        };
        let (prefecture, rest) = text.split_at(prefecture);
        let city = match self.cities.get(&code) {
            Some([name, ..]) if !prefecture.is_empty() => end_of_name(rest, name),
            _ => 0,
        };
        let (city, street) = rest.split_at(city);
        SplitAddress { code, prefecture, city, street }
    }

    /// The municipality of an address, named as in the address.
    pub fn place(&self, split: &SplitAddress<'_>) -> AddressPlace {
        let named = |written: &str, known: Option<&Names>| match (written, known) {
            ("", _) => Names::default(),
            (written, Some([_, kana, roman])) => [written, kana, roman].map(str::to_owned),
            (written, None) => [written.to_owned(), String::new(), String::new()],
        };
        let mut prefecture = named(split.prefecture, self.prefectures.get(&(split.code / 1_000)));
        if prefecture[2].is_empty() && !split.prefecture.is_empty() {
            let roman = u8::try_from(split.code / 1_000).ok().and_then(digits::prefecture_in_roman);
            prefecture[2] = roman.unwrap_or_default().to_owned();
        }
        let city = named(split.city, self.cities.get(&split.code));
        AddressPlace { code: split.code, prefecture, city }
    }
}

/// The end of the name of a prefecture, which has three or four characters; 0 if there is none.
fn end_of_prefecture(text: &str) -> usize {
    let last = text.char_indices().skip(2).take(2);
    let mut last = last.filter(|(_, character)| ['都', '道', '府', '県'].contains(character));
    last.next().map_or(0, |(start, character)| start + character.len_utf8())
}

/// The end of a name at the beginning of a text, whatever forms its letters have; 0 if the text does not begin with
/// it.
fn end_of_name(text: &str, name: &str) -> usize {
    if text.starts_with(name) {
        return name.len();
    }
    let folded = |text: &str| {
        let mut folded: Vec<Folded> = Vec::new();
        fold(text, Level::Address, &mut folded);
        folded
    };
    let wanted = folded(name);
    // A written form of a name is hardly ever longer than twice the name.
    let beginning = text.char_indices().nth(2 * wanted.len()).map_or(text, |(end, _)| &text[..end]);
    let found = folded(beginning);
    let is_prefix = found.len() >= wanted.len()
        && found.iter().zip(&wanted).all(|(found, wanted)| found.character == wanted.character);
    let last = wanted.len().checked_sub(1).filter(|_| is_prefix);
    last.map_or(0, |last| found[last].end as usize)
}

const COMPONENTS: [Component; 5] = [
    Component::Town,
    Component::KyotoStreet,
    Component::BlockLotNum,
    Component::Building,
    Component::FloorRoom,
];

pub struct Normaliser<'a> {
    postal: &'a PostalData,
    /// The text of the last address.
    text: String,
    scratch: AddressScratch,
    address: Address,
    rows: Vec<u32>,
    /// The town of the last address with the name after it that the postal data lack; empty if it has no such name.
    town: String,
    /// Floor and room of the last address, in half-width letters; empty if it has none.
    floor_room: String,
    letters: Vec<Folded>,
}

/// Version and fingerprint of the postal snapshot by which addresses are normalised; 0 for none.
pub fn version_and_fingerprint(postal: Option<&PostalData>) -> (u32, u32) {
    postal.map(Dataset::file).map_or((0, 0), |file| (file.version().number(), file.fingerprint()))
}

impl<'a> Normaliser<'a> {
    pub fn new(postal: &'a PostalData) -> Normaliser<'a> {
        Normaliser {
            postal,
            text: String::new(),
            scratch: AddressScratch::default(),
            address: Address::default(),
            rows: Vec::new(),
            town: String::new(),
            floor_room: String::new(),
            letters: Vec::new(),
        }
    }

    /// Normalises an address, of which `place` is the prefecture and the city and `street` the rest, and returns its
    /// parts. Floor and room are in half-width letters (docs/rules.md#corporations).
    pub fn normalise(&mut self, place: &str, street: &str) -> Result<Parts<'_>> {
        self.text.clear();
        self.text.push_str(place);
        self.text.push_str(street);
        self.postal.normalize(&self.text, &mut self.scratch, &mut self.address)?;
        self.letters.clear();
        let floor_room = self.address.get(Component::FloorRoom).unwrap_or_default();
        fold(floor_room, Level::Width, &mut self.letters);
        self.town.clear();
        if let Some(name) = self.address.unknown_name() {
            self.town.push_str(self.address.get(Component::Town).unwrap_or_default());
            self.town.push_str(name);
        }
        self.floor_room.clear();
        self.floor_room.extend(self.letters.iter().map(|letter| letter.character));
        Ok(self.parts())
    }

    /// The parts of the last normalised address.
    pub fn parts(&self) -> Parts<'_> {
        let mut values = COMPONENTS.map(|component| self.address.get(component));
        if let [Some(town), ..] = &mut values
            && !self.town.is_empty()
        {
            *town = &self.town;
        }
        if let [.., Some(floor_room)] = &mut values {
            *floor_room = &self.floor_room;
        }
        Parts { values }
    }

    /// The municipality of the last normalised address, and the byte at which it ends in the text; `None` if the
    /// text is ambiguous.
    pub fn municipality(&mut self) -> Result<Option<(u32, usize)>> {
        let is_area = |kind| {
            use Component::{City, CityWard, County, Prefecture};
            [Prefecture, County, City, CityWard].map(SpanKind::Part).contains(&kind)
        };
        let end = self.address.spans().iter().rfind(|span| is_area(span.kind)).map(|span| span.end);
        let Some(end) = end else { return Ok(None) };
        self.postal.address_rows(&self.address, &mut self.scratch, &mut self.rows)?;
        let mut cities = self.postal.rows(&self.rows)?.map(|row| row.city().jisx0402());
        let first = cities.next();
        let only = first.filter(|first| cities.all(|other| other == *first));
        Ok(only.map(|code| (code, end as usize)))
    }

    /// The postal code of the last normalised address.
    pub fn postal_code(&mut self) -> Result<Option<u32>> {
        Ok(self.postal.postal_code(&self.address, &mut self.scratch, &mut self.rows)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Municipalities {
        let names = |names: [&str; 3]| names.map(str::to_owned);
        Municipalities {
            cities: HashMap::from([
                (8_208, names(["龍ケ崎市", "リュウガサキシ", "Ryugasaki"])),
                (13_103, names(["港区", "ミナトク", "Minato-ku"])),
            ]),
            prefectures: HashMap::from([
                (8, names(["茨城県", "イバラキケン", "Ibaraki"])),
                (13, names(["東京都", "トウキョウト", "Tokyo"])),
            ]),
        }
    }

    #[test]
    fn an_address_is_split_after_its_municipality() {
        #[track_caller]
        fn check(known: &Municipalities, text: &str, code: u32, expected: [&str; 3]) {
            let split = known.split(text, code);
            assert_eq!([split.prefecture, split.city, split.street], expected);
            assert_eq!(expected.concat(), text, "nothing is lost");
        }
        let known = known();
        check(&known, "東京都港区六本木１", 13_103, ["東京都", "港区", "六本木１"]);
        check(&known, "茨城県龍ケ崎市１", 8_208, ["茨城県", "龍ケ崎市", "１"]);
        check(&known, "茨城県竜ヶ崎市１", 8_208, ["茨城県", "竜ヶ崎市", "１"]);
        check(&known, "東京都旧村１", 13_000, ["東京都", "", "旧村１"]);
        check(&known, "東京都旧村１", 13_999, ["東京都", "", "旧村１"]);
        check(&known, "東京都千代田区１", 13_103, ["東京都", "", "千代田区１"]);
        check(&known, "港区六本木１", 13_103, ["", "", "港区六本木１"]);
        check(&known, "英国ロンドン", 0, ["", "", "英国ロンドン"]);
        check(&known, "", 13_103, ["", "", ""]);
        let none = Municipalities::default();
        check(&none, "神奈川県横浜市", 14_100, ["神奈川県", "", "横浜市"]);
        check(&none, "京都府京都市", 26_100, ["京都府", "", "京都市"]);
        check(&none, "横浜市西区", 14_100, ["", "", "横浜市西区"]);
        check(&none, "東京都", 13_103, ["東京都", "", ""]);
        check(&none, "東京都港区", 0, ["", "", "東京都港区"]);
    }

    #[test]
    fn a_place_has_names_as_written_and_known_readings() {
        let known = known();
        let place = known.place(&known.split("茨城県竜ヶ崎市１", 8_208));
        assert_eq!(place.code, 8_208);
        assert_eq!(place.prefecture, ["茨城県", "イバラキケン", "Ibaraki"]);
        assert_eq!(place.city, ["竜ヶ崎市", "リュウガサキシ", "Ryugasaki"]);
        let none = Municipalities::default();
        let place = none.place(&none.split("茨城県竜ヶ崎市１", 8_208));
        assert_eq!(place.prefecture, ["茨城県", "", "Ibaraki"]);
        assert_eq!((place.code, place.city), (8_208, Names::default()));
        assert_eq!(none.place(&none.split("英国", 0)), AddressPlace::default());
    }
}
