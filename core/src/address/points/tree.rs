//! The nearest points to a location: an index over the points of a version, read in place from the section `nearest`.
//!
//! A k-d tree without pointers. A range of `places` is a subtree: its middle is the root, what is before the middle lies
//! south of it (one level further: west), what is after it north (east). Eight places or fewer are a leaf. Coordinates
//! stay where they are, in the section `points`, so a place takes four bytes. Why no crate: docs/code/reasons.md.

use std::cmp::Reverse;
use std::ops::Range;

use rkyv::{Archive, Serialize};

use super::location::{Location, MERIDIAN_MIN, radii};
use super::{ArchivedPoints, Coordinates, Degrees, MIDDLE, NO_COORDINATES, Point, Points, TOWN};
use crate::address::gazetteer::Gazetteer;
use crate::address::gazetteer::check::{Checked, expect};

/// No place is farther away than so many metres. The bound keeps every search short, also one from the open sea.
pub const METRES_MAX: f64 = 10_000.0;

const LEAF: usize = 8;

/// The order of the points by their coordinates.
#[derive(Debug, Default, Archive, Serialize)]
pub struct PointTree {
    /// Each is an index into the coordinates of [`Points`], or their number plus the index of a municipality.
    places: Vec<u32>,
    /// A row of each koaza that has a point, in the order of their coordinates.
    koaza_rows: Vec<u32>,
}

/// What a point stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// By a row of the tables that names it.
    Koaza(u32),
    /// The index of the town, and the number of the chome.
    Chome(u32, u16),
    Town(u32),
    /// A municipality of which no town has a point.
    City(u32),
}

/// A place near a location.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearPlace {
    pub place: Place,
    pub point: Point,
    pub metres: f64,
}

impl PointTree {
    /// A town that the file knows only by its chome is left out: its point is that of one of them.
    pub fn build(points: &Points, gazetteer: &Gazetteer) -> PointTree {
        let (numbers, coordinates) = (points.numbers.len(), points.coordinates.len());
        let mut koaza_rows = vec![NO_COORDINATES; coordinates - numbers];
        for (row, index) in points.rows.iter().enumerate() {
            let koaza = (*index as usize).checked_sub(numbers);
            if let Some(first) = koaza.and_then(|koaza| koaza_rows.get_mut(koaza)) {
                *first = (*first).min(number(row));
            }
        }
        let mut places = Vec::with_capacity(coordinates);
        for town in points.starts.windows(2) {
            let range = town[0]..town[1];
            let is_divided = range.len() > 1;
            let is_own = |at: &u32| points.numbers[*at as usize] != MIDDLE || !is_divided;
            places.extend(range.filter(is_own));
        }
        let is_named = |koaza: &usize| koaza_rows[*koaza] != NO_COORDINATES;
        let koaza = (0..koaza_rows.len()).filter(is_named);
        places.extend(koaza.map(|koaza| number(numbers + koaza)));
        let has_towns = |city: usize| {
            let [first, end] = [city, city + 1].map(|at| gazetteer.cities[at].first_town as usize);
            points.starts[first] < points.starts[end]
        };
        let cities = (0..points.cities.len()).filter(|city| points.cities[*city].is_some());
        let alone = cities.filter(|city| !has_towns(*city));
        places.extend(alone.map(|city| number(coordinates + city)));
        arrange(&mut places, Axis::Latitude, &|place| points.location(place));
        PointTree { places, koaza_rows }
    }
}

impl Points {
    fn location(&self, place: u32) -> Location {
        let place = place as usize;
        let found = self.coordinates.get(place).copied().or_else(|| {
            let city = place.checked_sub(self.coordinates.len())?;
            self.cities.get(city).copied().flatten()
        });
        let Coordinates { lat, lon } = found.expect("a place of these points");
        Location { lat: Degrees(lat), lon: Degrees(lon) }
    }
}

