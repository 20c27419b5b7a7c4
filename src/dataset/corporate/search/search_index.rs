//! The sections that searches and suggestions of corporations read, open and checked, beside tables and records: the
//! orders of names and readings with their weights, and the places of corporations: the areas of the facets, and the
//! searched fields of prefecture and city.

use std::ops::Range;
use std::sync::Arc;

use crate::dataset::corporate::record::archive::ArchivedCorporateTables;
use crate::dataset::corporate::record::{CorporateView, OfficePlaceView, tag};
use crate::dataset::corporate::syntax::{POST_CODES, TextField, fold_keyword};
use crate::index::attributes::{ArchivedAttributes, AttributeReader};
use crate::index::grams::TextIndex;
use crate::index::key_order::KeyOrder;
use crate::index::loose_names::{ArchivedLooseDirectory, LooseNames, LooseOrder};
use crate::index::name_order::{ArchivedNameDirectory, NameOrder};
use crate::index::post_codes::ArchivedPostCodeIndex;
use crate::index::prominence::{ArchivedSuggestedNames, PlaceWeights};
use crate::query::areas::{Area, Areas, UNNAMED, merge_adjacent};
use crate::snapshot::{Blocks, OpenError, Section, SnapshotFile};
use crate::text::fold::{Level, folded};
use crate::text::loose_name::{english_key, loose_key, reversed, sound_key};

#[derive(Debug)]
pub struct SearchIndex {
    pub texts: [TextIndex; 5],
    pub post_codes: Section<ArchivedPostCodeIndex>,
    names: Arc<NameSections>,
    attributes: Section<ArchivedAttributes>,
    attribute_values: Blocks,
    pub places: Places,
}

impl SearchIndex {
    /// Reads and checks the sections, except the names, which are checked already.
    pub fn open(
        file: &SnapshotFile,
        tables: &ArchivedCorporateTables,
        names: Arc<NameSections>,
    ) -> Result<SearchIndex, OpenError> {
        let rows = tables.rows();
        let texts = TextField::ALL
            .map(|field| TextIndex::open(file, field.sections(), field.level(), rows));
        let [name, en_name, furigana, outside, street] = texts;
        let attribute_values = file.blocks(tag::VALUES, tag::VALUES_SUMS)?;
        let check_attributes = |it: &ArchivedAttributes| it.check(rows, attribute_values.len());
        Ok(SearchIndex {
            texts: [name?, en_name?, furigana?, outside?, street?],
            post_codes: file
                .checked_archive(POST_CODES, |it: &ArchivedPostCodeIndex| it.check(rows))?,
            attributes: file.checked_archive(tag::ATTRIBUTES, check_attributes)?,
            names,
            attribute_values,
            places: Places::new(tables.places()),
        })
    }

    pub fn name_order(&self) -> NameOrder<'_> {
        self.names.order()
    }

    /// The codes of the attributes by row, and the hidden rows.
    pub fn codes(&self) -> AttributeReader<'_> {
        AttributeReader::new(self.attributes.root(), &self.attribute_values)
    }
}

/// The area of corporations abroad, which have no prefecture.
pub const ABROAD: &str = "海外など";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceField {
    Prefecture,
    City,
}

#[derive(Debug, Default)]
pub struct Places {
    pub areas: Areas,
    /// For each area its folded prefecture and city; empty if there is none.
    folded_names: Vec<[Vec<char>; 2]>,
}

impl Places {
    /// From places in the order of their rows.
    pub fn new<'s>(places: impl Iterator<Item = (OfficePlaceView<'s>, Range<u32>)>) -> Places {
        let letters = |name: &str| folded(name, Level::Search).chars().collect();
        let (mut areas, mut folded_names) = (Vec::new(), Vec::new());
        for (view, rows) in places {
            let (prefecture, city) = (view.prefecture(), view.city());
            areas.push(match (prefecture, city) {
                ("", _) => Area { prefecture: ABROAD.to_owned(), city: None, rows },
                (prefecture, city) => {
                    let city = if city.is_empty() { UNNAMED } else { city };
                    Area { prefecture: prefecture.to_owned(), city: Some(city.to_owned()), rows }
                }
            });
            folded_names.push([letters(prefecture), letters(city)]);
        }
        Places { areas: Areas::new(areas), folded_names }
    }

    /// The rows of the places whose field contains the keyword, or equals it if it is one letter.
    pub fn find(&self, field: PlaceField, keyword: &str) -> Vec<Range<u32>> {
        // Places are compared like the addresses below them.
        let keyword = fold_keyword(keyword, TextField::StreetNumber);
        let found = self.folded_names.iter().zip(self.areas.all()).filter(|(names, _)| {
            let name = &names[field as usize];
            match keyword.len() {
                0 => false,
                1 => *name == keyword,
                length => name.windows(length).any(|part| part == keyword),
            }
        });
        merge_adjacent(found.map(|(_, area)| area.rows.clone()))
    }
}

