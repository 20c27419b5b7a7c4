//! Areas of corporations as ranges of rows: facets, filters, and the fields of prefecture and city.

use std::cmp::Reverse;
use std::ops::Range;

use crate::index::corporate_texts::{TextField, of_keyword};
use crate::query::syntax::FacetPath;
use crate::record::corporate::PlaceView;
use crate::text::fold::{Level, folded};

/// The facet of corporations without a prefecture.
pub const ABROAD: &str = "海外など";

/// The facet below a prefecture of corporations without a city.
const NO_CITY: &str = "その他";

/// The places in the order of rows, and the prefectures over them.
#[derive(Debug, Default)]
pub struct Areas {
    places: Vec<Place>,
    /// Runs of places with one prefecture.
    prefectures: Vec<Range<usize>>,
}

/// A prefecture and city with their rows.
#[derive(Debug)]
struct Place {
    /// As facets name it.
    prefecture: String,
    city: String,
    /// As keywords are compared with it; nothing where there is none.
    folded: [Vec<char>; 2],
    rows: Range<u32>,
}

/// A field of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceField {
    /// Prefecture.
    Prefecture,
    /// County, city and ward in one.
    City,
}

impl Areas {
    /// The areas of these places, which lie in the order of their rows.
    pub fn of<'s>(places: impl Iterator<Item = (PlaceView<'s>, Range<u32>)>) -> Areas {
        let named = |name: &str, without: &str| match name {
            "" => without.to_owned(),
            name => name.to_owned(),
        };
        let letters = |name: &str| folded(name, Level::Search).chars().collect();
        let place = |(view, rows): (PlaceView<'_>, Range<u32>)| Place {
            prefecture: named(view.prefecture(), ABROAD),
            city: named(view.city(), NO_CITY),
            folded: [letters(view.prefecture()), letters(view.city())],
            rows,
        };
        let places: Vec<Place> = places.map(place).collect();
        let mut areas = Areas { places, prefectures: Vec::new() };
        let mut start = 0;
        for run in areas.places.chunk_by(|left, right| left.prefecture == right.prefecture) {
            areas.prefectures.push(start..start + run.len());
            start += run.len();
        }
        areas
    }

    /// The rows of a path; none where it does not exist.
    pub fn rows(&self, path: &FacetPath) -> Vec<Range<u32>> {
        let found = self.places.iter().filter(|place| match path.names() {
            [] => true,
            [prefecture] => place.prefecture == *prefecture,
            [prefecture, city, ..] => {
                place.prefecture == *prefecture && place.city == *city && !place.is_abroad()
            }
        });
        joined(found.map(|place| place.rows.clone()))
    }

    /// The rows of the places of which the field contains the keyword, or equals it where it is one
    /// letter.
    pub fn find(&self, field: PlaceField, keyword: &str) -> Vec<Range<u32>> {
        // Places are compared as the addresses below them are.
        let keyword = of_keyword(keyword, TextField::StreetNumber);
        let found = self.places.iter().filter(|place| {
            let name = &place.folded[field as usize];
            match keyword.len() {
                0 => false,
                1 => *name == keyword,
                length => name.windows(length).any(|part| part == keyword),
            }
        });
        joined(found.map(|place| place.rows.clone()))
    }

    /// The rows of the children of a path, ascending, each with the child's name; several runs may
    /// have one name.
    fn children(&self, path: &FacetPath) -> Vec<(&str, Range<u32>)> {
        match path.names() {
            [] => {
                let runs = self.prefectures.iter().filter_map(|run| self.places.get(run.clone()));
                let whole = runs.filter_map(|run| {
                    let (first, last) = (run.first()?, run.last()?);
                    Some((first.prefecture.as_str(), first.rows.start..last.rows.end))
                });
                whole.collect()
            }
            [prefecture] => {
                let below = |place: &&Place| place.prefecture == *prefecture && !place.is_abroad();
                let found = self.places.iter().filter(below);
                found.map(|place| (place.city.as_str(), place.rows.clone())).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The children of a path with their counts, most first, then by path; those without a row are
    /// left out. `count` counts the rows of ascending ranges.
    pub fn facets(
        &self,
        path: &FacetPath,
        count: impl FnOnce(&[Range<u32>]) -> Vec<u64>,
    ) -> Vec<(String, u64)> {
        let children = self.children(path);
        let ranges: Vec<Range<u32>> = children.iter().map(|(_, rows)| rows.clone()).collect();
        let names = children.iter().map(|(name, _)| *name);
        let mut counts: Vec<(&str, u64)> = names.zip(count(&ranges)).collect();
        // UTF-8 sorts as its code points do.
        counts.sort_unstable_by_key(|(name, _)| *name);
        counts.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        let parent = path.names().iter().fold(String::new(), |path, name| path + "/" + name);
        let paths = counts.into_iter().map(|(name, count)| ([&parent, "/", name].concat(), count));
        most_first(paths.collect())
    }
}

impl Place {
    fn is_abroad(&self) -> bool {
        self.folded[PlaceField::Prefecture as usize].is_empty()
    }
}

/// Counts that are not none, most first, then by path.
pub fn most_first(mut counts: Vec<(String, u64)>) -> Vec<(String, u64)> {
    counts.retain(|(_, count)| *count > 0);
    counts.sort_unstable_by(|left, right| {
        (Reverse(left.1), &left.0).cmp(&(Reverse(right.1), &right.0))
    });
    counts
}

/// Ascending ranges, those that meet as one.
fn joined(ranges: impl Iterator<Item = Range<u32>>) -> Vec<Range<u32>> {
    let mut out: Vec<Range<u32>> = Vec::new();
    for range in ranges {
        match out.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => out.push(range),
        }
    }
    out
}