/// Brings places into the order of the tree, the same for every order before.
fn arrange(places: &mut [u32], axis: Axis, location: &impl Fn(u32) -> Location) {
    if places.len() <= LEAF {
        places.sort_unstable();
        return;
    }
    let middle = places.len() / 2;
    places.select_nth_unstable_by_key(middle, |place| (axis.of(location(*place)), *place));
    let (before, rest) = places.split_at_mut(middle);
    arrange(before, axis.next(), location);
    arrange(&mut rest[1..], axis.next(), location);
}

#[derive(Debug, Clone, Copy)]
enum Axis {
    Latitude,
    Longitude,
}

impl Axis {
    fn of(self, location: Location) -> i32 {
        match self {
            Axis::Latitude => location.lat.0,
            Axis::Longitude => location.lon.0,
        }
    }

    fn next(self) -> Axis {
        match self {
            Axis::Latitude => Axis::Longitude,
            Axis::Longitude => Axis::Latitude,
        }
    }
}

impl ArchivedPointTree {
    /// Checks every reference, for these points and tables of this many rows.
    pub fn check(&self, points: &ArchivedPoints, rows: usize) -> Checked {
        let koaza = points.coordinates.len().checked_sub(points.numbers.len());
        let mut of_koaza = self.koaza_rows.iter().map(|row| row.to_native());
        let are_rows = of_koaza.all(|row| row == NO_COORDINATES || (row as usize) < rows);
        expect(koaza == Some(self.koaza_rows.len()) && are_rows, "a row for every koaza")?;
        let mut places = self.places.iter().map(|place| place.to_native());
        expect(places.all(|place| points.point_of(place).is_some()), "places that have a point")
    }

    /// How many places it has.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The nearest places within [`METRES_MAX`], the nearest first; of places at one point the smaller first.
    pub fn nearest(
        &self,
        points: &ArchivedPoints,
        from: Location,
        limit: usize,
    ) -> impl Iterator<Item = NearPlace> {
        let mut search = Search::new(self, points, from, limit);
        if limit > 0 {
            search.visit(0..self.places.len(), Axis::Latitude);
        }
        search.found.into_iter().filter_map(move |(square, Reverse(place))| {
            let (place, point) = (self.place(points, place)?, points.point_of(place)?);
            Some(NearPlace { place, point, metres: square.sqrt() })
        })
    }

    /// Every place with its point, in the order of the tree.
    pub fn places(&self, points: &ArchivedPoints) -> impl Iterator<Item = (Place, Point)> {
        let places = self.places.iter().map(|place| place.to_native());
        places.filter_map(|place| Some((self.place(points, place)?, points.point_of(place)?)))
    }

    fn place(&self, points: &ArchivedPoints, place: u32) -> Option<Place> {
        let index = place as usize;
        if let Some(city) = index.checked_sub(points.coordinates.len()) {
            return Some(Place::City(number(city)));
        }
        if let Some(koaza) = index.checked_sub(points.numbers.len()) {
            let row = self.koaza_rows.get(koaza)?.to_native();
            return Some(Place::Koaza(row)).filter(|_| row != NO_COORDINATES);
        }
        let after = points.starts.partition_point(|start| start.to_native() <= place);
        let town = number(after.checked_sub(1)?);
        Some(match points.numbers.get(index)?.to_native() {
            TOWN | MIDDLE => Place::Town(town),
            chome => Place::Chome(town, chome),
        })
    }
}

impl ArchivedPoints {
    /// The point of a place of the tree.
    fn point_of(&self, place: u32) -> Option<Point> {
        match (place as usize).checked_sub(self.coordinates.len()) {
            Some(city) => self.of_city(city),
            None => Some(self.point_at(place as usize)),
        }
    }
}

struct Search<'t> {
    tree: &'t ArchivedPointTree,
    points: &'t ArchivedPoints,
    from: Location,
    limit: usize,
    /// Squared metres and place, the nearest first; at most `limit`.
    found: Vec<(f64, Reverse<u32>)>,
    /// At least so many metres are in a millionth of a degree, by axis.
    least: [f64; 2],
}

