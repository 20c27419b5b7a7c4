//! The date of the newest edition in the repository of bank codes: eight digits.

use crate::text::codes::DataVersion;
use crate::update::official_name::date_of;

/// Parses `data/updated_at`; the error is the beginning of the text.
pub fn read_updated_at(text: &str) -> Result<DataVersion, String> {
    date_of(text.trim()).ok_or_else(|| match text.trim() {
        "" => "nothing".to_owned(),
        found => format!("{:?}", found.chars().take(EXCERPT_CHARS).collect::<String>()),
    })
}

/// Maximum length of the text in an error.
const EXCERPT_CHARS: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editions_are_dates_of_eight_digits() {
        #[track_caller]
        fn check(text: &str, expected: Result<u32, &str>) {
            let found = read_updated_at(text).map(DataVersion::number);
            assert_eq!(found, expected.map_err(str::to_owned), "{text:?}");
        }
        check("20260525", Ok(20_260_525));
        check("20260525\n", Ok(20_260_525));
        check("20260231", Err("\"20260231\""));
        check("2026-05-25", Err("\"2026-05-25\""));
        check("２０２６０５２５", Err("\"２０２６０５２５\""));
        check("+2026052", Err("\"+2026052\""));
        check("", Err("nothing"));
        check("404: Not Found", Err("\"404: Not Found\""));
    }
}
