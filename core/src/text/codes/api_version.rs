//! API versions: dated shapes of the responses, in order of time.

use crate::text::named_enum::named_enum;

named_enum! {
    fn as_str;
    /// A dated API version. Orders by time: `version >= ApiVersion::V2022_11_01`.
    pub enum ApiVersion {
        /// Postal records of 20 fields; corporate records flat, every code a string.
        V2022_09_01 = "2022-09-01",
        /// Postal records of 35 fields; roman names of cities.
        V2022_11_01 = "2022-11-01",
        /// Counties and cities without ward in city records; the bank endpoints.
        V2023_09_01 = "2023-09-01",
        /// The corporate address becomes an object.
        V2024_01_01 = "2024-01-01",
        /// Bank branches become arrays.
        V2025_01_01 = "2025-01-01",
        /// Search parameters on the bank lists.
        V2026_08_01 = "2026-08-01",
    }
}

impl ApiVersion {
    /// The default version.
    pub const NEWEST: ApiVersion = ApiVersion::V2026_08_01;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_read_back_and_ascend() {
        for version in ApiVersion::ALL {
            assert_eq!(ApiVersion::parse(version.as_str()), Some(version));
        }
        assert!(ApiVersion::ALL.is_sorted());
        assert_eq!(ApiVersion::ALL.last(), Some(&ApiVersion::NEWEST));
        assert_eq!(ApiVersion::parse("2022-09-02"), None);
        assert_eq!(ApiVersion::parse(""), None);
    }
}
