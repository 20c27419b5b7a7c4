//! A place on the ground, as a request or a file gives it, and the distance between two.

use super::{Degrees, Point};

/// Latitude and longitude, both valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    pub lat: Degrees,
    pub lon: Degrees,
}

/// Why two texts are no latitude and longitude.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LocationFault {
    #[error("expected a latitude in decimal degrees, such as 35.681236; found {0:?}")]
    NoLatitude(String),
    #[error("expected a longitude in decimal degrees, such as 139.767125; found {0:?}")]
    NoLongitude(String),
    #[error("expected a latitude of -90 to 90 degrees; found {0}")]
    LatitudeRange(String),
    #[error("expected a longitude of -180 to 180 degrees; found {0}")]
    LongitudeRange(String),
    #[error(
        "expected a latitude of -90 to 90 degrees; found {lat}, which is a longitude of Japan; exchange latitude and \
         longitude"
    )]
    Exchanged { lat: String },
    #[error(
        "expected a latitude, a comma and a longitude, such as 35.681236,139.767125; found {0:?}"
    )]
    NoPair(String),
}

impl LocationFault {
    /// Whether the longitude is wrong, not the latitude or both.
    pub fn is_of_longitude(&self) -> bool {
        matches!(self, LocationFault::NoLongitude(_) | LocationFault::LongitudeRange(_))
    }
}

/// An error repeats at most so many characters.
const EXCERPT_CHARS: usize = 40;

/// The whole degrees between which Japan with its remote islands lies.
const LATITUDES_OF_JAPAN: [f64; 2] = [20.0, 46.0];
const LONGITUDES_OF_JAPAN: [f64; 2] = [122.0, 154.0];

impl Location {
    /// Reads decimal degrees, north and east positive.
    pub fn parse(lat: &str, lon: &str) -> Result<Location, LocationFault> {
        use LocationFault::{Exchanged, LatitudeRange, LongitudeRange, NoLatitude, NoLongitude};
        let north = decimal(lat).ok_or_else(|| NoLatitude(excerpt(lat)))?;
        let east = decimal(lon).ok_or_else(|| NoLongitude(excerpt(lon)))?;
        if north.abs() > 90.0 {
            let are_exchanged = is_in_japan(east, north);
            let lat = excerpt(lat);
            return Err(if are_exchanged { Exchanged { lat } } else { LatitudeRange(lat) });
        }
        if east.abs() > 180.0 {
            return Err(LongitudeRange(excerpt(lon)));
        }
        Ok(Location { lat: millionths(north), lon: millionths(east) })
    }

    /// Reads `35.681236,139.767125`; blanks may follow the comma.
    pub fn parse_pair(text: &str) -> Result<Location, LocationFault> {
        match text.split_once(',') {
            Some((lat, lon)) => Location::parse(lat.trim(), lon.trim()),
            None => Err(LocationFault::NoPair(excerpt(text))),
        }
    }

    /// Whether it lies in the rectangle around Japan. No border is known, so a place in it may be in Korea or at sea.
    pub fn is_near_japan(self) -> bool {
        is_in_japan(self.lat.to_degrees(), self.lon.to_degrees())
    }

    /// Metres to another place, see [`squared_metres`](Self::squared_metres).
    pub fn metres_to(self, other: Location) -> f64 {
        self.squared_metres(other).sqrt()
    }

    /// The square of the metres to another place on the ellipsoid of GRS 80, by Hubeny's formula. Within 10 km it differs
    /// from the geodesic by two millimetres at most, over 400 km by some 40 metres.
    pub fn squared_metres(self, other: Location) -> f64 {
        let lat = (self.lat.to_radians() + other.lat.to_radians()) / 2.0;
        let [meridian, parallel] = radii(lat);
        let north = (self.lat.to_radians() - other.lat.to_radians()) * meridian;
        let east = (self.lon.to_radians() - other.lon.to_radians()) * parallel;
        north * north + east * east
    }
}

/// A key in the order of distances: none is negative, so their bits are in their order.
pub fn metres_key(metres: f64) -> u64 {
    metres.to_bits()
}

impl From<Point> for Location {
    fn from(point: Point) -> Location {
        Location { lat: point.lat, lon: point.lon }
    }
}

impl Degrees {
    pub fn to_degrees(self) -> f64 {
        f64::from(self.0) / 1e6
    }

    pub fn to_radians(self) -> f64 {
        self.to_degrees().to_radians()
    }
}

/// Semi-major axis in metres and square of the eccentricity of GRS 80.
const AXIS: f64 = 6_378_137.0;
const ECCENTRICITY: f64 = 0.006_694_380_022_903_4;

/// The radii in metres of the meridian and of the parallel at a latitude: an angle times the radius is a distance.
pub(super) fn radii(lat: f64) -> [f64; 2] {
    let (sin, cos) = lat.sin_cos();
    let square = 1.0 - ECCENTRICITY * sin * sin;
    let normal = AXIS / square.sqrt();
    [normal * (1.0 - ECCENTRICITY) / square, normal * cos]
}

