//! The records of an address, the most precise first.
//!
//! Contract section 8, read as a postal clerk would: a building's own code goes before everything
//! when the text names the building; a large business's own code goes first only when the text names
//! the business, since others receive mail at the same lot; then koaza, chome, 地割, street or the
//! lots that a divided town is divided by; then the town's own row; then a business at the very lot;
//! then the others as the source has them.

use super::detail::{building_key, floor_number, position};
use super::gazetteer::{ArchivedGazetteer, Kind, NO_NUMBER, lots};
use super::kyoto;
use super::normalize::Reference;
use super::units::{key, unit};
use super::walk::{Style, walk};
use super::{Address, Component, Place};
use crate::record::postal::{CorporationView, PostalView};

/// How precisely an address names a row; the smaller, the earlier it comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Floor,
    Building,
    /// A business by its building and floor.
    Tenant,
    /// A business by its name.
    Business,
    Part,
    /// The lots that a divided town is divided by.
    Lots,
    Town,
    /// Its row says that it is for something else, but nothing better is there.
    PartOfTown,
    BusinessAtLot,
    Other,
}

/// Writes the rows of an address into `rows`.
pub fn rows(reference: Reference<'_>, address: &Address, rows: &mut Vec<u32>) {
    rows.clear();
    let gazetteer = reference.gazetteer;
    match address.place {
        Place::Nowhere => {
            // A text of nothing but a code names what the code is for.
            let code = address.postal_code.filter(|_| address.is_code_alone());
            rows.extend(code.into_iter().flat_map(|code| reference.codes.find(code.number())));
        }
        Place::Prefecture(prefecture) => {
            let cities = gazetteer.cities.iter();
            let inside = cities.filter(|city| u32::from(city.prefecture) == prefecture);
            rows.extend(
                inside.flat_map(|city| city.first_row.to_native()..city.end_row.to_native()),
            );
            rows.sort_unstable();
        }
        Place::City(city) => city_rows(reference, address, city, rows),
        Place::Cities => {
            for &city in &address.cities {
                city_rows(reference, address, city, rows);
            }
        }
        Place::Town(town) => town_rows(reference, address, town as usize, rows),
    }
}

/// The rows of a municipality; the one for towns that are not listed, or for lots without a town,
/// comes first.
fn city_rows(reference: Reference<'_>, address: &Address, city: u32, rows: &mut Vec<u32>) {
    let Some(range) = reference.gazetteer.cities.get(city as usize) else { return };
    let begin = rows.len();
    rows.extend(range.first_row.to_native()..range.end_row.to_native());
    let lot = Lot::of(address);
    let town = key(address.get(Component::Town).unwrap_or_default());
    let lot_text = address.get(Component::BlockLotNum);
    let street = address.town.street.clone();
    let street = street.and_then(|street| address.scratch.units.get(street));
    let streets =
        street.map(|street| kyoto::rows_of_street(reference.gazetteer, city as usize, street));
    let streets = streets.unwrap_or_default();
    rows[begin..].sort_by_key(|row| {
        let Some(record) = record(reference, *row) else { return 3 };
        if streets.contains(row) {
            return 0;
        }
        if let Some(business) = record.corporation() {
            // A town that only a business's own address has.
            let there = key(without_mark(record.town().name.text));
            let number = business.block_lot_num().map(|number| number.text);
            let here = number.is_some() && number == lot_text;
            let named = here && !there.is_empty() && town.starts_with(&there);
            return if named { 0 } else { 3 };
        }
        if !record.town().name.text.is_empty() {
            return 3;
        }
        let follows =
            record.town_raw().text.contains("ノ次ニ") || record.town_raw().text.contains("の次に");
        match (follows, lots::holds(reference.gazetteer.lots_of(*row), &lot.numbers, lot.chome)) {
            (true, Some(true)) if town.is_empty() => 0,
            (true, None) if town.is_empty() && !lot.numbers.is_empty() => 0,
            (false, _) => 1,
            _ => 2,
        }
    });
}

/// A town without the 大字 or 字 in front of it.
fn without_mark(town: &str) -> &str {
    town.strip_prefix("大字").or_else(|| town.strip_prefix('字')).unwrap_or(town)
}

/// The rows of a town.
fn town_rows(reference: Reference<'_>, address: &Address, town: usize, rows: &mut Vec<u32>) {
    let gazetteer = reference.gazetteer;
    if town >= gazetteer.towns.count() {
        return;
    }
    rows.extend(gazetteer.rows_of(town).iter().map(|row| row.to_native()));
    let mut wanted = Wanted::of(gazetteer, address, town);
    wanted.find_tenant(reference, rows);
    rows.sort_by_cached_key(|row| {
        record(reference, *row).map_or(Rank::Other, |record| wanted.rank(gazetteer, *row, record))
    });
}

