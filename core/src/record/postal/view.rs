//! Postal records read in place, borrowed from the snapshot.

use super::archive::{
    ArchivedCity, ArchivedCorporation, ArchivedPostalTables, ArchivedRecord, NO_CORPORATION,
};
use super::{ArchivedUpdateStatus, TownFlags, UpdateReason, UpdateStatus};
use crate::record::strings::{ArchivedStrId, ArchivedStringTable, Text};

#[derive(Clone, Copy)]
pub struct PostalView<'s> {
    tables: &'s ArchivedPostalTables,
    strings: &'s ArchivedStringTable,
    record: &'s ArchivedRecord,
}

#[derive(Clone, Copy)]
pub struct CityView<'s> {
    strings: &'s ArchivedStringTable,
    city: &'s ArchivedCity,
}

#[derive(Clone, Copy)]
pub struct CorporationView<'s> {
    strings: &'s ArchivedStringTable,
    corporation: &'s ArchivedCorporation,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameView<'s> {
    pub name: Text<'s>,
    pub kana: Text<'s>,
    pub roman: Text<'s>,
}

fn name<'s>(strings: &'s ArchivedStringTable, ids: &[ArchivedStrId; 3]) -> NameView<'s> {
    let [name, kana, roman] = ids.map(|id| strings.get(id));
    NameView { name, kana, roman }
}

/// Defines a method for each of these texts, or names in their three forms, by its place in the archived list.
macro_rules! getters {
    ($source:ident.texts: $($name:ident $index:literal),*) => {
        $(pub fn $name(self) -> Text<'s> {
            self.strings.get(self.$source.texts[$index])
        })*
    };
    ($source:ident.names: $($name:ident $index:literal),*) => {
        $(pub fn $name(self) -> NameView<'s> {
            name(self.strings, &self.$source.names[$index])
        })*
    };
}

impl<'s> PostalView<'s> {
    /// The record of this row; `None` past the end. The tables must have been checked against these texts.
    pub fn read(
        tables: &'s ArchivedPostalTables,
        strings: &'s ArchivedStringTable,
        row: usize,
    ) -> Option<PostalView<'s>> {
        let record = tables.records.get(row)?;
        Some(PostalView { tables, strings, record })
    }

    getters! {
        record.texts: town_raw 0, town_kana_raw 1, old_code 2, koaza 3, kyoto_street 4, building 5, floor 6
    }

    pub fn postal_code(self) -> u32 {
        self.record.postal_code.to_native()
    }

    pub fn city_number(self) -> usize {
        usize::from(self.record.city.to_native())
    }

    pub fn city(self) -> CityView<'s> {
        let city = &self.tables.cities[self.city_number()];
        CityView { strings: self.strings, city }
    }

    /// Town; empty if the record stands for a whole municipality.
    pub fn town(self) -> NameView<'s> {
        name(self.strings, &self.record.town)
    }

    pub fn flags(self) -> TownFlags {
        TownFlags::from_bits(self.record.flags)
    }

    pub fn update_status(self) -> UpdateStatus {
        match self.record.update_status {
            ArchivedUpdateStatus::Unchanged => UpdateStatus::Unchanged,
            ArchivedUpdateStatus::Changed => UpdateStatus::Changed,
            ArchivedUpdateStatus::Abolished => UpdateStatus::Abolished,
        }
    }

    pub fn update_reason(self) -> UpdateReason {
        UpdateReason::from_number(self.record.update_reason as u8).unwrap_or_default()
    }

    pub fn corporation(self) -> Option<CorporationView<'s>> {
        let number = self.record.corporation.to_native();
        if number == NO_CORPORATION {
            return None;
        }
        let corporation = &self.tables.corporations[number as usize];
        Some(CorporationView { strings: self.strings, corporation })
    }

    /// Whether the town was read from the lot of a business, which begins with it.
    pub fn town_is_in_lot(self) -> bool {
        let (town, printed) = (self.town().name.text, self.town_raw().text);
        self.corporation().is_some() && !town.is_empty() && town != printed
    }
}

impl<'s> CityView<'s> {
    /// The municipality of this number; `None` past the end.
    pub fn read(
        tables: &'s ArchivedPostalTables,
        strings: &'s ArchivedStringTable,
        number: usize,
    ) -> Option<CityView<'s>> {
        Some(CityView { strings, city: tables.cities.get(number)? })
    }

    pub fn jisx0402(self) -> u32 {
        self.city.jisx0402.to_native()
    }

    /// Whether the version lists it, see [`CityRow::listed`](super::CityRow::listed).
    pub fn is_listed(self) -> bool {
        self.city.listed
    }

    getters! {
        city.names: prefecture 0, city 1, county 2, city_without_county_and_ward 3, city_ward 4
    }
}

impl<'s> CorporationView<'s> {
    getters! { corporation.texts: name 0, name_kana 1, block_lot 2, post_office 4 }

    pub fn block_lot_num(self) -> Option<Text<'s>> {
        let number = self.strings.get(self.corporation.texts[3]);
        (!number.text.is_empty()).then_some(number)
    }

    pub fn post_office_box(self) -> bool {
        self.corporation.post_office_box
    }
}