impl<'t> Search<'t> {
    fn new(
        tree: &'t ArchivedPointTree,
        points: &'t ArchivedPoints,
        from: Location,
        limit: usize,
    ) -> Search<'t> {
        // A degree of longitude is the shorter, the farther from the equator. A place within the bound differs in latitude
        // by `reach` at most, and the distance is measured at the mean of both latitudes.
        let reach = METRES_MAX / MERIDIAN_MIN;
        let farthest = (from.lat.to_radians().abs() + reach / 2.0).min(f64::to_radians(90.0));
        let [_, parallel] = radii(farthest);
        // Rounding must not make them larger.
        let least = [MERIDIAN_MIN, parallel.max(0.0)]
            .map(|radius| radius * f64::to_radians(1e-6) * (1.0 - 1e-9));
        let found = Vec::with_capacity(limit.min(tree.places.len()) + 1);
        Search { tree, points, from, limit, found, least }
    }

    fn visit(&mut self, range: Range<usize>, axis: Axis) {
        if range.len() <= LEAF {
            range.for_each(|at| self.offer(at));
            return;
        }
        let middle = range.start + range.len() / 2;
        let split = self.location(middle).map_or(0, |location| axis.of(location));
        let offset = i64::from(split) - i64::from(axis.of(self.from));
        let (before, after) = (range.start..middle, middle + 1..range.end);
        let (near, far) = if offset > 0 { (before, after) } else { (after, before) };
        self.visit(near, axis.next());
        self.offer(middle);
        let to_far = offset.unsigned_abs() as f64 * self.least[axis as usize];
        if to_far * to_far <= self.bound() {
            self.visit(far, axis.next());
        }
    }

    fn location(&self, at: usize) -> Option<Location> {
        self.points.point_of(self.tree.places[at].to_native()).map(Location::from)
    }

    /// The square of the distance that a place must not exceed.
    fn bound(&self) -> f64 {
        let last = self.found.last().filter(|_| self.found.len() == self.limit);
        last.map_or(METRES_MAX * METRES_MAX, |(square, _)| *square)
    }

    fn offer(&mut self, at: usize) {
        let Some(location) = self.location(at) else { return };
        let square = self.from.squared_metres(location);
        if square > self.bound() {
            return;
        }
        let entry = (square, Reverse(self.tree.places[at].to_native()));
        let position = self.found.partition_point(|other| *other < entry);
        self.found.insert(position, entry);
        self.found.truncate(self.limit);
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("a month has 150,000 records and 200,000 chome")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rkyv::rancor;
    use rkyv::util::AlignedVec;

    use super::*;
    use crate::address::gazetteer::CityTowns;

    /// Points of one municipality: each town has its own point and two chome. One more municipality has only a point.
    fn points(locations: &[(i32, i32)]) -> (Points, Gazetteer) {
        let towns = locations.len().div_ceil(3);
        let numbers = (0..locations.len()).map(|at| (at % 3) as u16);
        let starts = (0..towns).map(|town| number(town * 3));
        let coordinates = locations.iter().map(|&(lat, lon)| Coordinates { lat, lon });
        let points = Points {
            cities: vec![None, Some(Coordinates { lat: 35_000_000, lon: 139_000_000 })],
            starts: starts.chain([number(locations.len())]).collect(),
            numbers: numbers.collect(),
            coordinates: coordinates.collect(),
            rows: Vec::new(),
        };
        let city =
            |first_town| CityTowns { first_town: number(first_town), ..CityTowns::default() };
        let cities = vec![city(0), city(towns), city(towns)];
        (points, Gazetteer { cities, ..Gazetteer::default() })
    }

    fn archived(value: &impl for<'a> rkyv::Serialize<Serializer<'a>>) -> AlignedVec {
        rkyv::to_bytes::<rancor::Error>(value).expect("numbers")
    }

    type Serializer<'a> = rkyv::api::high::HighSerializer<
        AlignedVec,
        rkyv::ser::allocator::ArenaHandle<'a>,
        rancor::Error,
    >;

    /// Compares the nearest places of the tree with those of all places.
    fn check(locations: &[(i32, i32)], from: Location, limit: usize) {
        let (points, gazetteer) = points(locations);
        let tree = archived(&PointTree::build(&points, &gazetteer));
        let points = archived(&points);
        let points = rkyv::access::<ArchivedPoints, rancor::Error>(&points).expect("valid");
        let tree = rkyv::access::<ArchivedPointTree, rancor::Error>(&tree).expect("valid");
        assert_eq!(tree.check(points, 0), Ok(()));
        assert_eq!(tree.len(), locations.len() + 1);
        let mut all: Vec<f64> =
            tree.places(points).map(|(_, point)| from.metres_to(point.into())).collect();
        all.retain(|metres| *metres <= METRES_MAX);
        all.sort_by(f64::total_cmp);
        all.truncate(limit);
        let found: Vec<NearPlace> = tree.nearest(points, from, limit).collect();
        assert_eq!(found.iter().map(|it| it.metres).collect::<Vec<_>>(), all);
        for it in found {
            assert_eq!(from.metres_to(it.point.into()), it.metres);
        }
    }

    proptest! {
        #[test]
        fn the_tree_finds_what_a_look_at_every_point_finds(
            locations in prop::collection::vec((35_600_000..35_800_000, 139_600_000..139_800_000), 0..200),
            lat in 35_500_000..35_900_000,
            lon in 139_500_000..139_900_000,
            limit in 0usize..30,
        ) {
            check(&locations, Location { lat: Degrees(lat), lon: Degrees(lon) }, limit);
        }

        #[test]
        fn the_tree_is_right_anywhere_on_the_globe(
            // Few different coordinates: many places have one in common.
            locations in prop::collection::vec((-90..=90, -180..=180), 0..100),
            lat in -90..=90,
            lon in -180..=180,
            scale in prop::sample::select(vec![1_000, 100_000, 1_000_000]),
        ) {
            let scaled: Vec<_> =
                locations.iter().map(|(lat, lon)| (lat * scale, lon * scale)).collect();
            check(&scaled, Location { lat: Degrees(lat * scale), lon: Degrees(lon * scale) }, 10);
        }

        #[test]
        fn a_wrong_section_is_refused_or_answers(
            places in prop::collection::vec(0u32..12, 0..20),
            koaza_rows in prop::collection::vec(0u32..4, 0..4),
        ) {
            let (points, _) = points(&[(1, 1), (2, 2), (3, 3), (4, 4)]);
            let mut points = points;
            // Two koaza.
            points.coordinates.extend([Coordinates { lat: 5, lon: 5 }; 2]);
            let (points, tree) = (archived(&points), archived(&PointTree { places, koaza_rows }));
            let points = rkyv::access::<ArchivedPoints, rancor::Error>(&points).expect("valid");
            let tree = rkyv::access::<ArchivedPointTree, rancor::Error>(&tree).expect("valid");
            if tree.check(points, 2).is_ok() {
                let from = Location { lat: Degrees(3), lon: Degrees(3) };
                prop_assert!(tree.nearest(points, from, 9).count() <= 9);
            }
        }
    }

    #[test]
    fn a_place_is_a_town_its_chome_or_a_municipality_without_towns() {
        let (points, gazetteer) = points(&[(35_000_000, 139_000_100), (35_000_000, 139_000_200)]);
        let tree = archived(&PointTree::build(&points, &gazetteer));
        let points = archived(&points);
        let points = rkyv::access::<ArchivedPoints, rancor::Error>(&points).expect("valid");
        let tree = rkyv::access::<ArchivedPointTree, rancor::Error>(&tree).expect("valid");
        let from = Location { lat: Degrees(35_000_000), lon: Degrees(139_000_000) };
        let found: Vec<Place> = tree.nearest(points, from, 9).map(|it| it.place).collect();
        assert_eq!(found, [Place::City(1), Place::Town(0), Place::Chome(0, 1)]);
        let far = Location { lat: Degrees(36_000_000), lon: Degrees(139_000_000) };
        assert_eq!(tree.nearest(points, far, 9).count(), 0);
    }
}
