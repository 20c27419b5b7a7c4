//! What the repository of bank codes says of its newest edition: its date, in eight digits.

use crate::text::codes::DataVersion;
use crate::update::official_name::date_of;

/// The date in `data/updated_at`; what stands there instead, at most the beginning of it.
pub fn read_updated_at(text: &str) -> Result<DataVersion, String> {
    date_of(text.trim()).ok_or_else(|| match text.trim() {
        "" => "nothing".to_owned(),
        found => format!("{:?}", found.chars().take(EXCERPT_CHARS).collect::<String>()),
    })
}

/// Of an answer that is something else.
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
