//! The towns of a municipality with their parts and points, as a list of places has them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::PostalData;
use crate::address::Point;
use crate::address::PointLevel;
use crate::address::gazetteer::DetailKind;
use crate::record::postal::PostalView;
use crate::record::strings::Text;
use crate::snapshot::OpenError;

/// A town, or a part of one.
#[derive(Clone, Copy)]
pub struct TownPart<'s> {
    /// A record of the town: its name, which is empty for parts of the municipality itself, and whether it has
    /// residence indication.
    pub town: PostalView<'s>,
    pub part: Part<'s>,
    /// The point of the part, or of its town.
    pub point: Option<Point>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part<'s> {
    Whole,
    Chome(u16),
    /// A koaza or 地割.
    Koaza(Text<'s>),
}

impl PostalData {
    /// The point of a municipality, by its index in the tables.
    pub fn city_point(&self, city: usize) -> Result<Option<Point>, Arc<OpenError>> {
        Ok(self.points()?.and_then(|points| points.of_city(city)))
    }

    /// The towns of a municipality, each before its parts. A town that the file of coordinates knows only by its chome
    /// is not listed as a whole.
    pub fn town_parts(&self, city: usize) -> Result<Vec<TownPart<'_>>, Arc<OpenError>> {
        let (reference, points) = (self.reference()?, self.points()?);
        let gazetteer = reference.gazetteer;
        let record = |row: u32| PostalView::read(reference.tables, reference.strings, row as usize);
        let mut parts = Vec::new();
        for number in gazetteer.towns_of(city) {
            let rows = gazetteer.rows_of(number).iter().filter_map(|row| record(row.to_native()));
            let Some(town) = rows.into_iter().find(|row| row.corporation().is_none()) else {
                continue;
            };
            let known = points.map(|points| points.of_parts(number)).unwrap_or_default();
            if !known.is_divided && !town.town().name.text.is_empty() {
                parts.push(TownPart { town, part: Part::Whole, point: known.whole });
            }
            let split = gazetteer.rows_of_details(number, DetailKind::Chome);
            let split = split.filter_map(|(_, chome)| u16::try_from(chome).ok());
            let mut chome: BTreeMap<u16, Option<Point>> =
                split.map(|chome| (chome, known.whole)).collect();
            chome.extend(known.chome.iter().map(|(chome, point)| (*chome, Some(*point))));
            parts.extend(chome.into_iter().map(|(chome, point)| TownPart {
                town,
                part: Part::Chome(chome),
                point,
            }));
            let first_koaza = parts.len();
            for kind in [DetailKind::Koaza, DetailKind::Jiwari] {
                for (row, _) in gazetteer.rows_of_details(number, kind) {
                    let Some(koaza) = record(row).map(PostalView::koaza) else { continue };
                    let part = Part::Koaza(koaza);
                    if parts[first_koaza..].iter().any(|other| other.part == part) {
                        continue;
                    }
                    let own = points.and_then(|points| points.of_row(row as usize, city));
                    let own = own.filter(|point| point.level == PointLevel::Koaza);
                    parts.push(TownPart { town, part, point: own.or(known.whole) });
                }
            }
        }
        Ok(parts)
    }
}
