//! Areas as ranges of rows: facets, and the rows of a facet path.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::index::row_set::RowSet;
use crate::query::postal::Checked;
use crate::query::syntax::FacetPath;
use crate::record::postal::CityView;

/// The municipalities in row order, and the prefectures over them.
#[derive(Debug, Default)]
pub struct Areas {
    places: Vec<Place>,
    /// Runs of places in one prefecture.
    prefectures: Vec<Range<usize>>,
}

/// A run of rows with one municipality.
#[derive(Debug, Clone)]
pub struct Place {
    /// Its number in the tables.
    city: usize,
    /// Its rows.
    pub rows: Range<usize>,
}

impl Areas {
    /// Takes the municipality of the next row.
    pub fn take(&mut self, row: usize, city: usize) {
        match self.places.last_mut() {
            Some(last) if last.city == city => last.rows.end = row + 1,
            _ => self.places.push(Place { city, rows: row..row + 1 }),
        }
    }

    /// Groups the places that were taken by prefecture.
    pub fn finish(&mut self, data: &Checked, rows: usize) {
        debug_assert_eq!(self.places.last().map_or(0, |last| last.rows.end), rows);
        let name = |place: &Place| data.city(place.city).map(|city| city.prefecture().name.text);
        let mut start = 0;
        for run in self.places.chunk_by(|left, right| name(left) == name(right)) {
            self.prefectures.push(start..start + run.len());
            start += run.len();
        }
    }

    /// The places in row order.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// The rows of a path; none where it does not exist.
    pub fn rows(&self, data: &Checked, path: &FacetPath, rows: usize) -> RowSet {
        match path.names() {
            [] => RowSet::full(rows),
            [prefecture] => self.set(self.of_prefecture(data, prefecture), rows),
            [prefecture, city, ..] => {
                let named = |place: &&Place| name(data, place, CityView::city) == city;
                self.set(self.of_prefecture(data, prefecture).filter(named), rows)
            }
        }
    }

    /// The children of a path with their rows in `set`, most first, then by path. Children without a
    /// row are left out.
    pub fn facets(&self, data: &Checked, path: &FacetPath, set: &RowSet) -> Vec<(String, u64)> {
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        match path.names() {
            [] => {
                for prefecture in &self.prefectures {
                    let places = &self.places[prefecture.clone()];
                    let (Some(first), Some(last)) = (places.first(), places.last()) else {
                        continue;
                    };
                    let count = set.count_range(first.rows.start..last.rows.end);
                    *counts.entry(name(data, first, CityView::prefecture)).or_default() += count;
                }
            }
            [prefecture] => {
                for place in self.of_prefecture(data, prefecture) {
                    let count = set.count_range(place.rows.clone());
                    *counts.entry(name(data, place, CityView::city)).or_default() += count;
                }
            }
            _ => {}
        }
        let mut counts: Vec<(&str, u64)> =
            counts.into_iter().filter(|(_, count)| *count > 0).collect();
        // The map is in order of the names, and UTF-8 sorts as its code points do.
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let parent = path.names().iter().fold(String::new(), |path, name| path + "/" + name);
        let named = counts.into_iter().map(|(name, count)| (format!("{parent}/{name}"), count));
        named.collect()
    }

    fn of_prefecture(&self, data: &Checked, prefecture: &str) -> impl Iterator<Item = &Place> {
        let runs = self.prefectures.iter().map(|run| &self.places[run.clone()]);
        let named = runs.filter(move |run| {
            run.first().is_some_and(|place| name(data, place, CityView::prefecture) == prefecture)
        });
        named.flatten()
    }

    fn set<'p>(&self, places: impl Iterator<Item = &'p Place>, rows: usize) -> RowSet {
        let mut set = RowSet::empty(rows);
        places.for_each(|place| set.insert_range(place.rows.clone()));
        set
    }
}

/// One of the names of a place's municipality.
fn name<'d>(
    data: &'d Checked,
    place: &Place,
    which: impl Fn(CityView<'d>) -> crate::record::postal::view::NameView<'d>,
) -> &'d str {
    data.city(place.city).map_or("", |city| which(city).name.text)
}