/// The least radius of the meridian, at the equator.
pub(super) const MERIDIAN_MIN: f64 = AXIS * (1.0 - ECCENTRICITY);

fn is_in_japan(lat: f64, lon: f64) -> bool {
    let is_in = |[from, to]: [f64; 2], value| from <= value && value <= to;
    is_in(LATITUDES_OF_JAPAN, lat) && is_in(LONGITUDES_OF_JAPAN, lon)
}

/// A number of ASCII digits with an optional sign and decimals: no exponent, no degrees with minutes.
fn decimal(text: &str) -> Option<f64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
    let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
    (are_digits(whole) && are_digits(decimals)).then(|| text.parse().ok())?
}

/// `degrees` is at most 180.
fn millionths(degrees: f64) -> Degrees {
    Degrees((degrees * 1e6).round() as i32)
}

fn excerpt(text: &str) -> String {
    text.chars().take(EXCERPT_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn decimal_degrees_are_read_to_a_millionth() {
        for (lat, lon, expected) in [
            ("35.681236", "139.767125", [35_681_236, 139_767_125]),
            ("+35", "-0.5", [35_000_000, -500_000]),
            ("-90", "180", [-90_000_000, 180_000_000]),
            ("35.6812364", "139.7671256", [35_681_236, 139_767_126]),
            ("90.00000000", "-180.0", [90_000_000, -180_000_000]),
        ] {
            let location = Location::parse(lat, lon).expect("degrees");
            assert_eq!([location.lat.0, location.lon.0], expected, "{lat} {lon}");
            assert_eq!(Location::parse_pair(&format!("{lat}, {lon}")), Ok(location));
        }
    }

    #[test]
    fn what_is_no_location_has_an_error_that_says_why() {
        for (lat, lon, expected) in [
            ("139.767125", "35.681236", "exchange latitude and longitude"),
            ("135", "45", "exchange latitude and longitude"),
            ("100", "35", "a latitude of -90 to 90 degrees; found 100"),
            ("-90.1", "139", "a latitude of -90 to 90 degrees; found -90.1"),
            ("35", "180.5", "a longitude of -180 to 180 degrees; found 180.5"),
            ("北", "139", "a latitude in decimal degrees, such as 35.681236; found \"北\""),
            ("35", "", "a longitude in decimal degrees, such as 139.767125; found \"\""),
            ("35°40'52\"", "139", "a latitude in decimal degrees"),
            ("NaN", "139", "found \"NaN\""),
            ("inf", "139", "found \"inf\""),
            ("1e1", "139", "found \"1e1\""),
            ("35.", "139", "found \"35.\""),
            (".5", "139", "found \".5\""),
            ("３５", "139", "found \"３５\""),
            (" 35", "139", "found \" 35\""),
        ] {
            let fault = Location::parse(lat, lon).expect_err("no location");
            assert!(fault.to_string().contains(expected), "{fault}");
            let is_of_longitude = fault.to_string().contains("expected a longitude");
            assert_eq!(fault.is_of_longitude(), is_of_longitude, "{fault}");
        }
        let pair = Location::parse_pair("35.68 139.76").expect_err("no comma");
        assert!(pair.to_string().contains("such as 35.681236,139.767125"), "{pair}");
        let long = Location::parse(&"x".repeat(1_000), "1").expect_err("no number");
        assert!(long.to_string().len() < 150, "{long}");
    }

    #[test]
    fn distances_are_those_of_the_geodesic() {
        // From Tokyo station, as Karney's algorithm has them.
        let at = |lat, lon| Location::parse(lat, lon).expect("degrees");
        let tokyo = at("35.681236", "139.767125");
        for (other, metres, error) in [
            (at("35.681236", "139.767125"), 0.0, 0.0),
            (at("35.690921", "139.700258"), 6_147.427, 0.002),
            (at("35.681236", "139.768125"), 90.525, 0.002),
            (at("35.682236", "139.767125"), 110.953, 0.002),
            (at("34.702485", "135.495951"), 403_826.687, 50.0),
        ] {
            let found = tokyo.metres_to(other);
            assert!((found - metres).abs() <= error, "{found} instead of {metres}");
            assert_eq!(found, other.metres_to(tokyo));
        }
    }

    #[test]
    fn a_rectangle_stands_for_japan() {
        for (lat, lon, expected) in [
            ("35.68", "139.76", true),
            ("24.28", "153.98", true),
            ("20.42", "136.08", true),
            ("48.85", "2.35", false),
            ("37.56", "-126.97", false),
            ("0", "0", false),
        ] {
            assert_eq!(Location::parse(lat, lon).map(Location::is_near_japan), Ok(expected));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_location_or_an_error(lat in "[-+.0-9e, 度]{0,9}", lon in "\\PC{0,9}") {
            if let Ok(Location { lat, lon }) = Location::parse(&lat, &lon) {
                prop_assert!(lat.0.abs() <= 90_000_000 && lon.0.abs() <= 180_000_000);
            }
            let _ = Location::parse_pair(&format!("{lat}{lon}"));
        }
    }
}
