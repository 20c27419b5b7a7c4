//! Areas as ranges of rows: facets, and the rows of a facet path.

use std::ops::Range;

use crate::index::row_set::RowSet;
use crate::query::postal::Checked;
use crate::query::syntax::FacetPath;
use crate::record::postal::CityView;
use crate::record::postal::view::NameView;

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
    pub fn facets<'d>(
        &self,
        data: &'d Checked,
        path: &FacetPath,
        set: &RowSet,
    ) -> Vec<(String, u64)> {
        let mut counts: Vec<(&str, u64)> = Vec::new();
        let mut take =
            |place: &Place, rows: Range<usize>, which: fn(CityView<'d>) -> NameView<'d>| {
                let count = set.count_range(rows);
                if count > 0 {
                    counts.push((name(data, place, which), count));
                }
            };
        match path.names() {
            [] => {
                for prefecture in &self.prefectures {
                    if let [first, ..] = &self.places[prefecture.clone()] {
                        let end = self.places[prefecture.end - 1].rows.end;
                        take(first, first.rows.start..end, CityView::prefecture);
                    }
                }
            }
            [prefecture] => self
                .of_prefecture(data, prefecture)
                .for_each(|place| take(place, place.rows.clone(), CityView::city)),
            _ => {}
        }
        // A name may stand for several runs of rows. UTF-8 sorts as its code points do.
        counts.sort_unstable_by_key(|(name, _)| *name);
        counts.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let parent = path.names().iter().fold(String::new(), |path, name| path + "/" + name);
        counts.into_iter().map(|(name, count)| ([&parent, "/", name].concat(), count)).collect()
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
fn name<'d>(data: &'d Checked, place: &Place, which: fn(CityView<'d>) -> NameView<'d>) -> &'d str {
    data.city(place.city).map_or("", |city| which(city).name.text)
}