/// The last letters of the names of prefectures and municipalities, and of counties and wards.
const PLACE_ENDS: [char; 9] = ['都', '道', '府', '県', '市', '区', '郡', '町', '村'];

impl Places {
    /// The rows of the prefecture or municipality that a keyword names in full: 鳥取県, 札幌市, 北区, 札幌市北区, 岩美町,
    /// 東京都港区.
    pub fn named(&self, keyword: &str) -> Vec<Range<u32>> {
        let keyword = fold_keyword(keyword, TextField::StreetNumber);
        let ends_like_place = keyword.last().is_some_and(|letter| PLACE_ENDS.contains(letter));
        if keyword.len() < 2 || !ends_like_place {
            return Vec::new();
        }
        let areas = self.folded_names.iter().zip(self.areas.all());
        let found = areas.filter(|([prefecture, city], _)| {
            let below = keyword.strip_prefix(prefecture.as_slice()).unwrap_or(&keyword);
            keyword == *prefecture
                || is_municipality(city, &keyword)
                || is_municipality(city, below)
        });
        merge_adjacent(found.map(|(_, area)| area.rows.clone()))
    }
}

/// Whether a text is a municipality, or its county, the town in the county, its city or the ward of the city.
fn is_municipality(city: &[char], text: &[char]) -> bool {
    !text.is_empty() && (city == text || divided(city).is_some_and(|parts| parts.contains(&text)))
}

/// A municipality divided into county and town, or city and ward.
fn divided(city: &[char]) -> Option<[&[char]; 2]> {
    let is_border = |(position, letter): (usize, &char)| {
        let last = city[position + 1..].last();
        position > 0
            && match letter {
                '郡' => matches!(last, Some('町' | '村')),
                '市' => matches!(last, Some('区')),
                _ => false,
            }
    };
    let border = city.iter().enumerate().position(is_border)?;
    Some([&city[..=border], &city[border + 1..]])
}

#[derive(Debug)]
pub struct NameSections {
    directory: Section<ArchivedNameDirectory>,
    order: Blocks,
}

impl NameSections {
    pub fn open(file: &SnapshotFile, rows: usize) -> Result<NameSections, OpenError> {
        let order = file.blocks(tag::NAME_ORDER, tag::NAME_ORDER_SUMS)?;
        let check = |it: &ArchivedNameDirectory| it.check(rows, order.len());
        let directory = file.checked_archive(tag::NAME_DIRECTORY, check)?;
        Ok(NameSections { directory, order })
    }

    pub fn order(&self) -> NameOrder<'_> {
        NameOrder::new(self.directory.root(), &self.order)
    }
}

/// What suggestions of corporations read: the order of names, which the search reads too, the order of readings, and
/// the weights of both.
#[derive(Debug)]
pub struct SuggestIndex {
    names: Arc<NameSections>,
    suggested_names: Section<ArchivedSuggestedNames>,
    weights: Blocks,
}

impl SuggestIndex {
    /// Reads and checks the sections, except the names, which are checked already.
    pub fn open(file: &SnapshotFile, names: Arc<NameSections>) -> Result<SuggestIndex, OpenError> {
        let weights = file.blocks(tag::SUGGESTED, tag::SUGGESTED_SUMS)?;
        let name_count = names.order().places;
        let check = |it: &ArchivedSuggestedNames| it.check(name_count, weights.len());
        let suggested_names = file.checked_archive(tag::SUGGESTED_DIRECTORY, check)?;
        Ok(SuggestIndex { names, suggested_names, weights })
    }

    pub fn names(&self) -> NameOrder<'_> {
        self.names.order()
    }

    pub fn name_weights(&self) -> PlaceWeights<'_> {
        self.suggested_names.root().name_weights(&self.weights)
    }

    pub fn readings(&self) -> KeyOrder<'_> {
        self.suggested_names.root().reading_order(&self.weights)
    }

    pub fn reading_weights(&self) -> PlaceWeights<'_> {
        self.suggested_names.root().reading_weights(&self.weights)
    }
}

