//! What becomes of a row with coordinates: the states of its match, and its location.

use crate::address::points::location::Location;
use crate::dataset::postal::reverse::NoPlace;
use crate::text::named_enum::named_enum;

named_enum! {
    fn name;
    pub enum Located {
        /// A place has its point within 10 km.
        Found = "found",
        TooFar = "no_place_within_10_km",
        OutsideJapan = "outside_japan",
        /// The fields are no latitude and longitude.
        NotCoordinates = "not_coordinates",
        /// Both fields are empty.
        Blank = "blank",
    }
}

impl From<NoPlace> for Located {
    fn from(reason: NoPlace) -> Located {
        match reason {
            NoPlace::OutsideJapan => Located::OutsideJapan,
            NoPlace::TooFar => Located::TooFar,
        }
    }
}

/// The location of a row. Blanks around the numbers do not count.
pub fn read_location(lat: &str, lon: &str) -> Result<Location, Located> {
    let (lat, lon) = (lat.trim(), lon.trim());
    if lat.is_empty() && lon.is_empty() {
        return Err(Located::Blank);
    }
    Location::parse(lat, lon).map_err(|_fault| Located::NotCoordinates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_a_location_or_says_why_not() {
        for (lat, lon, expected) in [
            ("35.68", "139.76", None),
            (" 35.68 ", "\u{3000}139.76", None),
            ("", " ", Some(Located::Blank)),
            ("35.68", "", Some(Located::NotCoordinates)),
            ("139.76", "35.68", Some(Located::NotCoordinates)),
            ("緯度", "経度", Some(Located::NotCoordinates)),
        ] {
            assert_eq!(read_location(lat, lon).err(), expected, "{lat} {lon}");
        }
    }
}
