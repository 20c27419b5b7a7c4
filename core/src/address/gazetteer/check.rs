//! Checks the references of a gazetteer once, so that no look-up can panic because of them.

use rkyv::rend::u32_le;

use super::ArchivedGazetteer;

/// An error is what was expected of a section.
pub(in crate::address) type Checked = Result<(), &'static str>;

pub(in crate::address) fn expect(is_sound: bool, expected: &'static str) -> Checked {
    if is_sound { Ok(()) } else { Err(expected) }
}

/// Whether these starts of adjacent ranges ascend, up to the end of the last range.
pub(in crate::address) fn are_starts(
    starts: impl DoubleEndedIterator<Item = u32_le> + Clone,
    end: usize,
) -> bool {
    starts.clone().is_sorted() && starts.last().is_some_and(|last| last.to_native() as usize == end)
}

impl ArchivedGazetteer {
    /// Checks every reference, for tables of this many municipalities and rows.
    pub fn check(&self, cities: usize, rows: usize) -> Checked {
        self.check_lengths(cities)?;
        self.check_municipalities(cities)?;
        self.check_towns()?;
        self.check_rows(rows)?;
        self.check_details(rows)
    }

    fn check_lengths(&self, cities: usize) -> Checked {
        let keys = [&self.prefectures, &self.areas, &self.former, &self.towns, &self.aliases];
        let mut keys = keys.into_iter().chain([&self.detail_names]);
        expect(keys.all(|keys| keys.check()), "names that lie in their units")?;
        let of_names = self.prefecture_of.len() == self.prefectures.count()
            && self.area_of.len() == self.areas.count()
            && self.former_of.len() == self.former.count()
            && self.alias_of.len() == self.aliases.count()
            && self.alias_since.len() == self.aliases.count()
            && self.details.len() == self.detail_names.count()
            && self.with_chome.len() == self.towns.count()
            && self.town_rows.len() == self.towns.count() + 1;
        let of_cities = self.cities.len() == cities + 1;
        expect(of_names && of_cities, "something for every name and every municipality")
    }

    fn check_municipalities(&self, cities: usize) -> Checked {
        let named = self.prefecture_of.iter().map(|name| name.city.to_native());
        let named = named.chain(self.area_of.iter().map(|name| name.city.to_native()));
        let mut named = named.chain(self.former_of.iter().map(|name| name.city.to_native()));
        let are_known = named.all(|city| usize::from(city) < cities);
        expect(are_known, "names of municipalities of the tables")?;
        let in_name = |(name, length): (usize, u8)| usize::from(length) <= self.former.length(name);
        let mut counties = self.former_of.iter().map(|former| former.county_length).enumerate();
        expect(counties.all(in_name), "counties at the beginning of former names")
    }

    fn check_towns(&self) -> Checked {
        let first_towns = self.cities.iter().map(|city| city.first_town);
        expect(are_starts(first_towns, self.towns.count()), "towns grouped by municipality")?;
        let first_aliases = self.cities.iter().map(|city| city.first_alias);
        let are_grouped = are_starts(first_aliases, self.aliases.count());
        let to_towns = self.alias_of.iter().all(|town| self.has_town(town.to_native()));
        expect(are_grouped && to_towns, "other names of towns grouped by municipality")
    }

    fn check_rows(&self, rows: usize) -> Checked {
        let of_cities = self.cities.iter().all(|city| {
            let (first, end) = (city.first_row.to_native(), city.end_row.to_native());
            first <= end && end as usize <= rows
        });
        let of_towns = self.rows.iter().all(|row| (row.to_native() as usize) < rows);
        expect(of_cities && of_towns, "rows of the tables")?;
        let are_grouped = are_starts(self.town_rows.iter().copied(), self.rows.len());
        expect(are_grouped, "rows grouped by town")?;
        expect(self.lots.is_sorted_by_key(|lot| lot.row), "lots grouped by row")
    }

    fn check_details(&self, rows: usize) -> Checked {
        let in_tables = self.details.iter().all(|detail| {
            self.has_town(detail.town.to_native()) && (detail.row.to_native() as usize) < rows
        });
        expect(in_tables, "details of towns and rows of the tables")?;
        let are_grouped = self.details.is_sorted_by_key(|detail| (detail.town, detail.kind));
        expect(are_grouped, "details grouped by town and kind")
    }

    fn has_town(&self, town: u32) -> bool {
        (town as usize) < self.towns.count()
    }
}