/// The index of loose names.
#[derive(Debug)]
pub struct LooseIndex {
    directory: Section<ArchivedLooseDirectory>,
    bytes: Blocks,
}

impl LooseIndex {
    pub fn open(file: &SnapshotFile, rows: usize) -> Result<LooseIndex, OpenError> {
        let bytes = file.blocks(tag::LOOSE, tag::LOOSE_SUMS)?;
        let check = |it: &ArchivedLooseDirectory| it.check(rows, bytes.len());
        let directory = file.checked_archive(tag::LOOSE_DIRECTORY, check)?;
        Ok(LooseIndex { directory, bytes })
    }

    pub fn names(&self) -> LooseNames<'_> {
        LooseNames { directory: self.directory.root(), bytes: &self.bytes }
    }
}

/// The key of a corporation in an order of loose names; empty if it is not in the order.
pub fn loose_key_of(order: LooseOrder, view: CorporateView<'_>) -> String {
    match order {
        LooseOrder::Name => loose_key(&view.name().to_string()),
        LooseOrder::End => reversed(&loose_key(&view.name().to_string())),
        LooseOrder::English => english_key(view.en_name().text),
        LooseOrder::Sound if view.furigana().to_string().is_empty() => {
            sound_key(&view.name().to_string())
        }
        LooseOrder::Sound => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places of these names.
    fn places(names: &[(&str, &str, Range<u32>)]) -> Places {
        let area = |(prefecture, city, rows): &(&str, &str, Range<u32>)| Area {
            prefecture: (*prefecture).to_owned(),
            city: Some((*city).to_owned()),
            rows: rows.clone(),
        };
        let letters = |name: &str| name.chars().collect();
        Places {
            areas: Areas::new(names.iter().map(area).collect()),
            folded_names: names
                .iter()
                .map(|(left, right, _)| [letters(left), letters(right)])
                .collect(),
        }
    }

    #[test]
    fn keywords_find_ranges_of_rows() {
        let places = places(&[
            ("北海道", "", 0..2),
            ("北海道", "札幌市", 2..5),
            ("東京都", "港区", 5..6),
            ("東京都", "港", 6..8),
            ("東京都", "港区", 8..10),
            ("", "", 10..13),
        ]);
        let find = |field, keyword| -> Vec<(u32, u32)> {
            places.find(field, keyword).iter().map(|it| (it.start, it.end)).collect()
        };
        assert_eq!(find(PlaceField::Prefecture, "東京"), [(5, 10)]);
        assert_eq!(find(PlaceField::City, "港区"), [(5, 6), (8, 10)]);
        assert_eq!(find(PlaceField::City, "港"), [(6, 8)], "one letter is a whole name");
        for (field, keyword) in [
            (PlaceField::City, ""),
            (PlaceField::City, "海外など"),
            (PlaceField::Prefecture, "港区"),
        ] {
            assert_eq!(find(field, keyword), [], "{keyword}");
        }
    }

    #[test]
    fn a_place_is_named_by_each_of_its_whole_names() {
        let places = places(&[
            ("北海道", "札幌市北区", 0..2),
            ("北海道", "余市郡余市町", 2..3),
            ("東京都", "港区", 3..5),
            ("福島県", "郡山市", 5..6),
            ("鳥取県", "鳥取市", 6..8),
            ("鳥取県", "岩美郡岩美町", 8..9),
            ("", "", 9..10),
        ]);
        let named = |keyword| -> Vec<(u32, u32)> {
            places.named(keyword).iter().map(|it| (it.start, it.end)).collect()
        };
        assert_eq!(named("北海道"), [(0, 3)]);
        for keyword in ["札幌市", "札幌市北区", "北区", "北海道札幌市", "北海道札幌市北区"]
        {
            assert_eq!(named(keyword), [(0, 2)], "{keyword}");
        }
        for keyword in ["余市郡", "余市町", "余市郡余市町"] {
            assert_eq!(named(keyword), [(2, 3)], "{keyword}");
        }
        assert_eq!(named("東京都港区"), [(3, 5)]);
        assert_eq!(named("郡山市"), [(5, 6)]);
        assert_eq!(named("鳥取県"), [(6, 9)]);
        assert_eq!(named("鳥取市"), [(6, 8)]);
        for keyword in ["", "鳥取", "京都", "市", "取県", "山市", "区", "余市", "鳥取県銀行"]
        {
            assert_eq!(named(keyword), [], "{keyword}");
        }
    }
}
