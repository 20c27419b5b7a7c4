//! Checks the references of a gazetteer once, so that no look-up can panic because of them.

use super::ArchivedGazetteer;

impl ArchivedGazetteer {
    /// Checks every reference, for tables of this many municipalities and rows. An error is what was expected.
    pub fn check(&self, cities: usize, rows: usize) -> Result<(), &'static str> {
        self.check_lengths(cities)?;
        self.check_municipalities(cities)?;
        self.check_towns()?;
        self.check_rows(rows)?;
        self.check_details(rows)
    }

    fn check_lengths(&self, cities: usize) -> Result<(), &'static str> {
        let keys = [&self.prefectures, &self.areas, &self.former, &self.towns, &self.aliases];
        let keys = keys.into_iter().chain([&self.detail_names]);
        if !keys.into_iter().all(|keys| keys.check()) {
            return Err("names that lie in their units");
        }
        let of_names = self.prefecture_of.len() == self.prefectures.count()
            && self.area_of.len() == self.areas.count()
            && self.former_of.len() == self.former.count()
            && self.alias_of.len() == self.aliases.count()
            && self.alias_since.len() == self.aliases.count()
            && self.details.len() == self.detail_names.count()
            && self.with_chome.len() == self.towns.count()
            && self.town_rows.len() == self.towns.count() + 1;
        if !of_names || self.cities.len() != cities + 1 {
            return Err("something for every name and every municipality");
        }
        Ok(())
    }

    fn check_municipalities(&self, cities: usize) -> Result<(), &'static str> {
        let named = self.prefecture_of.iter().map(|name| name.city.to_native());
        let named = named.chain(self.area_of.iter().map(|name| name.city.to_native()));
        let mut named = named.chain(self.former_of.iter().map(|name| name.city.to_native()));
        if !named.all(|city| usize::from(city) < cities) {
            return Err("names of municipalities of the tables");
        }
        let in_name = |(name, length): (usize, u8)| usize::from(length) <= self.former.length(name);
        let counties = self.former_of.iter().map(|former| former.county_length);
        if !counties.enumerate().all(in_name) {
            return Err("counties at the beginning of former names");
        }
        Ok(())
    }

    fn check_towns(&self) -> Result<(), &'static str> {
        let ascending = self.cities.windows(2).all(|pair| pair[0].first_town <= pair[1].first_town);
        let last = self.cities.last().map(|end| end.first_town.to_native() as usize);
        if !ascending || last != Some(self.towns.count()) {
            return Err("towns grouped by municipality");
        }
        let ascending =
            self.cities.windows(2).all(|pair| pair[0].first_alias <= pair[1].first_alias);
        let last = self.cities.last().map(|end| end.first_alias.to_native() as usize);
        let to_towns = self.alias_of.iter().all(|town| self.has_town(town.to_native()));
        if !ascending || last != Some(self.aliases.count()) || !to_towns {
            return Err("other names of towns grouped by municipality");
        }
        Ok(())
    }

    fn check_rows(&self, rows: usize) -> Result<(), &'static str> {
        let of_cities = self.cities.iter().all(|city| {
            let (first, end) = (city.first_row.to_native(), city.end_row.to_native());
            first <= end && end as usize <= rows
        });
        if !of_cities || !self.rows.iter().all(|row| (row.to_native() as usize) < rows) {
            return Err("rows of the tables");
        }
        let ascending = self.town_rows.windows(2).all(|pair| pair[0] <= pair[1]);
        let last = self.town_rows.last().map(|end| end.to_native() as usize);
        if !ascending || last != Some(self.rows.len()) {
            return Err("rows grouped by town");
        }
        if !self.lots.windows(2).all(|pair| pair[0].row <= pair[1].row) {
            return Err("lots grouped by row");
        }
        Ok(())
    }

    fn check_details(&self, rows: usize) -> Result<(), &'static str> {
        let in_tables = self.details.iter().all(|detail| {
            self.has_town(detail.town.to_native()) && (detail.row.to_native() as usize) < rows
        });
        if !in_tables {
            return Err("details of towns and rows of the tables");
        }
        let ascending = self
            .details
            .windows(2)
            .all(|pair| (pair[0].town, pair[0].kind) <= (pair[1].town, pair[1].kind));
        if !ascending {
            return Err("details grouped by town and kind");
        }
        Ok(())
    }

    fn has_town(&self, town: u32) -> bool {
        (town as usize) < self.towns.count()
    }
}
