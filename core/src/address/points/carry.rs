//! Carries the points of a version over to its records as an operator corrected them: the file of coordinates is not at
//! hand any more.

use std::collections::HashMap;

use rkyv::Archived;

use super::{ArchivedPoints, Coordinates, NO_COORDINATES, Points};
use crate::address::gazetteer::{ArchivedGazetteer, Gazetteer};

impl Points {
    /// The points of records that an operator corrected, from the points of the published ones. `row_before` says which of
    /// the published rows each row was; a new one has the point of its town or municipality. The municipalities are the
    /// same.
    pub fn carried_over(
        before: &ArchivedPoints,
        gazetteer_before: &ArchivedGazetteer,
        gazetteer: &Gazetteer,
        row_before: &[Option<u32>],
    ) -> Points {
        let towns_before = towns_by_row(gazetteer_before, before.rows.len());
        let town_before = |rows: &[u32]| {
            let known = rows.iter().filter_map(|row| row_before[*row as usize]).next();
            known.and_then(|row| towns_before[row as usize])
        };
        let mut points = Points { starts: vec![0], ..Points::default() };
        points.cities = before.cities.iter().map(owned_coordinates).collect();
        let mut carried = HashMap::new();
        for bounds in gazetteer.town_rows.windows(2) {
            let rows = &gazetteer.rows[bounds[0] as usize..bounds[1] as usize];
            if let Some(town) = town_before(rows) {
                let range = [town, town + 1].map(|town| before.starts[town].to_native());
                for index in range[0]..range[1] {
                    // Towns that were one have the same points.
                    carried.entry(index).or_insert(number(points.numbers.len()));
                    points.numbers.push(before.numbers[index as usize].to_native());
                    points.coordinates.push(coordinates_at(before, index));
                }
            }
            points.starts.push(number(points.numbers.len()));
        }
        points.rows = vec![NO_COORDINATES; row_before.len()];
        for (row, known) in row_before.iter().enumerate() {
            let Some(known) = known else { continue };
            let index = before.rows[*known as usize].to_native();
            if index == NO_COORDINATES {
                continue;
            }
            if !carried.contains_key(&index) && index as usize >= before.numbers.len() {
                points.coordinates.push(coordinates_at(before, index));
                carried.insert(index, number(points.coordinates.len() - 1));
            }
            points.rows[row] = carried.get(&index).copied().unwrap_or(NO_COORDINATES);
        }
        points
    }
}

/// The town of each row of the tables, if it has one.
fn towns_by_row(gazetteer: &ArchivedGazetteer, rows: usize) -> Vec<Option<usize>> {
    let mut towns = vec![None; rows];
    for town in 0..gazetteer.towns.count() {
        for row in gazetteer.rows_of(town) {
            if let Some(of_row) = towns.get_mut(row.to_native() as usize) {
                *of_row = Some(town);
            }
        }
    }
    towns
}

fn owned_coordinates(archived: &Archived<Option<Coordinates>>) -> Option<Coordinates> {
    archived.as_ref().map(|it| Coordinates { lat: it.lat.to_native(), lon: it.lon.to_native() })
}

fn coordinates_at(points: &ArchivedPoints, index: u32) -> Coordinates {
    let archived = points.coordinates[index as usize];
    Coordinates { lat: archived.lat.to_native(), lon: archived.lon.to_native() }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("a month has 150,000 records and 200,000 chome")
}