fn record(reference: Reference<'_>, row: u32) -> Option<PostalView<'_>> {
    PostalView::of(reference.tables, reference.strings, row as usize)
}

/// The lot of an address as numbers.
struct Lot {
    numbers: Vec<u32>,
    /// Whether the text calls the first a chome.
    chome: bool,
}

impl Lot {
    fn of(address: &Address) -> Lot {
        let lot = address.get(Component::BlockLotNum).unwrap_or_default();
        let numbers = lot.split('-').map_while(|number| number.parse().ok()).take(4).collect();
        let chome = behind_chome(&address.scratch.units, address.town.end).is_some();
        Lot { numbers, chome }
    }
}

/// What an address asks of the rows of its town.
struct Wanted<'a> {
    lot_text: Option<&'a str>,
    lot: Lot,
    building: Vec<u16>,
    floor: Option<i16>,
    /// The business whose building and floor these are, if it is but one.
    tenant: Option<u32>,
    /// What could be the name of a business.
    names: Vec<Vec<u16>>,
    /// The rows of its floor, then those of its building.
    floor_row: Option<u32>,
    building_row: Option<u32>,
    /// The rows of its koaza, chome, 地割 or street.
    parts: Vec<u32>,
}

impl<'a> Wanted<'a> {
    fn of(gazetteer: &ArchivedGazetteer, address: &'a Address, town: usize) -> Wanted<'a> {
        let lot = Lot::of(address);
        let building = address.get(Component::Building).map(building_key).unwrap_or_default();
        let mut wanted = Wanted {
            lot_text: address.get(Component::BlockLotNum),
            floor: address.get(Component::FloorRoom).and_then(|floor| floor_number(&key(floor))),
            tenant: None,
            names: names(address),
            floor_row: None,
            building_row: None,
            parts: parts(gazetteer, address, town, &lot),
            lot,
            building,
        };
        wanted.find_building(gazetteer, town);
        wanted
    }

    /// The rows of the building that the address names, and of its floor.
    fn find_building(&mut self, gazetteer: &ArchivedGazetteer, town: usize) {
        let buildings = gazetteer.details_of(town, Kind::Building);
        if buildings.is_empty() || self.building.is_empty() {
            return;
        }
        let name = |detail: usize| -> Vec<u16> {
            gazetteer.detail_names.units(detail).iter().map(|unit| unit.to_native()).collect()
        };
        // The longest name that stands in the text, or else the one that ends in the text's.
        let inside =
            buildings.clone().filter(|detail| position(&self.building, &name(*detail)).is_some());
        let ends =
            |detail: &usize| self.building.len() >= 4 && name(*detail).ends_with(&self.building);
        let Some(found) =
            inside.max_by_key(|detail| gazetteer.detail_names.length(*detail)).or_else(|| {
                let first = buildings.clone().find(ends)?;
                buildings
                    .clone()
                    .filter(ends)
                    .all(|other| name(other) == name(first))
                    .then_some(first)
            })
        else {
            return;
        };
        let found = name(found);
        for detail in buildings.filter(|detail| name(*detail) == found) {
            let (row, number) = (
                gazetteer.details[detail].row.to_native(),
                gazetteer.details[detail].number.to_native(),
            );
            if number == NO_NUMBER {
                self.building_row = Some(row);
            } else if Some(number) == self.floor {
                self.floor_row = Some(row);
            }
        }
    }

    /// The one business at the lot that is in this building and on this floor.
    fn find_tenant(&mut self, reference: Reference<'_>, rows: &[u32]) {
        if self.building.is_empty() || self.floor.is_none() {
            return;
        }
        let mut tenants = rows.iter().filter(|row| {
            let Some(record) = record(reference, **row) else { return false };
            record.corporation().is_some_and(|business| self.is_at_lot(business))
                && floor_number(&key(record.floor().text)) == self.floor
                && building_key(record.building().text) == self.building
        });
        self.tenant = tenants.next().copied().filter(|_| tenants.next().is_none());
    }

    fn is_at_lot(&self, business: CorporationView<'_>) -> bool {
        let number = business.block_lot_num().map(|number| number.text);
        number.is_some() && number == self.lot_text
    }

    /// Whether the text ends in the name of the business.
    fn names(&self, business: CorporationView<'_>) -> bool {
        let name = business_key(business.name().text);
        name.len() >= 2 && self.names.iter().any(|text| text.ends_with(&name))
    }

    fn rank(&self, gazetteer: &ArchivedGazetteer, row: u32, record: PostalView<'_>) -> Rank {
        if self.floor_row == Some(row) {
            return Rank::Floor;
        }
        if self.building_row == Some(row) {
            return Rank::Building;
        }
        if let Some(business) = record.corporation() {
            return if !self.is_at_lot(business) {
                Rank::Other
            } else if self.tenant == Some(row) {
                Rank::Tenant
            } else if self.names(business) {
                Rank::Business
            } else {
                Rank::BusinessAtLot
            };
        }
        if !record.building().text.is_empty() {
            return Rank::Other;
        }
        let holds = lots::holds(gazetteer.lots_of(row), &self.lot.numbers, self.lot.chome);
        if self.parts.contains(&row) {
            return if holds == Some(false) { Rank::Other } else { Rank::Part };
        }
        if !record.koaza().text.is_empty() || !record.kyoto_street().text.is_empty() {
            return Rank::Other;
        }
        match holds {
            Some(true) => Rank::Lots,
            Some(false) => Rank::PartOfTown,
            None if is_rest(record.town_raw().text) => Rank::Town,
            None => Rank::PartOfTown,
        }
    }
}

/// The building of an address, and what is unplaced behind it, as names of businesses.
fn names(address: &Address) -> Vec<Vec<u16>> {
    let building = address.get(Component::Building).map(business_key);
    let behind = address.behind().map(business_key);
    building.into_iter().chain(behind).filter(|name| !name.is_empty()).collect()
}

/// The name of a business as two writings of it agree: its letters alone, without the legal form.
fn business_key(name: &str) -> Vec<u16> {
    let mut name = name;
    for form in ["株式会社", "（株）", "(株)", "㈱", "有限会社"] {
        let trimmed = name.trim();
        name = trimmed.strip_prefix(form).or_else(|| trimmed.strip_suffix(form)).unwrap_or(trimmed);
    }
    let mut found = key(name);
    found.retain(|code| super::walk::is_name(*code) || super::units::is_digit(*code));
    found
}

/// Whether a bare row is for the town as such: nothing in brackets, or the rest of it.
fn is_rest(raw: &str) -> bool {
    let Some((_, inside)) = raw.split_once('（') else { return true };
    inside.contains("その他")
        || inside.contains("番地のみ")
        || inside.contains("全域")
        || inside.contains("次のビルを除く")
}

/// The rows of the koaza, chome, 地割 or street that the address names.
fn parts(gazetteer: &ArchivedGazetteer, address: &Address, town: usize, lot: &Lot) -> Vec<u32> {
    let row = |detail: usize| gazetteer.details[detail].row.to_native();
    let units = &address.scratch.units;
    let mut rows = Vec::new();
    if let Some((koaza, _)) = &address.town.koaza {
        let name = gazetteer.detail_names.units(*koaza);
        let koaza = gazetteer.details_of(town, Kind::Koaza);
        rows.extend(koaza.filter(|other| gazetteer.detail_names.units(*other) == name).map(row));
    }
    if let Some(street) = address.town.street.clone().and_then(|street| units.get(street)) {
        rows.extend(kyoto::row_of_street(gazetteer, town, street));
    }
    let numbered = |kind, number: u32| {
        let number = i16::try_from(number).unwrap_or(NO_NUMBER);
        let details = gazetteer.details_of(town, kind);
        details.filter(move |detail| gazetteer.details[*detail].number.to_native() == number)
    };
    if let Some(&first) = lot.numbers.first() {
        rows.extend(numbered(Kind::Chome, first).map(row));
    }
    // 本通12丁目北: the side behind the chome is a koaza.
    let behind = behind_chome(units, address.town.end);
    let koaza = gazetteer.details_of(town, Kind::Koaza);
    if let Some(behind) = behind.filter(|_| !koaza.is_empty()) {
        let hit = walk(&gazetteer.detail_names, koaza, units, behind, Style::Literal).longest();
        rows.extend(hit.into_iter().flat_map(|hit| hit.name..hit.name + hit.count).map(row));
    }
    let jiwari = jiwari(&units[address.town.end.min(units.len())..]);
    if let Some(first) = jiwari.or(lot.numbers.first().copied()) {
        rows.extend(numbered(Kind::Jiwari, first).map(row));
    }
    rows
}

/// The unit behind a chome right behind the town.
fn behind_chome(units: &[super::units::Unit], at: usize) -> Option<usize> {
    let digits = units.get(at..)?.iter().take_while(|unit| unit.is_digit()).count();
    let mark = units.get(at + digits..at + digits + 2)?;
    let chome = mark.iter().map(|unit| unit.code).eq("丁目".encode_utf16());
    (digits > 0 && chome).then_some(at + digits + 2)
}

/// The number of a 地割 right behind the town: 第11地割.
fn jiwari(behind: &[super::units::Unit]) -> Option<u32> {
    let digits = &behind[usize::from(behind.first()?.code == unit('第'))..];
    let count = digits.iter().take_while(|unit| unit.is_digit()).take(4).count();
    let mark = digits.get(count..count + 2)?;
    let is_mark = mark.iter().map(|unit| unit.code).eq("地割".encode_utf16());
    let value = digits[..count].iter();
    let value = value.fold(0, |value, digit| value * 10 + u32::from(digit.code - unit('0')));
    (is_mark && count > 0).then_some(value)
}
